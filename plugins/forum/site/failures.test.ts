/** A failure has the code of what it says, and is never taken for a success. */
import { describe, expect, test } from 'bun:test'
import { SourceError, type SourceErrorCode } from 'gleaner/plugin'
import type { Exchange } from 'gleaner/plugin/testing'
import { BLOCKED, forbidden, part, shownPost } from '../fixtures/parts.ts'
import { run, visit } from '../fixtures/sample.ts'
import { type Answer, jsonOf } from './ask.ts'

const page = (title: string, text = '') =>
  `<!doctype html><html><head><title>${title}</title></head><body>${text}</body></html>`
const json = (value: unknown, status = 200): Answer => ({ status, body: JSON.stringify(value) })
const text = (body: string, status = 200): Answer => ({ status, body })

function errorOf(answer: Answer): SourceError {
  try {
    jsonOf(answer)
  } catch (error) {
    if (error instanceof SourceError) return error
    throw error
  }
  throw new TypeError('no error')
}

describe('in place of JSON', () => {
  test.each<[what: string, Answer, SourceErrorCode, words: string]>([
    [
      'a network policy',
      text(page('Blocked', 'whoa there, pardner! blocked due to a network policy'), 403),
      'source-blocked',
      'blocked due to a network policy',
    ],
    [
      'network security',
      text(page('', 'blocked by network security'), 403),
      'source-blocked',
      'blocked by network security',
    ],
    [
      'network security with status 200',
      text(page('', 'blocked by network security')),
      'source-blocked',
      'blocked by network security',
    ],
    [
      'a captcha with status 200',
      text(page('Reddit - Prove your humanity')),
      'source-blocked',
      'Prove your humanity',
    ],
    [
      'a captcha form',
      text(page('', '<div class="g-recaptcha"></div>')),
      'source-blocked',
      'Prove your humanity',
    ],
    [
      'a captcha element',
      text(page('', '<reputation-recaptcha></reputation-recaptcha>')),
      'source-blocked',
      'Prove your humanity',
    ],
    [
      'a script check',
      text(page('Reddit', '<input name="js_challenge">')),
      'source-blocked',
      'Please wait for verification',
    ],
    [
      'a captcha of another service with status 404',
      text(page('Just a moment...'), 404),
      'source-blocked',
      'Just a moment...',
    ],
    [
      'a 403 page without known words',
      text(page('secret query'), 403),
      'source-blocked',
      'a page instead of JSON, status 403',
    ],
    ['an empty 403', text('', 403), 'source-blocked', 'an empty response instead of JSON, status 403'],
    [
      'a 403 with a single word',
      text('Forbidden', 403),
      'source-blocked',
      'other text instead of JSON, status 403',
    ],
    [
      'too many requests',
      text(page('Too Many Requests', 'whoa there, pardner!')),
      'source-rate-limited',
      'Too Many Requests',
    ],
    [
      'a server error',
      json({ message: 'Internal Server Error', error: 500 }, 500),
      'source-unavailable',
      '500: Internal Server Error',
    ],
    [
      'a server error with status 200',
      json({ message: 'Down', error: 503 }),
      'source-unavailable',
      '503: Down',
    ],
    [
      'a refusal of a proxy',
      text(page('400 Bad request'), 400),
      'source-unavailable',
      'a page instead of JSON, status 400',
    ],
    [
      'a bad request',
      json({ reason: 'BAD_NUMBER', explanation: 'that is no number', message: 'Bad Request' }, 400),
      'bad-input',
      'BAD_NUMBER: that is no number',
    ],
    ['a 404', json({ message: 'Not Found', error: 404 }, 404), 'not-found', '404: Not Found'],
    ['a 404 with status 200', json({ message: 'Not Found', error: 404 }), 'not-found', '404: Not Found'],
    // Such a page says nothing about the community or user.
    ['a 404 page', text(page('page not found'), 404), 'source-changed', 'a page instead of JSON, status 404'],
    ['a 410 page', text(page('gone'), 410), 'source-changed', 'a page instead of JSON, status 410'],
    [
      'a banned community',
      json({ reason: 'banned', message: 'Not Found', error: 404 }, 404),
      'not-found',
      'banned: Not Found',
    ],
    [
      'a missing wiki page with status 200',
      json({ reason: 'PAGE_NOT_FOUND', message: 'Not Found' }),
      'not-found',
      'PAGE_NOT_FOUND: Not Found',
    ],
    ['a bad wiki page name', json({ reason: 'INVALID_PAGE_NAME' }, 400), 'bad-input', 'INVALID_PAGE_NAME'],
    [
      'a quarantined community',
      json({ reason: 'quarantined', quarantine_message: 'Doubtful.', message: 'Forbidden' }, 403),
      'restricted',
      'quarantined: Doubtful.',
    ],
    [
      'a private community',
      json({ reason: 'private', message: 'Forbidden', error: 403 }, 403),
      'private',
      'private: Forbidden',
    ],
    ['a 403 with a message', json({ message: 'Forbidden', error: 403 }, 403), 'private', '403: Forbidden'],
    ['a 403 without a message', json({ error: 403 }, 403), 'private', '403'],
    [
      'a reason named like a property of all objects',
      json({ reason: 'constructor' }, 403),
      'private',
      'constructor',
    ],
    [
      'a 401',
      json({ message: 'Unauthorized', error: 401 }, 401),
      'source-login-required',
      '401: Unauthorized',
    ],
    [
      'broken JSON',
      text('{"kind":"Listing","data":{'),
      'source-changed',
      'other text instead of JSON, status 200',
    ],
    [
      'deeply nested JSON that is not closed',
      text('{"data":'.repeat(200_000)),
      'source-changed',
      'other text instead of JSON, status 200',
    ],
    ['nothing', text(' \n '), 'source-changed', 'an empty response instead of JSON, status 200'],
    [
      'another page',
      text(page('lamps : secret query')),
      'source-changed',
      'a page instead of JSON, status 200',
    ],
  ])('%s', (_, answer, code, words) => {
    const error = errorOf(answer)
    expect([error.code, error.message]).toEqual([code, words])
  })
})

