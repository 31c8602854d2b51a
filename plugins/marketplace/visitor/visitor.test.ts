/** The session of a visitor, tested with the search. */
import { describe, expect, test } from 'bun:test'
import { base64Url, type SourceErrorCode } from 'gleaner/plugin'
import { createMemory, type Exchange, runTask } from 'gleaner/plugin/testing'
import { search } from '../catalog/search.ts'
import { API, GATEWAY, home, PAGE, pageOf, placesOf, row, run } from '../fixtures/sample.ts'
import source from '../source.ts'

const START = Date.parse('2026-11-28T12:00:00Z')
const expired = { code: 100, message: 'Ungültiges Token', message_code: 'invalid_authentication_token' }
const good: Exchange = { request: GATEWAY, json: { items: [row(1)], pagination: { total_pages: 1 } } }
const none: Exchange = { request: GATEWAY, status: 401, json: expired }
const forbidden = { status: 403, json: { code: 'FORBIDDEN', message: 'Access denied' } }
const pathsOf = (requests: readonly { url: string }[]) => requests.map(({ url }) => new URL(url).pathname)
/** A token that is good for some seconds from the start. */
const tokenOf = (seconds: number) => {
  const claims = JSON.stringify({ exp: START / 1000 + seconds, scope: 'public' })
  return `e30.${base64Url(new TextEncoder().encode(claims))}.x`
}
const homeWith = (token: string): Exchange => ({
  ...home,
  headers: { 'set-cookie': `access_token_web=${token}; Domain=.vinted.co.uk; Path=/` },
})
const setting = (url: string, cookies: readonly string[], location?: string) => {
  const headers = new Headers(cookies.map((cookie): [string, string] => ['set-cookie', cookie]))
  if (location !== undefined) headers.set('location', location)
  return {
    url,
    response: () => new Response('home', { status: location === undefined ? 200 : 302, headers }),
  }
}

