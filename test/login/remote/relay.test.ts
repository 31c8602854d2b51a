/** Sign-ins that are shown by one process and live in another: what holds when something between them fails. */
import { afterEach, describe, expect, test } from 'bun:test'
import { Redis } from 'ioredis'
import { SignInError } from '../../../src/browser/signin/errors.ts'
import { StoreUnavailable } from '../../../src/log/event-log.ts'
import { KEPT_MS } from '../../../src/login/remote/gateway.ts'
import { RelayDesk } from '../../../src/login/remote/relay/desk.ts'
import { envelopeIn, toDeskIn } from '../../../src/login/remote/relay/messages.ts'
import { VisitSeal } from '../../../src/login/remote/relay/seal.ts'
import { HELD_MS, type SignInWire } from '../../../src/login/remote/relay/transport.ts'
import { startChild } from '../../support/child.ts'
import { hasRedis, monitored, redisServers, type TestRedis } from '../../support/redis.ts'
import { quiet } from '../../worker/quiet.ts'
import { type FakePage, fakeBrowser, pictureIn } from './fake-browser.ts'
import {
  atAddress,
  aVisit,
  CANARY,
  failureOf,
  personAt,
  placesOf,
  SIGNED_IN,
  source,
  until,
} from './parts.ts'
import { aKey, deskAt, type Keys, keyringOf, placeAt, postAt } from './relay-nodes.ts'

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

