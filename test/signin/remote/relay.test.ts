/** Sign-ins that one process shows and another one hosts: what still works when something between them fails. */
import { afterEach, describe, expect, test } from 'bun:test'
import { Redis } from 'ioredis'
import { hasRedis, monitored, redisServers, type TestRedis } from '../../../rigs/servers/redis.ts'
import { startChild } from '../../../rigs/support/child.ts'
import { StoreUnavailable } from '../../../src/log/event-log.ts'
import { SignInError } from '../../../src/signin/browser/errors.ts'
import { KEPT_MS } from '../../../src/signin/remote/gateway.ts'
import { RelayGateway } from '../../../src/signin/remote/relay/gateway.ts'
import { RelayHost } from '../../../src/signin/remote/relay/host.ts'
import { RENEWED_MS, type SignInTransport } from '../../../src/signin/remote/relay/transport.ts'
import { quiet } from '../../worker/quiet.ts'
import { type FakePage, fakeBrowser, pictureIn } from './fake-browser.ts'
import {
  aSession,
  atAddress,
  CANARY,
  failureOf,
  localSessionsOf,
  personAt,
  positionsOf,
  SIGNED_IN,
  source,
  until,
} from './parts.ts'
import { aKey, connectTo, gatewayAt, hostAt, type Keys, keyringOf } from './relay-nodes.ts'

const servers = redisServers()
const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})
const closing = <T extends { close(): unknown }>(each: T): T => {
  open.push(each)
  return each
}

const redisAt = (server: TestRedis) => {
  const redis = new Redis(server.url)
  return closing(Object.assign(redis, { close: () => redis.disconnect() }))
}

