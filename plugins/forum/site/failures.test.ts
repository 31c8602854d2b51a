/** A part that fails has the code of what it says, and is never taken for a success. */
import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import type { Exchange } from 'gleaner/plugin/testing'
import { BLOCKED, forbidden, part, shownPost } from '../fixtures/parts.ts'
import { visit } from '../fixtures/sample.ts'

const page = (title: string, text = '') =>
  `<!doctype html><html><head><title>${title}</title></head><body>${text}</body></html>`
const REQUEST = '/r/lamps/hot.json'
const PART = 'community-more-posts/hot/'
const hot = (exchanges: readonly Exchange[], input: object = {}) =>
  visit('forum.community.hot', { community: 'lamps', ...input }, exchanges)
/** Visitors are refused JSON. */
const refusal: Exchange = { request: REQUEST, ...BLOCKED }

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
    const { error, items, requests } = await hot([exchange, refusal])
    expect([error?.code, items, requests.at(-1)?.url]).toEqual([
      code,
      [],
      `https://www.reddit.com${REQUEST}?raw_json=1`,
    ])
    expect(error?.message).toStartWith('feed part: ')
    expect(error?.message).toEndWith('; visitor: blocked by network security')
  })

  test('a redirect to a whole page is no part, even if it has posts', async () => {
    const { error, items } = await hot([
      redirect('/r/lamps/'),
      { request: '/r/lamps/', body: shownPost(1) },
      refusal,
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
    { request: REQUEST, ...answer },
  ])
  expect(error?.code).toBe(code as SourceErrorCode)
})