const ASKED = '/r/lamps/hot.json'
const PART = 'community-more-posts/hot/'
const hot = (exchanges: readonly Exchange[], input: object = {}) =>
  visit('forum.community.hot', { community: 'lamps', ...input }, exchanges)
/** Visitors are refused JSON. */
const refused: Exchange = { request: ASKED, ...BLOCKED }

describe('a part that refuses the community or user ends the run, and no other route is asked', () => {
  test.each<[title: string, SourceErrorCode, words: string]>([
    ['Sorry, nobody on Reddit goes by that name.', 'not-found', 'nobody on Reddit goes by that name'],
    ['This account has been suspended', 'not-found', 'suspended'],
    ['r/lamps has been banned from Reddit', 'not-found', 'banned'],
    ['Community not found', 'not-found', 'Community not found'],
    ['There aren’t any communities on Reddit with that name.', 'not-found', 'aren’t any communities'],
    ['r/lamps is a PRIVATE community', 'private', 'PRIVATE community'],
    ['r/lamps is a quarantined\n community', 'restricted', 'quarantined'],
  ])('%s', async (title, code, words) => {
    for (const status of [200, 403, 404]) {
      const { error, requests } = await hot([part(PART, forbidden(title), status)])
      expect([error?.code, error?.message, requests.length]).toEqual([code, words, 1])
    }
  })

  test.each<[what: string, Exchange, SourceErrorCode]>([
    ['an age gate', part(PART, '<xpromo-nsfw-blocking-modal></xpromo-nsfw-blocking-modal>'), 'restricted'],
    ['a private community, as JSON', part(PART, '{"reason":"private","error":403}', 403), 'private'],
    ['a banned community, as JSON', part(PART, '{"reason":"banned","error":404}', 404), 'not-found'],
    ['a redirect to the community search', redirect('/subreddits/search?q=lamps'), 'not-found'],
    ['a redirect to the age question', redirect('https://old.reddit.com/over18?dest=x'), 'restricted'],
    ['too many requests', { request: `/svc/shreddit/${PART}`, status: 429, body: '' }, 'source-rate-limited'],
  ])('%s', async (_, exchange, code) => {
    const { error, requests } = await hot([exchange])
    expect([error?.code, new Set(requests.map(({ url }) => url)).size]).toEqual([code, 1])
  })
})