describe.skipIf(!hasRedis)('sign-ins over Redis', () => {
  /** A server, a gateway, a host with one slot, and a person who was let in. */
  async function inside(...options: readonly string[]) {
    const server = await servers.start(...options)
    const keys = { vaultKey: aKey() }
    const { browser, pages } = fakeBrowser()
    const { gateway, signInLinks } = closing(await gatewayAt(server.url, keys))
    const worker = closing(await hostAt(server.url, keys, { browser, room: 1 }))
    const session = await aSession(signInLinks)
    await gateway.open(session)
    const person = await personAt(gateway, session.id)
    await until(() => pages.length === 1)
    const page = pages[0] as FakePage
    page.tell({ type: 'loading', loading: false })
    await person.hears('loading')
    return { server, keys, browser, pages, gateway, signInLinks, worker, session, person, page }
  }

  test('any gateway serves any call of a person', async () => {
    const { server, keys, gateway, session, page } = await inside()
    const other = closing(await gatewayAt(server.url, keys))
    const person = await personAt(other.gateway, session.id)
    const [one, two] = [await gateway.view(session.id), await other.gateway.view(session.id)]
    await one?.send([{ n: 1 }])
    await two?.send([{ n: 2 }])
    await one?.send([{ n: 3 }])
    await until(() => page.inputs.length === 3)
    expect(page.inputs).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    page.signedIn(SIGNED_IN)
    await person.ended
    expect(failureOf(person)).toBe('done')
  })

  test('when a worker is killed, its person is told, and the next one is let in by another worker', async () => {
    const server = await servers.start()
    const keys = { vaultKey: aKey() }
    const child = startChild(new URL('./relay-worker.ts', import.meta.url), [server.url, keys.vaultKey])
    closing({ close: () => child.process.kill('SIGKILL') })
    expect((await child.lines.next()).value).toBe('ready')
    const { gateway, signInLinks } = closing(await gatewayAt(server.url, keys))
    const session = await aSession(signInLinks)
    await gateway.open(session)
    const person = await personAt(gateway, session.id)
    expect((await child.lines.next()).value).toBe('in')
    await until(() =>
      person.viewer.send([{}]).then(
        () => true,
        () => false,
      ),
    )
    child.process.kill('SIGKILL')
    await child.ended
    await person.ended
    expect(failureOf(person)).toBe('browser-ended')
    await expect(person.viewer.send([{}])).rejects.toThrow(SignInError)
    await expect(person.viewer.frame()).rejects.toThrow(SignInError)
    const { browser, pages } = fakeBrowser()
    closing(await hostAt(server.url, keys, { browser, room: 1 }))
    await gateway.open(await aSession(signInLinks))
    await until(() => pages.length === 1)
  }, 60_000)

  test('when a worker dies right after it claimed a session, the person is told, and the session is removed', async () => {
    const server = await servers.start()
    const { gateway, signInLinks, transport } = closing(await gatewayAt(server.url, { vaultKey: aKey() }))
    const session = await aSession(signInLinks)
    await gateway.open(session)
    expect(await transport.claim()).toMatchObject({ id: session.id })
    const person = await personAt(gateway, session.id)
    await person.ended
    expect(failureOf(person)).toBe('browser-ended')
    await until(async () => (await gateway.view(session.id)) === undefined)
    expect((await signInLinks.find(session.hash, Date.now()))?.opened).toBe(session.id)
  }, 60_000)

  test('after Redis restarts with its data, sessions continue, and no event of the outage is missed', async () => {
    const { server, person, page } = await inside('--appendonly', 'yes', '--appendfsync', 'always')
    await server.stop()
    page.tell(atAddress('/meanwhile'))
    await expect(person.viewer.send([{}])).rejects.toThrow(StoreUnavailable)
    page.show('meanwhile')
    await expect(person.viewer.frame()).rejects.toThrow(StoreUnavailable)
    await server.start()
    await person.hears('address')
    await until(() =>
      person.viewer.send([{ n: 1 }]).then(
        () => true,
        () => false,
      ),
    )
    await until(() => page.inputs.length > 0)
    expect(page.inputs.at(-1)).toEqual({ n: 1 })
    expect(pictureIn(await person.viewer.frame({ fresh: true }))).toBe('meanwhile')
    page.signedIn(SIGNED_IN)
    await person.ended
    expect(failureOf(person)).toBe('done')
  }, 60_000)

  test('after Redis restarts without its data, the page is closed, and the person is told why', async () => {
    const { server, person, page } = await inside()
    await server.stop()
    await server.start()
    await person.ended
    // The link was lost with the data.
    expect(failureOf(person)).toBe('withdrawn')
    expect(page.isClosed).toBe(true)
  }, 60_000)

  test('events that are sent while connections break arrive once and in order', async () => {
    const { server, person, page } = await inside()
    const texts = Array.from({ length: 36 }, (_, i) => `notice ${i}`)
    for (const [i, text] of texts.entries()) {
      if (i % 12 === 5) await server.command('CLIENT', 'KILL', 'TYPE', 'normal')
      page.tell({ type: 'notice', code: 'dialog', text })
      await new Promise((go) => setTimeout(go, 2))
    }
    const notices = () => person.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []))
    await until(() => notices().at(-1) === texts.at(-1))
    expect(notices()).toEqual(texts)
  }, 60_000)

  test('a message that is written twice takes effect once: no input and no event is repeated', async () => {
    const { server, keys, signInLinks } = await inside()
    const shared = closing(await connectTo(server.url))
    const twice: SignInTransport = Object.assign(Object.create(shared.transport), {
      async call(id: string, message: Buffer) {
        await shared.transport.call(id, message)
        return shared.transport.call(id, message)
      },
      async tell(id: string, message: Buffer, picture?: Buffer) {
        await shared.transport.tell(id, message, picture)
        await shared.transport.tell(id, message, picture)
      },
    })
    const keyring = keyringOf(keys)
    const { browser, pages } = fakeBrowser()
    const parts = { transport: twice, keyring, signInLinks, logger: quiet, now: Date.now }
    const host = new RelayHost({
      ...parts,
      localSessions: localSessionsOf(browser, signInLinks, 1),
      sourceOf: () => source,
      room: 1,
    })
    host.start()
    closing({ close: () => host.stop() })
    const gateway = new RelayGateway(parts)
    const session = await aSession(signInLinks)
    await gateway.open(session)
    const person = await personAt(gateway, session.id)
    await until(() => pages.length === 1)
    await person.viewer.send([{ n: 1 }, { n: 2 }])
    await person.viewer.send([{ n: 3 }])
    await until(() => pages[0]?.inputs.length === 3)
    pages[0]?.tell({ type: 'loading', loading: false })
    await person.hears('loading')
    pages[0]?.tell({ type: 'notice', code: 'dialog', text: 'once' })
    pages[0]?.signedIn(SIGNED_IN)
    await person.ended
    expect(pages[0]?.inputs).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    const types = person.events.map(({ type }) => type).filter((type) => type !== 'waiting')
    expect(types).toEqual(['loading', 'notice', 'saving', 'done'])
  })

  test('the next frame of an unchanging page arrives once it changes, after a single request', async () => {
    const { person, page } = await inside()
    await person.viewer.frame({ fresh: true })
    let asks = 0
    const frame = page.frame.bind(page)
    page.frame = (options) => {
      asks++
      return frame(options)
    }
    const next = person.viewer.frame()
    await until(() => asks === 1)
    page.show('at last')
    expect(pictureIn(await next)).toBe('at last')
    expect(asks).toBe(1)
  })

  test('a pending request for a frame is rejected when the person leaves', async () => {
    const { person } = await inside()
    await person.viewer.frame({ fresh: true })
    const next = person.viewer.frame()
    person.leave()
    await expect(next).rejects.toThrow(SignInError)
  }, 60_000)

  test('a worker that stops ends its sessions, and a waiting person is let in by the next worker', async () => {
    const { server, keys, gateway, signInLinks, worker, person } = await inside()
    const session = await aSession(signInLinks)
    await gateway.open(session)
    const next = await personAt(gateway, session.id)
    await next.hears('waiting')
    await worker.close()
    await person.ended
    expect(failureOf(person)).toBe('browser-ended')
    const { browser, pages } = fakeBrowser()
    closing(await hostAt(server.url, keys, { browser, room: 1 }))
    await until(() => pages.length === 1)
    pages[0]?.signedIn(SIGNED_IN)
    await next.ended
    expect(failureOf(next)).toBe('done')
    expect(positionsOf(next)).toEqual([1])
  })

  test('when the memory of Redis is full, no session can be opened, and open sessions continue', async () => {
    const { server, gateway, signInLinks, session, person, page } = await inside()
    const next = await aSession(signInLinks)
    await server.command('CONFIG', 'SET', 'maxmemory', 1)
    await expect(gateway.open(next)).rejects.toThrow(StoreUnavailable)
    const again = await personAt(gateway, session.id)
    await again.hears('loading')
    await person.ended
    await again.viewer.send([{ n: 1 }])
    await until(() => page.inputs.length === 1)
    // The worker also keeps renewing its claim.
    const left = async () => Number(await server.command('PTTL', `gleaner:{sign-ins}:${session.id}`))
    await until(async () => (await left()) < RENEWED_MS - 200)
    await until(async () => (await left()) > RENEWED_MS - 200)
    page.signedIn(SIGNED_IN)
    await again.ended
    expect(failureOf(again)).toBe('done')
  }, 60_000)

  test('foreign, altered and repeated messages have no effect', async () => {
    const { server, keys, signInLinks, person, page, session } = await inside()
    const redis = redisAt(server)
    const [calls, events] = [
      `gleaner:{sign-ins}:${session.id}:calls`,
      `gleaner:{sign-ins}:${session.id}:events`,
    ]
    const { transport } = closing(await connectTo(server.url))
    // A second reader would take the calls away from the host.
    const packets: Buffer[] = []
    const seeing: SignInTransport = Object.assign(Object.create(transport), {
      call(id: string, message: Buffer) {
        packets.push(message)
        return transport.call(id, message)
      },
    })
    const keyring = keyringOf(keys)
    const gateway = new RelayGateway({
      transport: seeing,
      keyring,
      signInLinks,
      logger: quiet,
      now: Date.now,
    })
    const view = await gateway.view(session.id)
    for (const n of [1, 2]) await view?.send([{ n }])
    await until(() => page.inputs.length === 2)
    const storedBytes = (await redis.xrangeBuffer(events, '-', '+')).map(([, [, bytes]]) => bytes as Buffer)
    expect([packets.length, storedBytes.length > 0]).toEqual([2, true])
    const records = [
      ...packets.map((bytes) => [calls, bytes] as const),
      ...storedBytes.map((bytes) => [events, bytes] as const),
    ]
    const before = page.inputs.length
    for (const [key, bytes] of records) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8((changed.at(-1) ?? 0) ^ 1, changed.length - 1)
      for (const each of [bytes, changed, bytes.subarray(0, 90), Buffer.from('x'), Buffer.alloc(0)])
        await redis.xadd(key, '*', 'm', each)
    }
    await person.viewer.send([{ n: 'last' }])
    await until(() => page.inputs.length > before)
    expect(page.inputs.slice(before)).toEqual([{ n: 'last' }])
    page.tell({ type: 'focus', focus: null })
    await person.hears('focus')
    expect(person.events.map(({ type }) => type).filter((type) => type !== 'waiting')).toEqual([
      'loading',
      'focus',
    ])
  }, 60_000)

  test('Redis keeps 100 events of a session, no calls that were read, and at most 32 unread calls', async () => {
    const { server, person, page, session, gateway, signInLinks } = await inside()
    const { transport } = closing(await connectTo(server.url))
    const length = async (key: string) => Number(await server.command('XLEN', `gleaner:{sign-ins}:${key}`))
    for (let i = 0; i < 300; i++) {
      page.tell({ type: 'notice', code: 'dialog', text: `${i}` })
      await until(() => person.events.length > i)
    }
    expect(await length(`${session.id}:events`)).toBe(100)
    await person.viewer.send([{ n: 1 }])
    await until(async () => (await length(`${session.id}:calls`)) === 0)
    // Its host claims it and then disappears.
    const lost = await aSession(signInLinks)
    await gateway.open(lost)
    expect((await transport.claim())?.id).toBe(lost.id)
    for (let i = 0; i < 32; i++) expect(await transport.call(lost.id, Buffer.from('x'))).toBeUndefined()
    expect(await transport.call(lost.id, Buffer.from('x'))).toBe('flooded')
    expect(await length(`${lost.id}:calls`)).toBe(32)
    for (const key of [`${lost.id}:calls`, `${session.id}:events`])
      expect(Number(await server.command('PTTL', `gleaner:{sign-ins}:${key}`))).toBeGreaterThan(0)
  }, 60_000)

  test('a session sealed with the previous key is opened where that is set as the old key', async () => {
    const server = await servers.start()
    const old: Keys = { vaultKey: aKey() }
    const both: Keys = { vaultKey: aKey(), vaultKeyOld: old.vaultKey }
    const before = closing(await gatewayAt(server.url, old))
    const session = await aSession(before.signInLinks)
    await before.gateway.open(session)
    const { browser, pages } = fakeBrowser()
    closing(await hostAt(server.url, both, { browser, room: 1 }))
    const after = closing(await gatewayAt(server.url, both))
    const person = await personAt(after.gateway, session.id)
    await until(() => pages.length === 1)
    pages[0]?.signedIn(SIGNED_IN)
    await person.ended
    expect(failureOf(person)).toBe('done')
  })

  test('Redis sees no typed, shown or saved text and no account of a session, and all its keys expire', async () => {
    const { server, keys, gateway, signInLinks, pages, session, person, page } = await inside()
    const { commands } = closing(await monitored(server))
    await person.viewer.send([{ type: 'text', text: CANARY }])
    page.tell(atAddress(`/${CANARY}`, CANARY))
    await person.hears('address')
    page.show(CANARY)
    await person.viewer.frame()
    const waits = await aSession(signInLinks)
    await gateway.open(waits)
    page.signedIn(SIGNED_IN)
    await person.ended
    await until(() => pages.length === 2)
    const next = await personAt(gateway, waits.id)
    pages[1]?.signedIn(SIGNED_IN)
    await next.ended
    const keysLeft = async () => (await server.command('KEYS', '*sign-ins*')) as string[]
    const hasEnded = async (id: string) =>
      Number(await server.command('HEXISTS', `gleaner:{sign-ins}:${id}`, 'end')) === 1
    await until(async () => (await hasEnded(session.id)) && (await hasEnded(waits.id)))
    const all = commands.join('\n')
    for (const text of [CANARY, keys.vaultKey]) expect(all.includes(text)).toBe(false)
    const ofSessions = commands.filter((each) => /gleaner:\{sign-ins/.test(each)).join('\n')
    expect(ofSessions.includes('XADD')).toBe(true)
    for (const text of [waits.account, waits.hash, source.name]) expect(ofSessions.includes(text)).toBe(false)
    const left = await keysLeft()
    expect(left.filter((key) => /calls|picture/.test(key))).toEqual([])
    for (const key of left) {
      const ttl = Number(await server.command('PTTL', key))
      expect(ttl).toBeGreaterThan(0)
      expect(ttl).toBeLessThanOrEqual(KEPT_MS)
    }
  })
})
