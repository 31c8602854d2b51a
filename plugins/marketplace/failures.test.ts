import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { type Exchange, runTask } from 'gleaner/plugin/testing'
import { home, pageOf, row, run, tasks } from './fixtures/sample.ts'
import { search } from './search.ts'
import source from './source.ts'

const expired = { code: 100, message: 'Ungültiges Token', message_code: 'invalid_authentication_token' }
const datadome = { url: 'https://geo.captcha-delivery.com/captcha/?initialCid=AHrlqAAA' }
const datadomePage =
  '<html><head><title>vinted</title></head><body><script src="https://ct.captcha-delivery.com/c.js"></script></body></html>'
const cloudflarePage =
  '<!DOCTYPE html><title>Just a moment...</title><script src="/cdn-cgi/challenge-platform/h/b/orchestrate"></script>'
const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`

/** Responses that the API may return instead of a list, with the error of each. */
const failures: readonly (readonly [string, Omit<Exchange, 'request'>, SourceErrorCode])[] = [
  ['403 with the captcha of DataDome as JSON', { status: 403, json: datadome }, 'source-blocked'],
  ['200 with the captcha of DataDome as JSON', { json: datadome }, 'source-blocked'],
  ['403 with the captcha page of DataDome', { status: 403, body: datadomePage }, 'source-blocked'],
  ['403 with the challenge page of Cloudflare', { status: 403, body: cloudflarePage }, 'source-blocked'],
  ['403 with an empty body', { status: 403 }, 'source-blocked'],
  ['200 with a page', { body: '<!DOCTYPE html><title>Welcome</title>' }, 'source-blocked'],
  ['code 102, IP blocked', { status: 403, json: { code: 102, message: 'IP blocked' } }, 'source-blocked'],
  ['code 106, access denied', { status: 403, json: { code: 106, message: 'Access denied' } }, 'private'],
  ['code 104, not found', { status: 404, json: { code: 104, message: 'Not found' } }, 'not-found'],
  ['code 104 with status 200', { json: { code: 104, message: 'Not found' } }, 'not-found'],
  [
    'code 21, login required',
    { status: 401, json: { code: 21, message: 'Log in' } },
    'source-login-required',
  ],
  ['404 with a page', { status: 404, body: '<h1>Page not found</h1>' }, 'not-found'],
  ['404 with a page that carries scripts of Cloudflare', { status: 404, body: cloudflarePage }, 'not-found'],
  ['410', { status: 410 }, 'not-found'],
  ['400 with a reason', { status: 400, json: { code: 99, message: 'Bad order' } }, 'bad-input'],
  ['422 with an empty body', { status: 422 }, 'bad-input'],
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
    { status: 302, headers: { location: '/member/signup/select_type?ref_url=%2F' } },
    'source-login-required',
  ],
  [
    'a redirect to another host',
    { status: 302, headers: { location: 'https://evil.example/' } },
    'source-redirected',
  ],
]

describe.each(tasks)('%s never takes a failure for an empty list:', (_, task, input, path) => {
  test.each(failures)('%s', async (_, answer, code) => {
    // After a 404, the member search is requested from a second place.
    const exchanges = [path, '/api/v2/users/search'].map((request) => ({ request, ...answer }))
    const { items, error } = await run(task, input, exchanges)
    expect([items.length, error?.code]).toEqual([0, code])
  })
})

test.each(tasks)('%s keeps the earlier items when a later page fails', async (_, task, input, path, list) => {
  const { items, rest, error } = await run(task, { ...input, pages: 3 }, [
    { request: `${path}?page=1`, json: pageOf(list, [1, 2], { total_pages: 3 }) },
    { request: `${path}?page=2`, status: 403, body: datadomePage },
  ])
  expect([items.length, error?.code]).toEqual([2, 'source-blocked'])
  expect(rest).toEqual({ next_cursor: null, partial: true, total_entries: null, total_pages: null })
})

test.each(tasks)(
  '%s never repeats the input of the client in an error message',
  async (_, task, input, path) => {
    const sent = { ...input, ...('query' in input ? { query: 'secret-words' } : {}) }
    const page = '<title>secret-words</title>'
    const { error } = await run(task, sent, [{ request: path, body: page }])
    expect(error?.message).toBe('200: an unexpected page')
  },
)

test.each([
  [403, datadomePage, '403: a captcha page (DataDome)'],
  [403, cloudflarePage, '403: a challenge page (Cloudflare)'],
])('the message of a block with status %p names its kind', async (status, body, message) => {
  const { error } = await run(search, { query: 'lamp' }, [{ request: '/api/v2/catalog/items', status, body }])
  expect(error?.message).toBe(message)
})

test('the error message contains the code and the message of the source', async () => {
  const json = { code: 102, message: 'IP blocked', message_code: 'ip_blocked' }
  const { error } = await run(search, { query: 'lamp' }, [
    { request: '/api/v2/catalog/items', status: 403, json },
  ])
  expect(error?.message).toBe('code 102 (ip_blocked): IP blocked')
})

describe('the session', () => {
  const path = '/api/v2/catalog/items'
  const good: Exchange = { request: path, json: { items: [row(1)], pagination: { total_pages: 1 } } }
  const none: Exchange = { request: path, status: 401, json: expired }
  const pathsOf = (requests: readonly { url: string }[]) => requests.map(({ url }) => new URL(url).pathname)

  test('is opened once for all pages', async () => {
    const pages = [1, 2, 3].map((n) => ({
      request: `${path}?page=${n}`,
      json: pageOf('items', [n], { total_pages: 3 }),
    }))
    const { requests } = await run(search, { query: 'lamp', pages: 3 }, pages)
    expect(pathsOf(requests)).toEqual(['/', path, path, path])
  })

  test.each<[string, Exchange]>([
    ['401, code 100', none],
    ['code 100 with another status', { ...none, status: 400 }],
    ['401 without a code', { request: path, status: 401, body: '' }],
  ])('is renewed when it has expired: %s', async (_, answer) => {
    const { items, error, requests } = await run(search, { query: 'lamp' }, [answer, home, good])
    expect([error, items.length]).toEqual([null, 1])
    expect(pathsOf(requests)).toEqual(['/', path, '/', path])
  })

  test('is renewed between two pages, and the page is read again', async () => {
    const { items, error, requests } = await run(search, { query: 'lamp', pages: 2 }, [
      { request: `${path}?page=1`, json: pageOf('items', [1], { total_pages: 2 }) },
      none,
      home,
      { request: `${path}?page=2`, json: pageOf('items', [2], { total_pages: 2 }) },
    ])
    expect([error, items.map(({ id }) => id)]).toEqual([null, ['1', '2']])
    expect(pathsOf(requests)).toEqual(['/', path, path, '/', path])
  })

  test('is renewed once per run: a second refusal ends the run', async () => {
    const { error, requests } = await run(search, { query: 'lamp' }, [none, home, none])
    expect([error?.code, error?.message]).toEqual([
      'source-blocked',
      'code 100 (invalid_authentication_token): Ungültiges Token',
    ])
    expect(pathsOf(requests)).toEqual(['/', path, '/', path])
    const later = await run(search, { query: 'lamp', pages: 2 }, [
      { ...none, request: `${path}?page=1` },
      home,
      { request: `${path}?page=1`, json: pageOf('items', [1], { total_pages: 2 }) },
      { ...none, request: `${path}?page=2` },
    ])
    expect([later.error?.code, later.items.length, later.requests.length]).toEqual(['source-blocked', 1, 5])
  })

  test.each<[string, Omit<Exchange, 'request'>, SourceErrorCode]>([
    ['a captcha', { status: 403, body: datadomePage }, 'source-blocked'],
    ['a challenge', { status: 403, body: cloudflarePage }, 'source-blocked'],
    ['429', { status: 429 }, 'source-rate-limited'],
    ['503', { status: 503 }, 'source-unavailable'],
    [
      'a redirect to the captcha',
      { status: 302, headers: { location: 'https://geo.captcha-delivery.com/captcha/' } },
      'source-blocked',
    ],
  ])('a home page that refuses with %s ends the run without other requests', async (_, answer, code) => {
    const exchanges: Exchange[] = [{ request: '/', ...answer }]
    const { error, requests } = await runTask(search, { query: 'lamp' }, { source, exchanges })
    expect([error?.code, new Set(requests.map(({ url }) => url)).size]).toEqual([code, 1])
  })

  test.each<[string, Omit<Exchange, 'request'>]>([
    ['404', { status: 404 }],
    ['404 with a page', { status: 404, body: '<h1>Not found</h1>' }],
    ['410', { status: 410 }],
    ['401 in JSON', { status: 401, json: expired }],
    ['403 with an empty body', { status: 403 }],
    ['400', { status: 400, body: 'Bad request' }],
  ])('the API is requested even if the home page fails with %s', async (_, answer) => {
    const exchanges: Exchange[] = [{ request: '/', ...answer }, good]
    const { error, items } = await runTask(search, { query: 'lamp' }, { source, exchanges })
    expect([error, items.length]).toEqual([null, 1])
  })
})
