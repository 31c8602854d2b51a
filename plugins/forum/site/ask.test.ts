/** What comes in place of JSON has the code of what it says, and is never taken for a success. */
import { describe, expect, test } from 'bun:test'
import { SourceError, type SourceErrorCode } from 'gleaner/plugin'
import { run } from '../fixtures/sample.ts'
import { type Answer, jsonOf } from './ask.ts'

const REQUEST = '/r/lamps/hot.json'
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

describe('texts are decoded from escaped and raw responses', () => {
  const escapeHtml = (value: string) =>
    value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const title = 'Fish & chips <b>, &amp; "x" \\ &lt;'
  const url = 'https://a.example/?a=1&b=2'
  const children = [{ kind: 't3', data: { id: 'p1', title, url } }]
  const answer = JSON.stringify({ data: { after: null, children } })

  test.each([
    ['escaped', escapeHtml(answer)],
    ['escaped, with JSON escapes as some proxies write them', escapeHtml(answer).replaceAll('&', '\\u0026')],
    ['raw', answer],
    [
      'raw, with JSON escapes as some proxies write them',
      answer.replace(/[&<>]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
    ],
  ])('%s', async (_, body) => {
    const { items } = await run('forum.community.hot', { community: 'lamps' }, [{ request: REQUEST, body }])
    expect(items[0]).toMatchObject({ title, url })
  })
})