describe.skipIf(!hasRedis)('over Redis', () => {
  /** A server, a desk and a post with room for one, and somebody who was let in. */
  async function inside(...options: readonly string[]) {
    const server = await servers.start(...options)
    const keys = { vaultKey: aKey() }
    const { browser, pages } = fakeBrowser()
    const { desk, signIns } = closing(await deskAt(server.url, keys))
    const worker = closing(await postAt(server.url, keys, { browser, room: 1 }))
    const visit = await aVisit(signIns)
    await desk.open(visit)
    const person = await personAt(desk, visit.id)
    await until(() => pages.length === 1)
    const page = pages[0] as FakePage
    page.tell({ type: 'loading', loading: false })
    await person.hears('loading')
    return { server, keys, browser, pages, desk, signIns, worker, visit, person, page }
  }

  test('any desk serves any call of a person', async () => {
    const { server, keys, desk, visit, page } = await inside()
    const other = closing(await deskAt(server.url, keys))
    const person = await personAt(other.desk, visit.id)
    const [one, two] = [await desk.attend(visit.id), await other.desk.attend(visit.id)]
    await one?.send({ n: 1 })
    await two?.send({ n: 2 })
    await one?.send({ n: 3 })
    expect(page.inputs).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    page.signedIn(SIGNED_IN)
    await person.over
    expect(failureOf(person)).toBe('done')
  })

  test('a worker that is killed: who was in is told soon, who comes next is let in elsewhere', async () => {
    const server = await servers.start()
    const keys = { vaultKey: aKey() }
    const child = startChild(new URL('./relay-worker.ts', import.meta.url), [server.url, keys.vaultKey])
    closing({ close: () => child.process.kill('SIGKILL') })
    expect((await child.lines.next()).value).toBe('ready')
    const { desk, signIns } = closing(await deskAt(server.url, keys))
    const visit = await aVisit(signIns)
    await desk.open(visit)
    const person = await personAt(desk, visit.id)
    expect((await child.lines.next()).value).toBe('in')
    await until(() =>
      person.attendance.send({}).then(
        () => true,
        () => false,
      ),
    )
    child.process.kill('SIGKILL')
    await child.ended
    await expect(person.attendance.send({})).rejects.toThrow(SignInError)
    await expect(person.attendance.frame()).rejects.toThrow(SignInError)
    await person.over
    expect(failureOf(person)).toBe('browser-ended')
    const { browser, pages } = fakeBrowser()
    closing(await postAt(server.url, keys, { browser, room: 1 }))
    await desk.open(await aVisit(signIns))
    await until(() => pages.length === 1)
  }, 60_000)

  test('a worker that dies right after it took somebody: they are told, and later there is nothing', async () => {
    const server = await servers.start()
    const { desk, signIns, wire } = closing(await deskAt(server.url, { vaultKey: aKey() }))
    const visit = await aVisit(signIns)
    await desk.open(visit)
    expect(await wire.take('post_dead')).toMatchObject({ id: visit.id })
    const person = await personAt(desk, visit.id)
    await person.over
    expect(failureOf(person)).toBe('browser-ended')
    await until(async () => (await desk.attend(visit.id)) === undefined)
    expect((await signIns.find(visit.hash, Date.now()))?.opened).toBe(visit.id)
  }, 60_000)

  test('Redis is restarted with what it had: all goes on, and nothing that was told meanwhile is missed', async () => {
    const { server, person, page } = await inside('--appendonly', 'yes', '--appendfsync', 'always')
    await server.stop()
    page.tell(atAddress('/meanwhile'))
    await expect(person.attendance.send({})).rejects.toThrow(SignInError)
    page.show('meanwhile')
    await expect(person.attendance.frame()).rejects.toThrow(SignInError)
    await server.start()
    await person.hears('address')
    await until(() =>
      person.attendance.send({ n: 1 }).then(
        () => true,
        () => false,
      ),
    )
    expect(page.inputs.at(-1)).toEqual({ n: 1 })
    expect(pictureIn(await person.attendance.frame())).toBe('meanwhile')
    page.signedIn(SIGNED_IN)
    await person.over
    expect(failureOf(person)).toBe('done')
  }, 60_000)

  test('Redis is restarted and has forgotten all: the page is closed, and the person told why', async () => {
    const { server, person, page } = await inside()
    await server.stop()
    await server.start()
    await person.over
    // Its link is among what was forgotten.
    expect(failureOf(person)).toBe('withdrawn')
    expect(page.isClosed).toBe(true)
  }, 60_000)

  test('what is told while connections break is heard, in order and once', async () => {
    const { server, person, page } = await inside()
    const texts = Array.from({ length: 36 }, (_, i) => `notice ${i}`)
    for (const [i, text] of texts.entries()) {
      if (i % 12 === 5) await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub')
      page.tell({ type: 'notice', code: 'dialog', text })
      await new Promise((go) => setTimeout(go, 2))
    }
    const heard = () => person.told.flatMap((event) => (event.type === 'notice' ? [event.text] : []))
    await until(() => heard().at(-1) === texts.at(-1))
    expect(heard()).toEqual(texts)
  }, 60_000)

  test('what got lost before the end is told again, in its order, before the end', async () => {
    const { server, keys, signIns, pages, visit, page } = await inside()
    const place = closing(await placeAt(server.url))
    const keyring = keyringOf(keys)
    const isEvent = (bytes: Buffer) => {
      const { id, sealed } = envelopeIn(bytes)!
      return toDeskIn(new VisitSeal(keyring, id), sealed)?.type === 'event'
    }
    let isLossy = false
    const wire: SignInWire = {
      offer: (...args) => place.wire.offer(...args),
      take: (...args) => place.wire.take(...args),
      keep: (...args) => place.wire.keep(...args),
      withdraw: (...args) => place.wire.withdraw(...args),
      end: (...args) => place.wire.end(...args),
      standing: (...args) => place.wire.standing(...args),
      send: (...args) => place.wire.send(...args),
      listen: (name, { message, moved }) =>
        place.wire.listen(name, {
          moved,
          message: (bytes) => {
            if (!isLossy || !isEvent(bytes)) message(bytes)
          },
        }),
    }
    const desk = new RelayDesk({ wire, keyring, signIns, logger: quiet, now: Date.now })
    await desk.start()
    closing({ close: () => desk.stop() })
    const person = await personAt(desk, visit.id)
    await person.hears('loading')
    isLossy = true
    page.tell(atAddress('/code'))
    page.signedIn(SIGNED_IN)
    await person.over
    expect(person.told.slice(1)).toEqual([atAddress('/code'), { type: 'saving' }, { type: 'done' }])
    expect(pages).toHaveLength(1)
  })

  test('a page that stands still for long: its next frame comes when there is one', async () => {
    const { person, page } = await inside()
    await person.attendance.frame({ fresh: true })
    let asks = 0
    const frame = page.frame.bind(page)
    page.frame = (options) => {
      asks++
      return frame(options)
    }
    const next = person.attendance.frame()
    await until(() => asks === 1)
    // The post says that there is nothing new, and keeps what comes between two questions.
    await new Promise((go) => setTimeout(go, 5500))
    page.show('at last')
    expect(pictureIn(await next)).toBe('at last')
    expect(asks).toBe(1)
  }, 60_000)

  test('a page that stands still is asked for no more pictures when the person has left', async () => {
    const { person } = await inside()
    await person.attendance.frame({ fresh: true })
    const next = person.attendance.frame()
    person.leave()
    await expect(next).rejects.toThrow(SignInError)
  }, 60_000)

  test('a worker that stops ends its visits, and who waits is let in by the next one', async () => {
    const { server, keys, desk, signIns, worker, person } = await inside()
    const visit = await aVisit(signIns)
    await desk.open(visit)
    const next = await personAt(desk, visit.id)
    await next.hears('waiting')
    await worker.close()
    await person.over
    expect(failureOf(person)).toBe('browser-ended')
    const { browser, pages } = fakeBrowser()
    closing(await postAt(server.url, keys, { browser, room: 1 }))
    await until(() => pages.length === 1)
    pages[0]?.signedIn(SIGNED_IN)
    await next.over
    expect(failureOf(next)).toBe('done')
    expect(placesOf(next)).toEqual([1])
  })

  test('a desk that stops leaves its people where they are, for the other desks', async () => {
    const { server, keys, desk, visit, person } = await inside()
    await desk.stop()
    await person.over
    expect(failureOf(person)).toBe('loading')
    const other = closing(await deskAt(server.url, keys))
    const again = await personAt(other.desk, visit.id)
    await again.hears('loading')
  })

  test('when the memory of Redis is full nobody comes in, and who is in goes on', async () => {
    const { server, desk, signIns, visit, person, page } = await inside()
    const next = await aVisit(signIns)
    await server.command('CONFIG', 'SET', 'maxmemory', 1)
    await expect(desk.open(next)).rejects.toThrow(StoreUnavailable)
    const again = await personAt(desk, visit.id)
    await again.hears('loading')
    await person.over
    await again.attendance.send({ n: 1 })
    // That the worker has it is said again, too.
    const left = async () => Number(await server.command('PTTL', `gleaner:{visits}:${visit.id}`))
    await until(async () => (await left()) < HELD_MS - 300)
    await until(async () => (await left()) > HELD_MS - 300)
    page.signedIn(SIGNED_IN)
    await again.over
    expect(failureOf(again)).toBe('done')
  }, 60_000)

  test('messages that are foreign, changed or come again do nothing', async () => {
    const { server, person, page } = await inside()
    const redis = redisAt(server)
    const seen: [string, Buffer][] = []
    const listener = redisAt(server)
    listener.on('pmessageBuffer', (_, channel: Buffer, bytes: Buffer) =>
      seen.push([channel.toString(), bytes]),
    )
    await listener.psubscribe('gleaner:visits:*')
    await person.attendance.send({ n: 1 })
    await until(() => seen.length >= 2)
    for (const [channel, bytes] of seen.slice()) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8((changed.at(-1) ?? 0) ^ 1, changed.length - 1)
      for (const each of [bytes, changed, bytes.subarray(0, 90), Buffer.from('x'), Buffer.alloc(0)])
        await redis.publish(channel, each)
    }
    await person.attendance.send({ n: 2 })
    expect(page.inputs).toEqual([{ n: 1 }, { n: 2 }])
    page.tell({ type: 'focus', focus: null })
    await person.hears('focus')
  })

  test('what was sealed by the key before is opened where it is set as the old one', async () => {
    const server = await servers.start()
    const old: Keys = { vaultKey: aKey() }
    const both: Keys = { vaultKey: aKey(), vaultKeyOld: old.vaultKey }
    const before = closing(await deskAt(server.url, old))
    const visit = await aVisit(before.signIns)
    await before.desk.open(visit)
    const { browser, pages } = fakeBrowser()
    closing(await postAt(server.url, both, { browser, room: 1 }))
    const after = closing(await deskAt(server.url, both))
    const person = await personAt(after.desk, visit.id)
    await until(() => pages.length === 1)
    pages[0]?.signedIn(SIGNED_IN)
    await person.over
    expect(failureOf(person)).toBe('done')
  })

  test('nothing that is typed, seen or saved can be read in Redis, nor whose it is; and nothing stays', async () => {
    const { server, keys, desk, signIns, pages, person, page } = await inside()
    const { commands } = closing(await monitored(server))
    await person.attendance.send({ type: 'text', text: CANARY })
    page.tell(atAddress(`/${CANARY}`, CANARY))
    await person.hears('address')
    page.show(CANARY)
    await person.attendance.frame()
    const waits = await aVisit(signIns)
    await desk.open(waits)
    page.signedIn(SIGNED_IN)
    await person.over
    await until(() => pages.length === 2)
    const next = await personAt(desk, waits.id)
    pages[1]?.signedIn(SIGNED_IN)
    await next.over
    const keysLeft = async () => (await server.command('KEYS', '*visits*')) as string[]
    const fieldsOf = async (key: string) => ((await server.command('HKEYS', key)) as string[]).toSorted()
    const isOver = async (key: string) => (await fieldsOf(key)).includes('end')
    await until(async () => (await Promise.all((await keysLeft()).map(isOver))).every(Boolean))
    const all = commands.join('\n')
    for (const text of [CANARY, keys.vaultKey]) expect(all).not.toContain(text)
    const ofVisits = commands.filter((each) => /gleaner:\{?visits/.test(each)).join('\n')
    expect(ofVisits).toContain('PUBLISH')
    for (const text of [waits.account, waits.hash, source.name]) expect(ofVisits).not.toContain(text)
    const left = await keysLeft()
    expect(left).toHaveLength(2)
    for (const key of left) {
      const ttl = Number(await server.command('PTTL', key))
      expect(ttl).toBeGreaterThan(0)
      expect(ttl).toBeLessThanOrEqual(KEPT_MS)
      expect(await fieldsOf(key)).toEqual(['attending', 'end'])
    }
  })
})
