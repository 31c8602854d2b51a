/** Read models in Redis survive every failure of the server; only time is lost. */
import { afterEach, describe, expect, test } from 'bun:test'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { hasCluster, hasRedis, joined, redisServers, type TestRedis } from '../../rigs/servers/redis.ts'
import { build, goOn, publish } from '../../rigs/support/read-models.ts'
import { clock, replaceClock } from '../../src/async/clock.ts'
import { ConfigError } from '../../src/config.ts'
import type { EventLog, Position } from '../../src/log/event-log.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { Projector } from '../../src/read/projector.ts'
import { type Model, nextOf, type ReadModels } from '../../src/read/read-models.ts'
import { RedisReadModels } from '../../src/read/redis/read-models.ts'
import { waitingFor } from '../../src/read/wait-until-projected.ts'
import { openRedis, type RedisConnection, type RedisOptions } from '../../src/redis/connection.ts'
import { accountId, History } from './history.ts'
import { counted, counter, counts, logger, until, workshop } from './projecting.ts'

const servers = redisServers()
const { newFile, openLog, start } = workshop()
const connections: RedisConnection[] = []
afterEach(async () => {
  for (const redis of connections.splice(0)) await redis.close()
})

const LONG = 60_000

async function connected(url: string, options?: RedisOptions): Promise<RedisConnection> {
  const redis = await openRedis(url, options)
  connections.push(redis)
  return redis
}
const opened = async (url: string, options?: RedisOptions) =>
  new RedisReadModels(await connected(url, options))

const things: Model = { name: 'things', version: 1, indexes: { by_n: ['n'] } }
const at = (position: number) => ({ logId: 'log', position: position as Position })
const write = (models: ReadModels, to: number, of: Model = things) =>
  publish(models, of, at(to), [['a', { n: to }]])

/** Writes grants and waits until they are counted. */
async function grown(log: EventLog, history: History, models: ReadModels, to: number): Promise<void> {
  while (((await log.head()) ?? 0) < to) await history.grant()
  await until(async () => (await counted(models).catch(() => undefined)) === to)
}

