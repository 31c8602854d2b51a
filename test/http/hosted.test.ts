/** The hosted page over HTTP: access by link and cookie, answers, streams, and rate limits. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { recordsIn } from '../../rigs/support/hosted-records.ts'
import { loadCatalogue } from '../../src/catalogue/catalogue.ts'
import { readConfig } from '../../src/config.ts'
import type { Deps } from '../../src/http/deps.ts'
import { CALLS_PER_MINUTE, MISSES_PER_MINUTE } from '../../src/http/routes/hosted-rate-limits.ts'
import { SignInError } from '../../src/signin/browser/errors.ts'
import { LocalGateway } from '../../src/signin/remote/gateway.ts'
import { LocalSessions } from '../../src/signin/remote/session.ts'
import { fakeBrowser } from '../signin/remote/fake-browser.ts'
import { quiet } from '../worker/quiet.ts'
import { type Client, type Service, startService } from './service.ts'

const PLUGINS = join(import.meta.dirname, 'login-plugins')
const ORIGIN = 'http://127.0.0.1:3000'
const WINDOW = { width: 800, height: 600, touch: false, scale: 1 }
const LINK_MS = 15 * 60_000

let service: Service
let browser: ReturnType<typeof fakeBrowser>
let gateway: LocalGateway
beforeAll(async () => {
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config: readConfig({}) })
  browser = fakeBrowser()
  const gatewayOf = ({ logins, signInLinks, now }: Deps) => {
    const vault = {
      save: (...state: Parameters<typeof service.stores.vault.save>) => service.stores.vault.save(...state),
    }
    gateway = new LocalGateway(
      new LocalSessions({
        browser: browser.browser,
        exits: { forLogin: () => null, ended: async () => {} },
        logins,
        signInLinks,
        vault,
        logger: quiet,
        now,
        room: 100,
        lookMs: 5,
      }),
    )
    return gateway
  }
  service = await startService({ deps: (deps) => ({ catalogue, gateway: gatewayOf(deps) }) })
})
afterAll(async () => {
  await gateway.stop()
  await service.close()
})

// biome-ignore lint/suspicious/noExplicitAny: tests look at JSON
type Json = any

/** The path of a new link. */
async function linkOf(client: Client): Promise<string> {
  const reply = await service.send('/v1/logins/members', { method: 'POST', key: client.key })
  return new URL(((await reply.json()) as Json).hosted_url).pathname
}

/** Sends a request like the page. */
const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.post(path, null, body ?? {}, { origin: ORIGIN, ...headers })

async function opened(client?: Client) {
  const link = await linkOf(client ?? (await service.openAccount(10)))
  const reply = await post(`${link}/start`, WINDOW)
  expect(reply.status).toBe(200)
  const cookie = reply.headers.get('set-cookie') ?? ''
  return { link, cookie: cookie.slice(0, cookie.indexOf(';')), page: browser.pages.at(-1)! }
}

/** The records of a stream, until a condition holds. */
async function recordsOf(
  reply: Response,
  until: (records: readonly Json[]) => boolean,
): Promise<readonly Json[]> {
  const records: Json[] = []
  for await (const { kind, content } of recordsIn(reply.body!)) {
    records.push(kind === 0 ? JSON.parse(content.toString()) : pictureIn(content))
    if (until(records)) break
  }
  return records
}

function pictureIn(content: Buffer): Json {
  const length = content.readUInt16BE(0)
  return {
    ...JSON.parse(content.subarray(2, 2 + length).toString()),
    jpeg: [...content.subarray(2 + length)],
  }
}

describe('the page of a link', () => {
  test('opens with words that a chat or a mail program added to its link', async () => {
    const link = await linkOf(await service.openAccount(10))
    expect((await service.send(`${link}?utm_source=mail`)).status).toBe(200)
  })

  test('needs no key, names the source, and forbids framing, caching and referrers', async () => {
    const link = await linkOf(await service.openAccount(10))
    const reply = await service.send(link)
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await reply.text()).toContain('Sign in to Members')
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    })
    expect(reply.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(reply.headers.get('content-security-policy')).not.toContain('unsafe')
  })

  test('can be viewed repeatedly without using up the link', async () => {
    const link = await linkOf(await service.openAccount(10))
    for (const _ of [1, 2]) expect((await service.send(link)).status).toBe(200)
    expect((await post(`${link}/start`, WINDOW)).status).toBe(200)
  })

  test.each([
    ['unknown', (link: string) => link.slice(0, -1) + (link.endsWith('A') ? 'B' : 'A')],
    ['truncated', (link: string) => link.slice(0, -3)],
    ['too long', (link: string) => `${link}A`],
    ['badly encoded', (link: string) => `${link.slice(0, -2)}%ZZ`],
  ])('is 404 for a link that is %s', async (_, altered) => {
    const link = altered(await linkOf(await service.openAccount(10)))
    expect((await service.send(link)).status).toBe(404)
    expect((await post(`${link}/start`, WINDOW)).status).toBe(404)
  })

  test('is 404 for an expired link, which cannot be opened', async () => {
    const link = await linkOf(await service.openAccount(10))
    service.clock.offset += LINK_MS
    try {
      const reply = await service.send(link)
      expect(reply.status).toBe(404)
      expect(await reply.text()).toContain('This link does not work')
      expect((await post(`${link}/start`, WINDOW)).status).toBe(404)
    } finally {
      service.clock.offset -= LINK_MS
    }
  })

  test('is not in the OpenAPI document, and its assets are served without source files', async () => {
    const text = await (await service.send('/openapi.json')).text()
    expect(text).not.toContain('"/login/')
    expect((await service.send('/login/assets/page.js')).headers.get('content-type')).toContain(
      'text/javascript',
    )
    expect((await service.send('/login/assets/page.css')).status).toBe(200)
    expect((await service.send('/login/assets/endpoints.ts')).status).toBe(404)
  })
})

