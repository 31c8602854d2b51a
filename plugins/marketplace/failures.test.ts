import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { closedRoute, type Exchange } from 'gleaner/plugin/testing'
import { search } from './catalog/search.ts'
import { API, GATEWAY, home, PAGE, pageOf, run, tasks } from './fixtures/sample.ts'
import { memberItems } from './members/member-items.ts'

const datadome = { url: 'https://geo.captcha-delivery.com/captcha/?initialCid=AHrlqAAA' }
const datadomePage =
  '<html><head><title>vinted</title></head><body><script src="https://ct.captcha-delivery.com/c.js"></script></body></html>'
const cloudflarePage =
  '<!DOCTYPE html><title>Just a moment...</title><script src="/cdn-cgi/challenge-platform/h/b/orchestrate"></script>'
const clientChallenge =
  '<!DOCTYPE html><title>Client Challenge</title><noscript>Please enable JavaScript.</noscript>'
const ordinaryPage =
  '<title>Page not found</title><script src="https://js.datadome.co/tags.js"></script><script src="/cdn-cgi/challenge-platform/x"></script>'
const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`

/** Responses that all addresses may return, with the error of each, and that of a wardrobe where it differs. */
const failures: readonly (readonly [string, Omit<Exchange, 'request'>, SourceErrorCode, SourceErrorCode?])[] =
  [
    ['403 with the captcha of DataDome as JSON', { status: 403, json: datadome }, 'source-blocked'],
    ['200 with the captcha of DataDome as JSON', { json: datadome }, 'source-blocked'],
    ['403 with the captcha page of DataDome', { status: 403, body: datadomePage }, 'source-blocked'],
    ['200 with the captcha page of DataDome', { body: datadomePage }, 'source-blocked'],
    ['403 with the challenge page of Cloudflare', { status: 403, body: cloudflarePage }, 'source-blocked'],
    ['404 with the challenge page of Cloudflare', { status: 404, body: cloudflarePage }, 'source-blocked'],
    [
      '403 with the mark of Cloudflare among its headers',
      { status: 403, headers: { 'cf-mitigated': 'challenge' }, json: {} },
      'source-blocked',
    ],
    ['200 with a challenge', { body: clientChallenge }, 'source-blocked'],
    ['403 with an empty body', { status: 403 }, 'source-blocked'],
    ['200 with a page', { body: '<!DOCTYPE html><title>Welcome</title>' }, 'source-blocked'],
    ['405', { status: 405 }, 'source-blocked'],
    ['406', { status: 406, json: {} }, 'source-blocked'],
    ['418', { status: 418, body: '<h1>Teapot</h1>' }, 'source-blocked'],
    ['451', { status: 451 }, 'source-blocked'],
    [
      'code 100, no session, also after a renewal',
      { status: 401, json: { code: 100, message: 'Ungültiges Token' } },
      'source-blocked',
    ],
    [
      'code FORBIDDEN',
      { status: 403, json: { code: 'FORBIDDEN', message: 'Access denied' } },
      'source-blocked',
    ],
    ['code 102, IP blocked', { status: 403, json: { code: 102, message: 'IP blocked' } }, 'source-blocked'],
    [
      'code 106, access denied',
      { status: 403, json: { code: 106, message: 'Access denied' } },
      'source-blocked',
      'private',
    ],
    [
      'code 104, not found',
      { status: 404, json: { code: 104, message: 'Not found' } },
      'source-changed',
      'not-found',
    ],
    [
      'code 104 with status 200',
      { json: { code: 104, message: 'Not found' } },
      'source-changed',
      'not-found',
    ],
    ['404 with a page', { status: 404, body: ordinaryPage }, 'source-changed', 'not-found'],
    ['410', { status: 410 }, 'source-changed'],
    ['400 with a word', { status: 400, json: { code: 'BAD_REQUEST' } }, 'source-changed'],
    ['400 with a number', { status: 400, json: { code: 99, message: 'Bad order' } }, 'source-changed'],
    ['422 with an empty body', { status: 422 }, 'source-changed'],
    [
      'code 21, login required',
      { status: 401, json: { code: 21, message: 'Log in' } },
      'source-login-required',
    ],
    ['429', { status: 429 }, 'source-rate-limited'],
    ['502', { status: 502, body: '<h1>Bad gateway</h1>' }, 'source-unavailable'],
    ['an unknown code with status 200', { json: { code: 7, items: [], users: [] } }, 'source-changed'],
    ['an empty body', { body: '' }, 'source-changed'],
    ['broken JSON', { body: '{"items":[{"id":1},' }, 'source-changed'],
    ['other text', { body: 'OK' }, 'source-changed'],
    ['null', { body: 'null' }, 'source-changed'],
    ['a list', { body: '[]' }, 'source-changed'],
    ['deeply nested JSON', { body: deep }, 'source-changed'],
    ['JSON without the list', { json: { code: 0, pagination: { total_entries: 0 } } }, 'source-changed'],
    ['objects instead of the lists', { json: { items: {}, users: {}, code: 0 } }, 'source-changed'],
    ['rows without ids', { json: { items: [{ title: 'x' }], users: [{ login: 'x' }] } }, 'source-changed'],
    ['rows that are not objects', { json: { items: [null], users: [7] } }, 'source-changed'],
    [
      'an empty list with a count of 12',
      { json: { items: [], users: [], pagination: { total_entries: 12 } } },
      'source-changed',
    ],
    ['an empty list without a count', { json: { items: [], users: [] } }, 'source-changed'],
    [
      'a redirect to the captcha',
      { status: 302, headers: { location: 'https://geo.captcha-delivery.com/captcha/?x=1' } },
      'source-blocked',
    ],
    [
      'a redirect to the sign-in page',
      {
        status: 302,
        headers: { location: 'https://www.vinted.co.uk/member/signup/select_type?ref_url=%2F' },
      },
      'source-login-required',
    ],
    [
      'a redirect to another host',
      { status: 302, headers: { location: 'https://evil.example/' } },
      'source-redirected',
    ],
  ]

describe.each(tasks)(
  '%s never takes a failure for an empty list or the client’s fault:',
  (_, task, input, addresses) => {
    test.each(failures)('%s', async (_, answer, code, ofWardrobe = code) => {
      const exchanges = addresses.map((request) => ({ request, ...answer, repeats: true }))
      const { items, error } = await run(task, input, [home, ...exchanges])
      expect([items.length, error?.code]).toEqual([0, task.key === memberItems.key ? ofWardrobe : code])
    })
  },
)

test.each(tasks)(
  '%s keeps the earlier items when a later page fails',
  async (_, task, input, addresses, list) => {
    const { items, rest, error } = await run(task, { ...input, pages: 3 }, [
      { request: `${addresses[0]}?page=1`, json: pageOf(list, [1, 2], { total_pages: 3 }) },
      ...addresses.map((request) => ({ ...closedRoute(request), body: datadomePage })),
    ])
    expect([items.length, error?.code]).toEqual([2, 'source-blocked'])
    expect(rest).toEqual({ next_cursor: null, partial: true, total_entries: null, total_pages: null })
  },
)

test.each(tasks)(
  '%s never repeats the input of the client in an error message',
  async (_, task, input, addresses) => {
    const secretInput = { ...input, ...('query' in input ? { query: 'secret-words' } : {}) }
    const page = '<title>secret-words robot captcha</title>'
    const exchanges = addresses.map((request) => ({ ...closedRoute(request), status: 200, body: page }))
    const { error } = await run(task, secretInput, exchanges)
    expect(error?.message).toContain('200: an unexpected page')
    expect(error?.message).not.toContain('secret-words')
  },
)

test('the message of a refused search names each route and says how it was refused', async () => {
  const { error } = await run(search, { query: 'lamp' }, [
    home,
    { request: GATEWAY, status: 403, json: { code: 'FORBIDDEN', message: 'Access denied' }, repeats: true },
    { request: API, status: 403, body: cloudflarePage },
    { request: PAGE, body: clientChallenge },
  ])
  expect(error?.message).toBe(
    'gateway vinted.co.uk: code FORBIDDEN: Access denied; api vinted.co.uk: 403: a challenge page (Cloudflare); page vinted.co.uk: a challenge page',
  )
})