describe.skipIf(!hasRedis)('a projector on Redis', () => {
  test(
    'writes at once what a reader in another process waits for',
    async () => {
      const server = await servers.start()
      const log = openLog()
      const history = new History(log)
      await history.grant()
      await start(log, await opened(server.url))
      const models = await opened(server.url)
      const waitUntilProjected = waitingFor(log, models)
      await until(async () => (await counted(models)) === 1)
      // No time passes between two commits, so the pause between them never ends by itself.
      const still = clock.monotonic()
      replaceClock({ now: Date.now, monotonic: () => still })
      try {
        for (const n of [2, 3, 4]) {
          await history.grant()
          expect(await waitUntilProjected(counts)).toBe(true)
          expect(await counted(models)).toBe(n)
        }
      } finally {
        replaceClock()
      }
    },
    LONG,
  )

  test.each([
    ['emptied', (server: TestRedis) => server.command('FLUSHALL')],
    [
      'restarted without its data',
      async (server: TestRedis) => {
        await server.stop()
        await server.start()
      },
    ],
  ])(
    'refills a store that was %s, also without new events',
    async (_, lose) => {
      const server = await servers.start()
      const models = await opened(server.url)
      const log = openLog()
      const history = new History(log)
      const projector = await start(log, models, [counts], logger())
      await grown(log, history, models, 30)
      await projector.caughtUp()
      await lose(server)
      await until(async () => (await counted(models).catch(() => undefined)) === 30)
      await grown(log, history, models, 35)
      await projector.caughtUp()
      expect(await models.checkpoint(counts)).toMatchObject({ logId: log.id, position: 35 as Position })
    },
    LONG,
  )

  test(
    'continues after its connections are cut again and again, and counts nothing twice',
    async () => {
      const server = await servers.start()
      const models = await opened(server.url)
      const log = openLog()
      const history = new History(log)
      const projector = await start(log, models, [counts], logger())
      for (let round = 1; round <= 8; round++) {
        for (let i = 0; i < 25; i++) await history.grant()
        await server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      }
      await projector.caughtUp()
      expect(await counted(models)).toBe(200)
    },
    LONG,
  )

  test(
    'retries while memory is full, keeps serving reads, and catches up once there is room',
    async () => {
      const server = await servers.start()
      const models = await opened(server.url)
      const log = openLog()
      const history = new History(log)
      const testLogger = logger()
      const projector = await start(log, models, [counts], testLogger)
      await grown(log, history, models, 3)
      await projector.caughtUp()
      await server.command('CONFIG', 'SET', 'maxmemory', 1)
      await history.grant()
      await until(() => testLogger.messages.includes('Read models could not be written. Trying again.'))
      expect(await counted(models)).toBe(3)
      await expect(write(models, 1)).rejects.toThrow(StoreUnavailable)
      expect(await models.checkpoint(things)).toBeNull()
      await server.command('CONFIG', 'SET', 'maxmemory', 0)
      await projector.caughtUp()
      expect(await counted(models)).toBe(4)
    },
    LONG,
  )

  test(
    'stands by while another projector works, and takes over when that one stops',
    async () => {
      const server = await servers.start()
      const file = newFile()
      const [mine, its] = [openLog(file), openLog(file)]
      const history = new History(mine)
      const models = await opened(server.url)
      const first = await start(mine, await opened(server.url), [counts], logger())
      const lost = await connected(server.url)
      const second = await start(its, new RedisReadModels(lost), [counts], logger())
      for (let i = 0; i < 50; i++) await history.grant()
      await Promise.all([first.caughtUp(), second.caughtUp()])
      expect(await counted(models)).toBe(50)
      await first.stop()
      const stopped = performance.now()
      await grown(mine, history, models, 51)
      expect(performance.now() - stopped).toBeLessThan(5000)
      await second.caughtUp()
      expect(await counted(models)).toBe(51)
    },
    LONG,
  )

  test(
    'continues on a promoted replica once the address leads to it',
    async () => {
      const [old, next] = [await servers.start('--repl-diskless-sync-delay', '0'), await servers.start()]
      await next.command('REPLICAOF', '127.0.0.1', old.port)
      const redirection = await redirect(old.port)
      const models = await opened(redirection.url)
      const log = openLog()
      const history = new History(log)
      const projector = await start(log, models, [counts], logger())
      await grown(log, history, models, 10)
      await until(async () => /master_link_status:up/.test(String(await next.command('INFO', 'replication'))))
      await next.command('REPLICAOF', 'NO', 'ONE')
      redirection.to(next.port)
      await old.command('REPLICAOF', '127.0.0.1', next.port)
      await grown(log, history, models, 20)
      await projector.caughtUp()
      expect(await counted(await opened(next.url))).toBe(20)
      await redirection.close()
    },
    LONG,
  )

  test.skipIf(!hasCluster)(
    'refills cluster nodes that lost their data',
    async () => {
      const nodes = await Promise.all([1, 2, 3].map(() => servers.start('--cluster-enabled', 'yes')))
      await joined(nodes)
      const models = await opened(nodes[1]!.url)
      const log = openLog()
      const history = new History(log)
      const many = ['one', 'two', 'three', 'four', 'five', 'six'].map((name) => counter(1, name))
      const projector = await start(log, models, many, logger())
      for (let i = 0; i < 20; i++) await history.grant()
      await projector.caughtUp()
      const used = await Promise.all(nodes.map((node) => node.command('DBSIZE')))
      expect(used.filter((size) => Number(size) > 0).length).toBeGreaterThan(1)
      const allShow = async () => {
        const head = Number(await log.head())
        await until(async () => {
          const rows = await Promise.all(
            many.map((model) => counted(models, 1, model).catch(() => undefined)),
          )
          return rows.every((row) => row === head)
        })
      }
      for (const node of nodes) {
        await node.command('FLUSHALL')
        await history.grant()
        await allShow()
      }
      for (const node of nodes.slice(0, 2)) {
        await node.stop()
        await history.grant()
        await node.start()
        await allShow()
      }
    },
    LONG,
  )
})

