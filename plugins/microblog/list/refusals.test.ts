/** Failures instead of lists and pages are recognized. */
import { describe, expect, test } from 'bun:test'
import type { Reply, SourceErrorCode } from 'gleaner/plugin'
import { SourceError } from 'gleaner/plugin'
import { page, postEntry, searched } from '../fixtures/sample.ts'
import source from '../source.ts'
import { listJson } from './refusals.ts'

type Limits = Readonly<Record<string, string>>
const replyOf = (status: number, body: unknown, headers: Limits = {}): Reply => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { status, headers: new Headers(headers), text: async () => text } as Reply
}
async function endOf(status: number, body: unknown, headers?: Limits) {
  const error = await listJson(replyOf(status, body, headers)).then(
    () => null,
    (reason) => reason,
  )
  if (error !== null && !(error instanceof SourceError)) throw error
  return error
}
const errorAnswer = (...codes: number[]) => ({
  errors: codes.map((code) => ({ code, message: `code ${code}` })),
  data: {},
})
/** An error without a code. */
const worded = (message: string) => ({ errors: [{ message }], data: {} })

describe('a response', () => {
  test.each<[number, unknown, SourceErrorCode]>([
    [401, errorAnswer(32), 'source-login-required'],
    [403, errorAnswer(32), 'source-login-required'],
    [200, errorAnswer(32), 'source-login-required'],
    [401, errorAnswer(89), 'source-login-required'],
    [403, errorAnswer(64), 'source-login-required'],
    [200, errorAnswer(326), 'source-login-required'],
    [403, errorAnswer(326), 'source-login-required'],
    [401, {}, 'source-login-required'],
    [403, {}, 'source-login-required'],
    [200, worded('To protect our users, this account is temporarily locked.'), 'source-login-required'],
    [403, errorAnswer(353), 'source-unavailable'],
    [200, worded('LoadShed: this request was shed'), 'source-unavailable'],
    [200, { ...worded('LoadShed: x'), data: { search_by_raw_query: null } }, 'source-unavailable'],
    [200, worded('Timeout: Unspecified'), 'source-unavailable'],
    [200, worded('An error of next year'), 'source-unavailable'],
    [500, worded('An error of next year'), 'source-unavailable'],
    [400, worded('An error of next year'), 'source-changed'],
    [403, worded('An error of next year'), 'source-blocked'],
    [429, errorAnswer(88), 'source-rate-limited'],
    [200, errorAnswer(88), 'source-rate-limited'],
    [429, 'Rate limit exceeded\n', 'source-rate-limited'],
    [200, errorAnswer(214), 'bad-input'],
    [400, errorAnswer(214), 'bad-input'],
    [200, errorAnswer(144), 'not-found'],
    [404, errorAnswer(34), 'not-found'],
    [200, errorAnswer(29), 'source-unavailable'],
    [200, errorAnswer(7, 131), 'source-unavailable'],
    [503, errorAnswer(130), 'source-unavailable'],
    [500, '', 'source-unavailable'],
    [502, '<title>Bad gateway</title>', 'source-unavailable'],
    [503, '<title>Just a moment...</title>', 'source-blocked'],
    [404, '', 'source-changed'],
    [404, '<html><title>X</title></html>', 'source-blocked'],
    [403, '', 'source-blocked'],
    [404, {}, 'source-changed'],
    [400, errorAnswer(336), 'source-changed'],
    [200, errorAnswer(37), 'source-changed'],
    [403, errorAnswer(37), 'source-blocked'],
    [400, '<html><body>Bad request</body></html>', 'source-blocked'],
    [403, '<html><title>Attention Required! | Cloudflare</title></html>', 'source-blocked'],
    [200, { ...errorAnswer(88), data: { home: { home_timeline_urt: {} } } }, 'source-rate-limited'],
    [200, { ...errorAnswer(131), data: { home: { home_timeline_urt: {} } } }, 'source-unavailable'],
    [200, { data: { home: { home_timeline_urt: {} } } }, 'source-changed'],
    [200, { ...errorAnswer(131), ...searched() }, 'source-unavailable'],
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
    expect((await endOf(200, errorAnswer(7, 214)))?.message).toBe('214: code 214')
  })

  test('with a list is no failure, whatever errors accompany it', async () => {
    expect(await endOf(200, { ...errorAnswer(326), ...searched(page([postEntry(1)], 'a')) })).toBeNull()
  })
})

describe('a limit', () => {
  const limitHeaders = (remaining: string) => ({
    'x-rate-limit-remaining': remaining,
    'x-rate-limit-reset': '1795600800',
  })
  test.each<[number, unknown, Limits, string]>([
    [429, errorAnswer(88), limitHeaders('0'), '88: code 88 (until 2026-11-25T10:00:00Z)'],
    [429, 'Rate limit exceeded', limitHeaders('0'), 'status 429 (until 2026-11-25T10:00:00Z)'],
    [200, { data: {} }, limitHeaders('0'), 'status 200 (until 2026-11-25T10:00:00Z)'],
    [429, errorAnswer(88), limitHeaders('17'), '88: code 88 (the site holds the account back)'],
    [429, '', {}, 'status 429'],
  ])('with status %i says when it ends: %j', async (status, body, headers, message) => {
    const error = await endOf(status, body, headers)
    expect([error?.code, error?.message]).toEqual(['source-rate-limited', message])
  })

  test('that is reached with a list concerns the next request only', async () => {
    expect(await endOf(200, searched(page([postEntry(1)], 'a')), limitHeaders('0'))).toBeNull()
  })
})

test.each([
  ['https://x.com/i/flow/login', true],
  ['https://x.com/i/flow/login?redirect_after_login=%2Fhome', true],
  ['https://x.com/login', true],
  ['https://twitter.com/login?x', true],
  ['https://x.com/i/jf/onboarding/web?x=1&mode=login', true],
  ['https://x.com/account/access', true],
  ['https://x.com/home', false],
  ['https://x.com/loginlamps', false],
  ['https://x.com/search?q=/i/flow/login', false],
  ['https://evilx.com/login', false],
])('an interstitial: %s %p', (url, isInterstitial) => {
  expect(source.interstitials?.some((interstitial) => interstitial.url.test(url))).toBe(isInterstitial)
})