function redirect(location: string): Exchange {
  return { request: `/svc/shreddit/${PART}`, status: 302, headers: { location } }
}

describe('a part that is no part leads to the JSON, and its code is that of the run if that is refused too', () => {
  test.each<[what: string, Exchange, SourceErrorCode]>([
    ['a script check', part(PART, page('Reddit - Please wait for verification')), 'source-blocked'],
    [
      'a captcha',
      part(PART, page('Reddit', '<reputation-recaptcha></reputation-recaptcha>')),
      'source-blocked',
    ],
    ['network security', part(PART, page('', 'blocked by network security'), 403), 'source-blocked'],
    ['a 403 without words', part(PART, '', 403), 'source-blocked'],
    ['a redirect to a script check', redirect('/r/lamps/?js_challenge=1'), 'source-blocked'],
    ['a redirect to the sign-in', redirect('/login/?dest=x'), 'source-login-required'],
    ['a redirect to another host', redirect('https://evil.example/'), 'source-redirected'],
    ['a 404 without words', part(PART, page('page not found'), 404), 'source-changed'],
    ['a 404 as JSON', part(PART, '{"message":"Not Found","error":404}', 404), 'source-changed'],
    ['a 400', part(PART, page('Bad request'), 400), 'source-changed'],
    ['a 410', part(PART, '', 410), 'source-changed'],
    ['a 405', part(PART, '', 405), 'source-changed'],
    ['other words of a refusal', part(PART, forbidden('Something else'), 404), 'source-changed'],
    ['another page', part(PART, page('Reddit')), 'source-changed'],
    ['only an advert', part(PART, '<shreddit-ad-post id="t3_ad1"></shreddit-ad-post>'), 'source-changed'],
    ['nothing', part(PART, ''), 'source-changed'],
    ['JSON', part(PART, '{}'), 'source-changed'],
    ['a page of a million nodes', part(PART, '<b>'.repeat(2_000_000)), 'source-changed'],
    ['posts without an id', part(PART, shownPost(1, { id: undefined })), 'source-changed'],
    [
      'an error of a proxy',
      { request: `/svc/shreddit/${PART}`, status: 502, body: '' },
      'source-unavailable',
    ],
  ])('%s', async (_, exchange, code) => {
    const { error, items, requests } = await hot([exchange, refused])
    expect([error?.code, items, requests.at(-1)?.url]).toEqual([
      code,
      [],
      `https://www.reddit.com${ASKED}?raw_json=1`,
    ])
    expect(error?.message).toStartWith('feed part: ')
    expect(error?.message).toEndWith('; visitor: blocked by network security')
  })

  test('a redirect to a whole page is no part, even if it has posts', async () => {
    const { error, items } = await hot([
      redirect('/r/lamps/'),
      { request: '/r/lamps/', body: shownPost(1) },
      refused,
    ])
    expect([error?.code, items]).toEqual(['source-changed', []])
  })
})

test.each([
  ['a JSON refusal', { status: 403, json: { reason: 'private', error: 403 } }, 'private'],
  ['a missing community', { status: 404, json: { message: 'Not Found', error: 404 } }, 'not-found'],
])('%s of the JSON is an answer, although the part was blocked', async (_, answer, code) => {
  const { error } = await hot([
    part(PART, page('Please wait for verification')),
    { request: ASKED, ...answer },
  ])
  expect(error?.code).toBe(code as SourceErrorCode)
})

describe('texts are decoded from escaped and raw responses', () => {
  const escaped = (value: string) =>
    value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const title = 'Fish & chips <b>, &amp; "x" \\ &lt;'
  const url = 'https://a.example/?a=1&b=2'
  const answer = JSON.stringify({ data: { children: [{ kind: 't3', data: { id: 'p1', title, url } }] } })

  test.each([
    ['escaped', escaped(answer)],
    ['escaped, with JSON escapes as some proxies write them', escaped(answer).replaceAll('&', '\\u0026')],
    ['raw', answer],
    [
      'raw, with JSON escapes as some proxies write them',
      answer.replace(/[&<>]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
    ],
  ])('%s', async (_, body) => {
    const { items } = await run('forum.community.hot', { community: 'lamps' }, [{ request: ASKED, body }])
    expect(items[0]).toMatchObject({ title, url })
  })
})