describe.skipIf(!hasRedis)('an unavailable Redis', () => {
  test(
    'that is frozen fails calls with StoreUnavailable within the timeout, and recovers when it is thawed',
    async () => {
      const server = await servers.start()
      const failures: Error[] = []
      const models = await opened(server.url, { onFailure: (error) => failures.push(error) })
      await write(models, 1)
      server.freeze()
      for (let i = 0; i < 3; i++) {
        const began = performance.now()
        const reads = [
          models.get(things, 'a'),
          models.checkpoint(things),
          models.list(things, 'by_n', { equals: [], order: 'ascending', limit: 1 }),
        ]
        for (const answer of await Promise.allSettled(reads)) {
          expect(answer).toMatchObject({ status: 'rejected', reason: { name: 'StoreUnavailable' } })
        }
        expect(performance.now() - began).toBeLessThan(2000)
      }
      server.thaw()
      await until(async () => (await models.get(things, 'a').catch(() => undefined)) !== undefined)
      expect(await models.get(things, 'a')).toEqual({ n: 1 })
    },
    LONG,
  )

  test(
    'that is stopped fails calls with StoreUnavailable, is reported once, and is found when it is back',
    async () => {
      const server = await servers.start('--appendonly', 'yes', '--appendfsync', 'always')
      const failures: Error[] = []
      const models = await opened(server.url, { onFailure: (error) => failures.push(error) })
      await write(models, 1)
      await server.stop()
      for (let i = 0; i < 3; i++) await expect(models.get(things, 'a')).rejects.toThrow(StoreUnavailable)
      await until(() => failures.length > 0)
      await server.start()
      await until(async () => (await models.get(things, 'a').catch(() => undefined)) !== undefined)
      expect(await models.get(things, 'a')).toEqual({ n: 1 })
      expect(await models.checkpoint(things)).toMatchObject(at(1))
      expect(failures).toHaveLength(1)
      expect(failures[0]).toBeInstanceOf(StoreUnavailable)
    },
    LONG,
  )

  test(
    'fails the start of a projector, which can be started again once it is back',
    async () => {
      const server = await servers.start()
      await server.stop()
      const log = openLog()
      await new History(log).grant()
      const models = await opened(server.url)
      const projector = new Projector(log, models, [counts])
      await expect(projector.start()).rejects.toThrow(StoreUnavailable)
      await server.start()
      const isStarted = () =>
        projector.start().then(
          () => true,
          () => false,
        )
      await until(isStarted)
      await until(async () => (await counted(models)) === 1)
      await projector.stop()
    },
    LONG,
  )

  test(
    'that timed out gets no calls until it answers again; an error reply counts as an answer',
    async () => {
      const server = await servers.start()
      const failures: Error[] = []
      const redis = await connected(server.url, { onFailure: (error) => failures.push(error) })
      let count = 0
      const ask = () =>
        redis.ask((client) => {
          count++
          return client.hget('things', 'a')
        })
      await server.command('SET', 'things', 'no hash')
      for (let i = 0; i < 2; i++) await expect(ask()).rejects.toThrow('WRONGTYPE')
      await server.command('DEL', 'things')
      server.freeze()
      await expect(ask()).rejects.toThrow(StoreUnavailable)
      for (let i = 0; i < 50; i++) await expect(ask()).rejects.toThrow('Redis is not responding')
      expect([count, failures.length]).toEqual([3, 1])
      server.thaw()
      await until(async () => (await ask().catch(() => undefined)) === null)
    },
    LONG,
  )

  test(
    'does not prevent the service from starting, and is found later',
    async () => {
      const server = await servers.start()
      await server.stop()
      const failures: Error[] = []
      const models = await opened(server.url, { onFailure: (error) => failures.push(error) })
      expect(failures).toHaveLength(1)
      await expect(models.get(things, 'a')).rejects.toThrow(StoreUnavailable)
      await server.start()
      await until(async () => (await write(models, 1).catch(() => false)) === true)
      expect(await models.get(things, 'a')).toEqual({ n: 1 })
    },
    LONG,
  )

  test('user, password and database of the URL are used, and a refusal by the server is a ConfigError', async () => {
    const server = await servers.start('--requirepass', 'a secret')
    const url = (front: string, end = '') => `redis://${front}127.0.0.1:${server.port}${end}`
    for (const wrong of [url(':wrong@'), url(''), url('nobody:a%20secret@'), url(':a%20secret@', '/99')]) {
      const refused = openRedis(wrong)
      await expect(refused).rejects.toThrow(ConfigError)
      await expect(refused).rejects.toThrow(/^REDIS_URL: the server refuses it: /)
      await refused.catch((error) => expect(error.message).not.toContain('secret'))
    }
    const models = await opened(url('default:a%20secret@', '/3?family=4'))
    await write(models, 1)
    const zero = await opened(url(':a%20secret@'))
    expect(await zero.get(things, 'a')).toBeUndefined()
    expect(await (await opened(url(':a%20secret@', '/3'))).get(things, 'a')).toEqual({ n: 1 })
  })

  test('a Redis that may evict rows causes a warning', async () => {
    const server = await servers.start('--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru')
    const warnings: string[] = []
    await opened(server.url, { onWarning: (message) => warnings.push(message) })
    expect(warnings).toEqual([expect.stringContaining('allkeys-lru')])
    await server.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
    await opened(server.url, { onWarning: (message) => warnings.push(message) })
    expect(warnings).toHaveLength(1)
  })
})