describe('opening a link', () => {
  test('sets an HttpOnly cookie for the path of the link, and works once for browsers without the cookie', async () => {
    const link = await linkOf(await service.openAccount(10))
    const reply = await post(`${link}/start`, WINDOW)
    const cookie = reply.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(
      new RegExp(`^gleaner_login=[A-Za-z0-9_-]{43}; Path=${link}; Max-Age=900; HttpOnly; SameSite=Lax$`),
    )
    expect((await post(`${link}/start`, WINDOW)).status).toBe(404)
    const again = await post(`${link}/start`, WINDOW, { cookie: cookie.slice(0, cookie.indexOf(';')) })
    expect([again.status, again.headers.get('set-cookie')]).toEqual([200, null])
  })

  test('in three browsers concurrently admits exactly one', async () => {
    const link = await linkOf(await service.openAccount(10))
    const before = browser.pages.length
    const replies = await Promise.all([1, 2, 3].map(() => post(`${link}/start`, WINDOW)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 404, 404])
    expect(browser.pages.length).toBe(before + 1)
  })

  test('from a foreign Origin or without a window size is refused, and the link stays valid', async () => {
    const link = await linkOf(await service.openAccount(10))
    expect((await post(`${link}/start`, WINDOW, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await post(`${link}/start`, { ...WINDOW, width: 'wide' })).status).toBe(422)
    expect((await post(`${link}/start`, {})).status).toBe(422)
    expect((await post(`${link}/start`, WINDOW)).status).toBe(200)
  })

  test('clamps the size of the window', async () => {
    const link = await linkOf(await service.openAccount(10))
    await post(`${link}/start`, { width: 20_000, height: 3, touch: true, scale: 9 })
    expect(browser.pages.at(-1)!.viewport).toEqual({ width: 2000, height: 200, touch: true, scale: 2 })
  })

  test('during shutdown is 503, and the link stays valid', async () => {
    const link = await linkOf(await service.openAccount(10))
    service.state.shuttingDown = true
    try {
      expect((await post(`${link}/start`, WINDOW)).status).toBe(503)
    } finally {
      service.state.shuttingDown = false
    }
    expect((await post(`${link}/start`, WINDOW)).status).toBe(200)
  })

  test('makes the page show whether the link was opened here or in another browser', async () => {
    const { link, cookie } = await opened()
    expect(await (await service.send(link)).text()).toContain('data-opened="elsewhere"')
    expect(await (await service.send(link, { headers: { cookie } })).text()).toContain('data-opened="here"')
  })
})

describe('a sign-in under way', () => {
  test('belongs to the browser that opened it: others cannot watch it, send to it or end it', async () => {
    const one = await opened()
    const two = await opened()
    for (const cookie of ['', 'gleaner_login=', `gleaner_login=${'A'.repeat(43)}`]) {
      expect((await service.send(`${one.link}/stream`, { headers: { cookie } })).status).toBe(404)
      expect((await post(`${one.link}/input`, { inputs: [{ type: 'back' }] }, { cookie })).status).toBe(404)
      expect((await post(`${one.link}/end`, {}, { cookie })).status).toBe(404)
    }
    await post(`${one.link}/input`, { inputs: [{ type: 'reload' }] }, { cookie: two.cookie })
    expect(one.page.inputs).toEqual([])
    expect(one.page.isClosed).toBe(false)
  })

  test('streams events and pictures as records, the current state first', async () => {
    const { link, cookie, page } = await opened()
    page.tell({ type: 'address', url: 'https://members.example/sign-in', title: 'Sign in' })
    const reply = await service.send(`${link}/stream`, { headers: { cookie } })
    expect(reply.headers.get('cache-control')).toBe('no-store')
    const showing = setInterval(() => page.show('abc'), 5)
    const records = await recordsOf(reply, (all) => all.some(({ jpeg }) => jpeg?.length === 3))
    clearInterval(showing)
    expect(records[0]).toEqual({ type: 'address', url: 'https://members.example/sign-in', title: 'Sign in' })
    expect(records.at(-1)).toEqual({ width: 800, height: 600, scroll: { x: 0, y: 7 }, jpeg: [97, 98, 99] })
  })

  test('is shown in one tab: the earlier tab is told that it continues elsewhere', async () => {
    const { link, cookie } = await opened()
    const one = await service.send(`${link}/stream`, { headers: { cookie } })
    const two = await service.send(`${link}/stream`, { headers: { cookie } })
    expect((await recordsOf(one, () => false)).at(-1)).toEqual({ type: 'elsewhere' })
    await post(`${link}/end`, {}, { cookie })
    expect((await recordsOf(two, () => false)).at(-1)).toMatchObject({ type: 'failed' })
  })

  test('is not moved away from its tab by a HEAD request for the stream', async () => {
    const { link, cookie } = await opened()
    const shown = await service.send(`${link}/stream`, { headers: { cookie } })
    const head = await service.send(`${link}/stream`, { method: 'HEAD', headers: { cookie } })
    expect([head.status, head.body]).toEqual([200, null])
    await post(`${link}/end`, {}, { cookie })
    const types = (await recordsOf(shown, () => false)).flatMap(({ type }) => type ?? [])
    expect(types).toEqual(['failed'])
  })

  test('forwards inputs in order', async () => {
    const { link, cookie, page } = await opened()
    const inputs = Array.from({ length: 200 }, (_, i) => ({ type: 'text', text: String(i) }))
    const replies = [inputs.slice(0, 100), inputs.slice(100)].map((some) =>
      post(`${link}/input`, { inputs: some }, { cookie }),
    )
    for (const reply of replies) expect((await reply).status).toBe(202)
    expect(page.inputs).toEqual(inputs)
  })

  test.each([
    ['inputs that are not a list', { inputs: 'x' }, 422],
    ['a body without inputs', {}, 422],
    ['more than 200 inputs', { inputs: Array.from({ length: 201 }, () => ({ type: 'back' })) }, 422],
  ])('refuses %s', async (_, body, status) => {
    const { link, cookie, page } = await opened()
    expect((await post(`${link}/input`, body, { cookie })).status).toBe(status)
    expect(page.inputs).toEqual([])
  })

  test.each(['bad-input', 'flooded', 'closed'] as const)(
    'an input that the page refuses as %s is answered with 202 and not repeated in the answer',
    async (code) => {
      const { link, cookie } = await opened()
      const canary = 'correct-horse'
      const inputs = [{ type: 'text', text: canary, refuse: code }]
      const reply = await post(`${link}/input`, { inputs }, { cookie })
      expect(reply.status).toBe(202)
      expect(await reply.text()).not.toContain(canary)
    },
  )

  test.each([
    ['closed', 404],
    ['browser-ended', 503],
    ['busy', 503],
    ['flooded', 429],
  ] as const)('an input that is not delivered because of %s is answered with %i', async (code, status) => {
    const { link, cookie } = await opened()
    const view = gateway.view.bind(gateway)
    gateway.view = async (id) => {
      const send = () => Promise.reject(new SignInError(code))
      return Object.assign(Object.create((await view(id)) ?? {}), { send })
    }
    try {
      const reply = await post(`${link}/input`, { inputs: [{ type: 'back' }] }, { cookie })
      expect(reply.status).toBe(status)
    } finally {
      gateway.view = view
    }
  })

  test('refuses input and end from a foreign Origin', async () => {
    const { link, cookie, page } = await opened()
    const from = { cookie, origin: 'https://evil.example' }
    expect((await post(`${link}/input`, { inputs: [{ type: 'back' }] }, from)).status).toBe(403)
    expect((await post(`${link}/end`, {}, from)).status).toBe(403)
    expect([page.inputs.length, page.isClosed]).toEqual([0, false])
  })

  test('continues while repeated calls create further links', async () => {
    const client = await service.openAccount(10)
    const { link, cookie, page } = await opened(client)
    for (let i = 0; i < 10; i++) await linkOf(client)
    await post(`${link}/input`, { inputs: [{ type: 'back' }] }, { cookie })
    expect(page.inputs).toEqual([{ type: 'back' }])
    expect((await service.send(link, { headers: { cookie } })).status).toBe(200)
  })

  test('is withdrawn when another link of the account is opened', async () => {
    const client = await service.openAccount(10)
    const { link, cookie } = await opened(client)
    const shown = await service.send(`${link}/stream`, { headers: { cookie } })
    await opened(client)
    expect((await recordsOf(shown, () => false)).at(-1)).toMatchObject({ type: 'failed', code: 'withdrawn' })
  })

  test('ends when the person ends it, and its link becomes invalid', async () => {
    const { link, cookie, page } = await opened()
    expect((await post(`${link}/end`, {}, { cookie })).status).toBe(200)
    expect(page.isClosed).toBe(true)
    const reply = await service.send(`${link}/stream`, { headers: { cookie } })
    const records = await recordsOf(reply, () => false)
    expect(records.at(-1)).toMatchObject({ type: 'failed', code: 'closed' })
    expect((await service.send(link)).status).toBe(404)
  })

  test('makes the refused call succeed once it is done', async () => {
    const client = await service.openAccount(10)
    const call = () =>
      service.post('/v1/members/search', client.key, { query: 'otter' }, { 'idempotency-key': 'k' })
    const refused = (await (await call()).json()) as Json
    const link = new URL(refused.hosted_url).pathname
    const cookie = (await post(`${link}/start`, WINDOW)).headers.get('set-cookie')!.split(';')[0]!
    const stream = await service.send(`${link}/stream`, { headers: { cookie } })
    browser.pages.at(-1)!.signedIn({ state: '{"cookies":[]}', validUntil: null })
    const records = await recordsOf(stream, () => false)
    expect(records.flatMap(({ type }) => type ?? [])).toEqual(['saving', 'done'])
    expect((await call()).status).toBe(202)
  })

  test('is withdrawn when its login is deleted', async () => {
    const client = await service.openAccount(10)
    const { link, cookie } = await opened(client)
    const reply = await service.send(`${link}/stream`, { headers: { cookie } })
    await service.send('/v1/logins/members', { method: 'DELETE', key: client.key })
    const records = await recordsOf(reply, () => false)
    expect(records.at(-1)).toMatchObject({ type: 'failed', code: 'withdrawn' })
  })
})

describe('rate limits', () => {
  const from = (address: string) => ({ 'x-from': address })
  const unknown = () =>
    `/login/${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')}`
  const lookups = { count: 0 }
  const limited = () =>
    startService({
      deps: (deps) => ({
        catalogue: service.deps.catalogue,
        gateway,
        connectionOf: (request: Request) => request.headers.get('x-from') ?? undefined,
        signInLinks: new Proxy(deps.signInLinks, {
          get: (target, name) => {
            if (name === 'find') lookups.count++
            const value = Reflect.get(target, name)
            return typeof value === 'function' ? value.bind(target) : value
          },
        }),
      }),
    })

  /** Stops a service's clock. Limits refill over time, and these tests may take long. */
  const stopClock = (service: Service) => {
    const at = Date.now() + service.clock.offset
    return () => {
      service.clock.offset = at - Date.now()
    }
  }

  test('calls for unknown links are limited per client, without look-ups, and valid links still work', async () => {
    const own = await limited()
    try {
      const { key } = await own.openAccount(10)
      const reply = await own.send('/v1/logins/members', { method: 'POST', key })
      const link = new URL(((await reply.json()) as Json).hosted_url).pathname
      const still = stopClock(own)
      const ask = (path: string, address = '198.51.100.1', method = 'GET') => {
        still()
        return own.send(path, { method, headers: from(address) })
      }
      expect((await ask(link)).status).toBe(200)
      for (let i = 0; i < MISSES_PER_MINUTE; i++) expect((await ask(unknown())).status).toBe(404)
      // The clock is stopped only to within a millisecond or two, in which the limit refills a little.
      let refused = await ask(unknown())
      while (refused.status === 404) refused = await ask(unknown())
      const before = lookups.count
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
      expect(await refused.json()).toMatchObject({ code: 'rate-limited', retry_after_s: 1 })
      expect((await ask(`${unknown()}/start`, '198.51.100.1', 'POST')).status).toBe(429)
      expect(lookups.count).toBe(before)
      expect((await ask(link)).status).toBe(200)
      expect((await ask(unknown(), '198.51.100.2')).status).toBe(404)
    } finally {
      await own.close()
    }
  })

  test('calls of one visit are limited with Retry-After, independently of other visits', async () => {
    const [one, other] = [await opened(), await opened()]
    const still = stopClock(service)
    const send = ({ link, cookie }: typeof one) => {
      still()
      return post(`${link}/input`, { inputs: [] }, { cookie })
    }
    for (let i = 0; i < CALLS_PER_MINUTE; i++) expect((await send(one)).status).toBe(202)
    let refused = await send(one)
    while (refused.status === 202) refused = await send(one)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect((await send(other)).status).toBe(202)
  }, 60_000)
})
