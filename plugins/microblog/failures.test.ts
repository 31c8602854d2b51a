/** Failures instead of lists and pages are recognized. */
import { describe, expect, test } from 'bun:test'
import type { Reply, SourceErrorCode } from 'gleaner/plugin'
import { SourceError } from 'gleaner/plugin'
import { documentFailure, emptyPage, listJson, READ_STATUSES } from './failures.ts'
import { page, postEntry, searched } from './fixtures/sample.ts'
import source from './source.ts'

const replyOf = (status: number, body: unknown): Reply =>
  ({ status, text: async () => (typeof body === 'string' ? body : JSON.stringify(body)) }) as Reply
async function endOf(status: number, body: unknown) {
  const error = await listJson(replyOf(status, body)).then(
    () => null,
    (thrown) => thrown,
  )
  if (error !== null && !(error instanceof SourceError)) throw error
  return error
}
const failed = (...codes: number[]) => ({
  errors: codes.map((code) => ({ code, message: `code ${code}` })),
  data: {},
})

describe('a response', () => {
  test.each<[number, unknown, SourceErrorCode]>([
    [401, failed(32), 'source-login-required'],
    [403, failed(32), 'source-login-required'],
    [200, failed(32), 'source-login-required'],
    [401, failed(89), 'source-login-required'],
    [403, failed(64), 'source-login-required'],
    [403, failed(353), 'source-login-required'],
    [200, failed(326), 'source-login-required'],
    [403, failed(326), 'source-login-required'],
    [401, {}, 'source-login-required'],
    [429, failed(88), 'source-rate-limited'],
    [200, failed(88), 'source-rate-limited'],
    [429, 'Rate limit exceeded\n', 'source-rate-limited'],
    [200, failed(214), 'bad-input'],
    [400, failed(214), 'bad-input'],
    [200, failed(144), 'not-found'],
    [404, failed(34), 'not-found'],
    [200, failed(29), 'source-unavailable'],
    [200, failed(7, 131), 'source-unavailable'],
    [503, failed(130), 'source-unavailable'],
    [500, '', 'source-unavailable'],
    [502, '<title>Bad gateway</title>', 'source-unavailable'],
    [503, '<title>Just a moment...</title>', 'source-blocked'],
    [404, '', 'source-changed'],
    [404, {}, 'source-changed'],
    [400, failed(336), 'source-changed'],
    [200, failed(37), 'source-changed'],
    [403, failed(37), 'source-blocked'],
    [400, '<html><body>Bad request</body></html>', 'source-blocked'],
    [403, '<html><title>Attention Required! | Cloudflare</title></html>', 'source-blocked'],
    [200, { ...failed(88), data: { home: { home_timeline_urt: {} } } }, 'source-rate-limited'],
    [200, { ...failed(131), data: { home: { home_timeline_urt: {} } } }, 'source-unavailable'],
    [200, { data: { home: { home_timeline_urt: {} } } }, 'source-changed'],
    [200, { ...failed(131), ...searched() }, 'source-unavailable'],
    [200, '<html><title>Just a moment...</title></html>', 'source-blocked'],
    [200, '<html><title>Home</title></html>', 'source-changed'],
    [200, '', 'source-changed'],
    [200, '{"data": [', 'source-changed'],
    [200, 'null', 'source-changed'],
    [200, '[]', 'source-changed'],
    [200, { errors: 'x', data: null }, 'source-changed'],
  ])('with status %i: %j', async (status, body, code) => {
    expect((await endOf(status, body))?.code).toBe(code)
  })

  test('reports the message of the site', async () => {
    expect((await endOf(200, failed(7, 214)))?.message).toBe('214: code 214')
  })

  test('with a list is no failure, whatever errors accompany it', async () => {
    expect(await endOf(200, { ...failed(326), ...searched(page([postEntry(1)], 'a')) })).toBeNull()
  })
})

describe('a document', () => {
  test.each<[number, string, SourceErrorCode | undefined]>([
    [200, '<title>Just a moment...</title>', undefined],
    [400, '<p>x</p>', 'source-blocked'],
    [403, '<p>x</p>', 'source-blocked'],
    [401, '<p>x</p>', 'source-blocked'],
    [404, '<p>x</p>', 'source-changed'],
    [503, '<p>x</p>', 'source-unavailable'],
    [503, '<title>Just a moment...</title>', 'source-blocked'],
  ])('with status %i: %s', (status, html, code) => {
    expect(documentFailure(status, html)?.code).toBe(code)
    // Only documents with these statuses are checked here. The kit handles all others.
    expect(status === 200 || READ_STATUSES.includes(status)).toBe(true)
  })
})

describe('a page that shows nothing', () => {
  const state = (session: object) =>
    `<script>window.__INITIAL_STATE__=${JSON.stringify({ session })};x()</script>`
  test.each<[string, SourceErrorCode]>([
    [state({ user_id: '7' }), 'source-changed'],
    [state({}), 'source-login-required'],
    [state({ user_id: '' }), 'source-login-required'],
    ['<title>Just a moment...</title>', 'source-blocked'],
    ['<title>www</title><div id="px-captcha"></div>', 'source-blocked'],
    ['', 'source-changed'],
    ['<meta name="robots"><title>Welcome</title>', 'source-changed'],
    ['<p>Something went wrong. Try reloading.</p>', 'source-changed'],
  ])('%s', (html, code) => {
    expect(emptyPage(html, 'nothing').code).toBe(code)
  })
})

test.each([
  ['https://x.com/i/flow/login', true],
  ['https://x.com/i/flow/login?redirect_after_login=%2Fhome', true],
  ['https://x.com/login', true],
  ['https://twitter.com/login?x', true],
  ['https://x.com/account/access', true],
  ['https://x.com/home', false],
  ['https://x.com/loginlamps', false],
  ['https://x.com/search?q=/i/flow/login', false],
  ['https://evilx.com/login', false],
])('an interstitial: %s %p', (url, isInterstitial) => {
  expect(source.interstitials?.some((interstitial) => interstitial.url.test(url))).toBe(isInterstitial)
})