describe.skipIf(!hasRedis)('a rebuild on Redis', () => {
  test('leaves the current generation readable until it publishes, even when that was idle for long', async () => {
    const server = await servers.start()
    const models = await opened(server.url)
    await write(models, 5)
    const [field] = (await server.command('HKEYS', 'gleaner:{things}:standing')) as string[]
    await server.command('HSET', 'gleaner:{things}:standing', field!, 'log 5 0 1')
    const other = await opened(server.url)
    await build(other, things, at(7), [['a', { n: 7 }]])
    expect(await models.get(things, 'a')).toEqual({ n: 5 })
    expect(await other.publish(things)).toBe(true)
    expect(await models.get(things, 'a')).toEqual({ n: 7 })
  })
})

describe.skipIf(!hasRedis)('versions in Redis', () => {
  const aged = async (server: TestRedis, field: string) => {
    const text = String(await server.command('HGET', 'gleaner:{things}:standing', field))
    const [log, position, generation, moved] = text.split(' ')
    const before = Number(moved) - 25 * 3_600_000
    await server.command(
      'HSET',
      'gleaner:{things}:standing',
      field,
      `${log} ${position} ${generation} ${before}`,
    )
  }
  const fieldOf = async (server: TestRedis, front: string) => {
    const fields = (await server.command('HKEYS', 'gleaner:{things}:standing')) as string[]
    return fields.find((field) => field.startsWith(front))!
  }

  test('an old version is deleted after an idle day once passed, and a next generation after an idle day', async () => {
    const server = await servers.start()
    const models = await opened(server.url)
    const version = (n: number): Model => ({ ...things, version: n })
    await write(models, 5, version(1))
    await write(models, 9, version(2))
    await write(models, 9, version(4))
    await build(models, version(1), at(9))
    for (const front of ['1.', '2.', '4.']) await aged(server, await fieldOf(server, front))
    const fields = (await server.command('HKEYS', 'gleaner:{things}:standing')) as string[]
    await aged(server, fields.find((field) => field.endsWith('.next'))!)
    // A new process checks with its first commit.
    const newer = await opened(server.url)
    await write(newer, 7, version(3))
    await goOn(newer, version(3), at(7))
    expect(await newer.checkpoint(version(1))).toBeNull()
    expect(await newer.get(version(1), 'a')).toBeUndefined()
    expect(await newer.checkpoint(nextOf(version(1)))).toBeNull()
    expect(await newer.get(version(2), 'a')).toEqual({ n: 9 })
    expect(await newer.get(version(4), 'a')).toEqual({ n: 9 })
    expect(((await server.command('KEYS', '*things}:1.*')) as string[]).length).toBe(0)
  })

  test('a model whose indexes changed under the same version starts over', async () => {
    const models = await opened((await servers.start()).url)
    await write(models, 1)
    const changed: Model = { ...things, indexes: { by_m: ['m'] } }
    expect(await models.checkpoint(changed)).toBeNull()
    expect(await models.get(changed, 'a')).toBeUndefined()
    expect(await write(models, 1, changed)).toBe(true)
  })

  test('an indexed field that is neither a number nor a text is refused with an error', async () => {
    const models = await opened((await servers.start()).url)
    await publish(models, things, at(1))
    await expect(goOn(models, things, at(2), [['a', { n: true }]])).rejects.toThrow('n is indexed')
    expect(await models.checkpoint(things)).toMatchObject(at(1))
  })

  test('all keys of a model have its name as hash tag, and rows are stored as plain JSON', async () => {
    const server = await servers.start()
    const log = openLog()
    const models = await opened(server.url)
    await new History(log).grant()
    await (await start(log, models)).caughtUp()
    const keys = (await server.command('KEYS', '*')) as string[]
    expect(keys.every((key) => key.startsWith('gleaner:{counts}:'))).toBe(true)
    const [rows] = keys.filter((key) => key.endsWith(':rows'))
    expect(await server.command('HGET', rows!, accountId(1))).toBe(
      JSON.stringify(await models.get(counts, accountId(1))),
    )
  })
})

/** An address that can be redirected to another server; existing connections stay where they are. */
async function redirect(port: number) {
  let target = port
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    const onward = connect(target, '127.0.0.1')
    for (const end of [socket, onward]) {
      sockets.add(end)
      end.on('error', () => {})
      end.on('close', () => {
        socket.destroy()
        onward.destroy()
      })
    }
    socket.pipe(onward).pipe(socket)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `redis://127.0.0.1:${(server.address() as { port: number }).port}`,
    to(next: number): void {
      target = next
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}