describe('a session', () => {
  test('is opened once for all pages', async () => {
    const pages = [1, 2, 3].map((n) => ({
      request: `${GATEWAY}?page=${n}`,
      json: pageOf('items', [n], { total_pages: 3 }),
    }))
    const { requests } = await run(search, { query: 'lamp', pages: 3 }, pages)
    expect(pathsOf(requests)).toEqual(['/', GATEWAY, GATEWAY, GATEWAY])
  })

  test('serves later runs for the life of its token, with its cookies', async () => {
    let now = START
    const memory = createMemory(() => now)
    const token = tokenOf(7200)
    const first = { source, exchanges: [homeWith(token), good], memory, now: () => now }
    await runTask(search, { query: 'lamp' }, first)
    now += 7100_000
    const later = await runTask(search, { query: 'lamp' }, { ...first, exchanges: [good] })
    expect(pathsOf(later.requests)).toEqual([GATEWAY])
    expect(later.requests[0]?.headers.cookie).toBe(`access_token_web=${token}`)
    now += 60_000
    const last = await runTask(search, { query: 'lamp' }, { ...first, exchanges: [homeWith('new'), good] })
    expect(pathsOf(last.requests)).toEqual(['/', GATEWAY])
    expect(last.requests[1]?.headers.cookie).toBe('access_token_web=new')
  })

  test('is kept for twenty minutes if its token does not say how long it lives', async () => {
    let now = START
    const memory = createMemory(() => now)
    const options = { source, exchanges: [homeWith('opaque'), good], memory, now: () => now }
    await runTask(search, { query: 'lamp' }, options)
    now += 1199_000
    const { requests } = await runTask(search, { query: 'lamp' }, { ...options, exchanges: [good] })
    expect(pathsOf(requests)).toEqual([GATEWAY])
    now += 1000
    const renewed = await runTask(search, { query: 'lamp' }, options)
    expect(pathsOf(renewed.requests)).toEqual(['/', GATEWAY])
  })

  test('belongs to one domain', async () => {
    const memory = createMemory(Date.now)
    await run(search, { query: 'lamp' }, [good], { memory })
    const french = 'https://www.vinted.fr'
    const exchanges = [
      { ...home, request: `${french}/` },
      { ...good, request: french + GATEWAY },
    ]
    const abroad = await runTask(
      search,
      { query: 'lampe', domain: 'vinted.fr' },
      { source, exchanges, memory },
    )
    expect(pathsOf(abroad.requests)).toEqual(['/', GATEWAY])
  })

  test('belongs to one address: a run at another exit opens its own', async () => {
    const memory = createMemory(Date.now)
    await run(search, { query: 'lamp' }, [good], { memory })
    const elsewhere = { memory, exitMemory: createMemory(Date.now) }
    const { requests } = await run(search, { query: 'lamp' }, [good], elsewhere)
    expect(pathsOf(requests)).toEqual(['/', GATEWAY])
  })

  test('without a token is not kept', async () => {
    const memory = createMemory(Date.now)
    const options = { source, exchanges: [{ request: '/', body: 'home' }, good], memory }
    await runTask(search, { query: 'lamp' }, options)
    expect(pathsOf((await runTask(search, { query: 'lamp' }, options)).requests)).toEqual(['/', GATEWAY])
  })

  test.each([
    ['access_token_web=; Path=/; Max-Age=0', 'access_token_web=a; Domain=.vinted.co.uk; Path=/'],
    ['access_token_web=a; Domain=.vinted.co.uk; Path=/', 'access_token_web=; Path=/'],
  ])(
    'has the cookies of every hop, and of a token that is sent twice the one with a value: %s, %s',
    async (first, second) => {
      const hops = [
        setting('https://www.vinted.co.uk/', [first, second], '/start'),
        setting('https://www.vinted.co.uk/start', ['anon_id=7f; Path=/']),
      ]
      const memory = createMemory(Date.now)
      const fetch = async ({ url }: Request) =>
        hops.find((hop) => hop.url === url)?.response() ??
        Response.json(pageOf('items', [1], { total_pages: 1 }))
      await runTask(search, { query: 'lamp' }, { source, fetch, memory })
      const later = await run(search, { query: 'lamp' }, [good], { memory })
      expect(later.requests[0]?.headers.cookie).toBe('access_token_web=a; anon_id=7f')
    },
  )
})

describe('a session is renewed', () => {
  test.each<[string, Exchange]>([
    ['401, code 100', none],
    ['code 100 with another status', { ...none, status: 400 }],
    ['401 without a code', { request: GATEWAY, status: 401, body: '' }],
    ['403, code FORBIDDEN', { request: GATEWAY, ...forbidden }],
  ])('when the site does not accept it: %s', async (_, answer) => {
    const { items, error, requests } = await run(search, { query: 'lamp' }, [answer, home, good])
    expect([error, items.length]).toEqual([null, 1])
    expect(pathsOf(requests)).toEqual(['/', GATEWAY, '/', GATEWAY])
  })

  test('also when it is from an earlier run, for the later ones', async () => {
    const memory = createMemory(Date.now)
    await run(search, { query: 'lamp' }, [good], { memory })
    const exchanges = [none, homeWith('b'), good]
    const { requests } = await runTask(search, { query: 'lamp' }, { source, exchanges, memory })
    expect(requests.map(({ headers }) => headers.cookie)).toEqual([
      'access_token_web=a',
      undefined,
      'access_token_web=b',
    ])
    const later = await runTask(search, { query: 'lamp' }, { source, exchanges: [good], memory })
    expect(later.requests.map(({ headers }) => headers.cookie)).toEqual(['access_token_web=b'])
  })

  test('by one run for all: a run that meets the end of a session takes the one that another run has opened', async () => {
    const memory = createMemory(Date.now)
    await run(search, { query: 'lamp' }, [good], { memory })
    let asks = 0
    const fetch = async () => {
      if (asks++ > 0) return Response.json(good.json)
      await runTask(search, { query: 'lamp' }, { source, exchanges: [none, homeWith('b'), good], memory })
      return Response.json(expired, { status: 401 })
    }
    const { error, requests } = await runTask(search, { query: 'lamp' }, { source, fetch, memory })
    expect(error).toBeNull()
    expect(requests.map(({ headers }) => headers.cookie)).toEqual([
      'access_token_web=a',
      'access_token_web=b',
    ])
  })

  test('between two pages, and the page is read again', async () => {
    const { items, error, requests } = await run(search, { query: 'lamp', pages: 2 }, [
      { request: `${GATEWAY}?page=1`, json: pageOf('items', [1], { total_pages: 2 }) },
      { ...none, request: `${GATEWAY}?page=2` },
      home,
      { request: `${GATEWAY}?page=2`, json: pageOf('items', [2], { total_pages: 2 }) },
    ])
    expect([error, items.map(({ id }) => id)]).toEqual([null, ['1', '2']])
    expect(pathsOf(requests)).toEqual(['/', GATEWAY, GATEWAY, '/', GATEWAY])
  })

  test('once per run, whatever the routes: the next refusal leads on', async () => {
    const { error, requests } = await run(search, { query: 'lamp' }, [
      none,
      home,
      none,
      { ...none, request: API },
      { request: PAGE, status: 404, body: '' },
    ])
    expect([error?.code, error?.message]).toEqual([
      'source-blocked',
      'gateway vinted.co.uk: code 100 (invalid_authentication_token): Ungültiges Token; api vinted.co.uk: code 100 (invalid_authentication_token): Ungültiges Token; page vinted.co.uk: the source responded with 404',
    ])
    expect(placesOf(requests)).toEqual([
      'www.vinted.co.uk/',
      `www.vinted.co.uk${GATEWAY}`,
      'www.vinted.co.uk/',
      `www.vinted.co.uk${GATEWAY}`,
      'api.vinted.co.uk/svc-catalogue/items',
      `www.vinted.co.uk${PAGE}`,
    ])
  })
})

describe('a home page that refuses', () => {
  const datadome = '<script src="https://ct.captcha-delivery.com/c.js"></script>'
  test.each<[string, Omit<Exchange, 'request'>, SourceErrorCode]>([
    ['a captcha', { status: 403, body: datadome }, 'source-blocked'],
    ['a captcha with status 200', { body: datadome }, 'source-blocked'],
    ['a challenge', { status: 403, body: '<title>Just a moment...</title>' }, 'source-blocked'],
    ['a page and status 403', { status: 403, body: '<h1>No</h1>' }, 'source-blocked'],
    ['503', { status: 503 }, 'source-unavailable'],
    [
      'a redirect to the captcha',
      { status: 302, headers: { location: 'https://geo.captcha-delivery.com/captcha/' } },
      'source-blocked',
    ],
  ])('with %s is not asked again, and the service is not asked at all', async (_, answer, code) => {
    const exchanges: Exchange[] = [
      { request: '/', ...answer },
      { request: PAGE, body: 'OK' },
    ]
    const { error, requests } = await runTask(search, { query: 'lamp' }, { source, exchanges })
    expect([error?.code, [...new Set(pathsOf(requests))]]).toEqual([code, ['/', PAGE]])
  })

  test('with 429 ends the run', async () => {
    const exchanges: Exchange[] = [{ request: '/', status: 429 }]
    const { error, requests } = await runTask(search, { query: 'lamp' }, { source, exchanges })
    expect([error?.code, new Set(pathsOf(requests)).size]).toEqual(['source-rate-limited', 1])
  })

  test.each<[string, Omit<Exchange, 'request'>]>([
    ['404', { status: 404 }],
    ['404 with a page', { status: 404, body: '<h1>Not found</h1>' }],
    ['410', { status: 410 }],
    ['401 in JSON', { status: 401, json: expired }],
    ['403 with an empty body', { status: 403 }],
    ['400', { status: 400, body: 'Bad request' }],
  ])('with %s may still have opened the service', async (_, answer) => {
    const exchanges: Exchange[] = [{ request: '/', ...answer }, good]
    const { error, items } = await runTask(search, { query: 'lamp' }, { source, exchanges })
    expect([error, items.length]).toEqual([null, 1])
  })
})
