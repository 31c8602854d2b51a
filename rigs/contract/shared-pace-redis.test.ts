/** The shared pace in Redis: what nodes are answered, and what holds when Redis or a node fails. */
import { afterEach, describe, expect, test } from 'bun:test'
import { clock } from '../../src/async/clock.ts'
import { delay } from '../../src/async/delay.ts'
import { RedisSharedPace } from '../../src/ephemeral/redis/shared-pace.ts'
import type { PaceAnswer, PaceQuestion } from '../../src/ephemeral/shared-pace.ts'
import type { PacedSource } from '../../src/net/pace.ts'
import { RateLimiter, type Release } from '../../src/net/rate-limiter.ts'
import { openRedis, type RedisConnection } from '../../src/redis/connection.ts'
import { until } from '../servers/processes.ts'
import { hasRedis, redisServers } from '../servers/redis.ts'
import { skippingTime } from '../support/skipped-time.ts'
import { onRedis } from './on-redis.ts'

const START = Date.parse('2026-01-01T00:00:00Z')
const ONE_AT_ONCE = { name: 'lamps', pace: { perSecond: 1000, concurrent: 1 } }
const PER_SECOND = (most: number) => [{ most, lengthMs: 1000 }]

const opened: { close(): Promise<void> }[] = []
const remember = <T extends { close(): Promise<void> }>(one: T): T => {
  opened.unshift(one)
  return one
}
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

const question = (changes: Partial<PaceQuestion> = {}): PaceQuestion => ({
  key: 'lamps a.example',
  busy: 0,
  oldestMs: 0,
  windows: PER_SECOND(2),
  concurrent: 1000,
  mayExceed: false,
  ...changes,
})
const start = (ms: number, isExtra = false): PaceAnswer => ({ kind: 'start', ms, isExtra })
const full = { kind: 'full' } as const

onRedis((name, emptied) => {
  describe(`the shared pace on ${name}`, () => {
    let now = START
    const at = (ms: number) => {
      now = START + ms
    }
    const open = async (count: number) => {
      at(0)
      const redis = remember(await openRedis(await emptied()))
      return Array.from({ length: count }, () => remember(new RedisSharedPace(redis, { now: () => now })))
    }
    test('starts follow each other at the pace, whichever node asks', async () => {
      const [one, two] = await open(2)
      const answers = []
      for (const node of [one!, two!, one!, two!, two!]) answers.push(await node.ask(question()))
      expect(answers).toEqual([start(0), start(0), start(1000), start(1000), start(2000)])
    })

    test('another host has a bucket of its own', async () => {
      const [one] = await open(1)
      for (let i = 0; i < 2; i++) await one!.ask(question())
      expect(await one!.ask(question({ key: 'lamps b.example' }))).toEqual(start(0))
    })

    test('after a rest only one burst may start at once', async () => {
      const [one, two] = await open(2)
      for (let i = 0; i < 2; i++) await one!.ask(question())
      at(100_000)
      const answers = []
      for (const node of [one!, two!, one!]) answers.push(await node.ask(question()))
      expect(answers).toEqual([start(0), start(0), start(1000)])
    })

    test('all windows hold, also below one a second, exactly over many starts', async () => {
      const [one] = await open(1)
      const windows = [...PER_SECOND(1), { most: 3, lengthMs: 60_000 }]
      const answers = []
      for (let i = 0; i < 7; i++) answers.push((await one!.ask(question({ windows }))).ms)
      expect(answers).toEqual([0, 1000, 2000, 60_000, 61_000, 62_000, 120_000])
      let last = 0
      for (let i = 0; i < 31; i++)
        last = (await one!.ask(question({ key: 'thirds', windows: [{ most: 1, lengthMs: 1000 / 3 }] }))).ms
      expect(last).toBe(10_000)
    })

    test('the number at once holds over all nodes, and one goes on when another is done', async () => {
      const [one, two] = await open(2)
      const ask = (node: RedisSharedPace, busy: number) => node.ask(question({ busy, concurrent: 2 }))
      expect([await ask(one!, 0), await ask(two!, 0)]).toEqual([start(0), start(0)])
      at(10_000)
      expect([await ask(one!, 1), await ask(two!, 1)]).toMatchObject([full, full])
      one!.tell({ key: question().key, busy: 0, oldestMs: 0 }, 0)
      let answer: PaceAnswer = { ...full, ms: 0 }
      while (answer.kind === 'full') answer = await ask(two!, 1)
      expect(answer).toEqual(start(0))
      expect(await ask(one!, 0)).toMatchObject(full)
    })

    /** Three nodes: the first has the one place, and the others wait for it in line. */
    async function inLine() {
      const [one, two, three] = await open(3)
      const ask = (node: RedisSharedPace, busy = 0) => node.ask(question({ busy, concurrent: 1 }))
      await ask(one!)
      at(1000)
      expect(await ask(two!)).toMatchObject(full)
      at(1001)
      expect(await ask(three!)).toMatchObject(full)
      return { one, two, three, ask }
    }

    test('nodes that wait for a place take turns, and those that no longer ask are passed over', async () => {
      const { one, three, ask } = await inLine()
      // Its request has ended, and it has another one: the others waited for longer.
      expect(await ask(one!)).toMatchObject(full)
      expect(await ask(three!)).toMatchObject(full)
      at(1700)
      expect(await ask(three!)).toEqual(start(0))
    })

    test('a node that says how many requests it has keeps its turn', async () => {
      const { one, two, three, ask } = await inLine()
      // With a pause the word is sent at once, and before later questions.
      for (const node of [two!, one!]) node.tell({ key: question().key, busy: 0, oldestMs: 0 }, 1)
      at(1100)
      expect(await ask(three!)).toMatchObject(full)
      expect(await ask(two!)).toEqual(start(0))
    })

    test('nodes ask again the later, the longer nothing has started and the more of them wait before', async () => {
      const nodes = await open(4)
      const ask = async (node: number, changes: Partial<PaceQuestion> = {}) =>
        (await nodes[node]!.ask(question({ concurrent: 1, ...changes }))).ms
      await ask(0)
      const answersAt = async (ms: number) => {
        const answers = []
        for (const node of [1, 2, 3]) {
          at(ms + node)
          answers.push(await ask(node))
        }
        return answers
      }
      expect(await answersAt(80)).toEqual([75, 150, 225])
      expect(await answersAt(900)).toEqual([113, 226, 339])
      expect(await answersAt(4000)).toEqual([501, 1000, 1000])
      // Long before the pace allows a start again, it would be of no use.
      const slow = { key: 'slow', windows: [{ most: 1, lengthMs: 700 }] }
      await ask(0, slow)
      expect(await ask(1, slow)).toBe(600)
    })

    test('nodes ask again soon beside a slow request of a node whose other requests are quick', async () => {
      const [one, two] = await open(2)
      await one!.ask(question({ concurrent: 2 }))
      at(60_000)
      expect(await one!.ask(question({ concurrent: 2, busy: 1, oldestMs: 60_000 }))).toEqual(start(0))
      at(60_080)
      expect(await two!.ask(question({ concurrent: 2 }))).toEqual({ ...full, ms: 75 })
    })

    test('while a request hangs at any node, one more may start for an account that has none', async () => {
      const [one, two] = await open(2)
      const ask = (node: RedisSharedPace, changes: Partial<PaceQuestion>) =>
        node.ask(question({ concurrent: 1, ...changes }))
      await ask(one!, {})
      at(2999)
      expect(await ask(two!, { mayExceed: true })).toMatchObject(full)
      at(3000)
      expect(await ask(two!, { mayExceed: false })).toMatchObject(full)
      expect(await ask(two!, { mayExceed: true })).toEqual(start(0, true))
      expect(await ask(two!, { mayExceed: true, busy: 1 })).toMatchObject(full)
    })

    test('a pause holds for all nodes, and takes no starts', async () => {
      const [one, two] = await open(2)
      one!.tell({ key: question().key, busy: 0, oldestMs: 0 }, 5000)
      one!.tell({ key: question().key, busy: 0, oldestMs: 0 }, 2000)
      expect(await two!.ask(question())).toEqual({ kind: 'paused', ms: 5000 })
      at(5000)
      expect(await two!.ask(question())).toEqual(start(0))
    })

    test('the requests of a node that says nothing for 15 seconds no longer count', async () => {
      const [dead, one] = await open(2)
      await dead!.ask(question({ concurrent: 1 }))
      at(15_000)
      expect(await one!.ask(question({ concurrent: 1 }))).toMatchObject(full)
      at(15_001)
      expect(await one!.ask(question({ concurrent: 1 }))).toEqual(start(0))
    })

    test('a clock that is set back holds up nothing for long', async () => {
      const [one, two] = await open(2)
      for (let i = 0; i < 2; i++) await one!.ask(question({ concurrent: 4 }))
      at(-3_600_000)
      expect(await two!.ask(question({ concurrent: 4, windows: PER_SECOND(2) }))).toEqual(start(0))
    })
  })
})

/** Makes one request after the other, each `ms` long. Returns how many, once no more is to begin. */
async function requestsOf(
  limiter: RateLimiter,
  mayBegin: () => boolean,
  source: PacedSource = ONE_AT_ONCE,
  ms = 100,
): Promise<number> {
  for (let count = 0; ; count++) {
    const release = await request(limiter, source)
    const begins = mayBegin()
    if (begins) await delay(ms)
    release(0)
    if (!begins) return count
  }
}

/** Resolves once a request has started. */
async function request(limiter: RateLimiter, source: PacedSource = ONE_AT_ONCE): Promise<Release> {
  const turn = Promise.withResolvers<void>()
  const release = limiter.ask(source, 'a.example', 'acc', Number.POSITIVE_INFINITY, () => turn.resolve())
  await turn.promise
  return release
}

describe.skipIf(!hasRedis)('the shared pace', () => {
  const servers = redisServers()
  const open = async (url: string): Promise<{ pace: RedisSharedPace; redis: RedisConnection }> => {
    const redis = remember(await openRedis(url))
    return { redis, pace: remember(new RedisSharedPace(redis)) }
  }
  /** Two nodes. `nextFailure` resolves when a call of the first one has failed. */
  const two = async () => {
    const server = await servers.start()
    const redis = remember(await openRedis(server.url))
    let failures = 0
    const ask = redis.ask.bind(redis)
    redis.ask = (call) =>
      ask(call).catch((error) => {
        failures++
        throw error
      })
    const nextFailure = async () => {
      const before = failures
      await until(() => failures > before)
    }
    // Time stands still, so that no node is dead.
    const options = { now: () => START, beatMs: 200 }
    const pace = remember(new RedisSharedPace(redis, options))
    const other = remember(new RedisSharedPace(remember(await openRedis(server.url)), options))
    return { server, pace, other, nextFailure }
  }

  test('counts the nodes, by the clock of the server, until they leave', async () => {
    const server = await servers.start()
    const nodes = await Promise.all([1, 2, 3].map(() => open(server.url)))
    for (const { pace } of nodes.slice(0, 2)) {
      pace.join()
      await until(() => pace.nodes >= 1)
      await pace.ask(question())
    }
    nodes[2]!.pace.join()
    await until(() => nodes[2]!.pace.nodes === 3)
    await nodes[0]!.pace.close()
    expect(await server.command('ZCARD', 'gleaner:nodes')).toBe(2)
  })

  test('nodes take turns also where the number at once decides and answers are slow', async () => {
    const server = await servers.start()
    const most = 36
    let begun = 0
    const node = async () => {
      const { pace } = await open(server.url)
      return requestsOf(new RateLimiter(undefined, {}, pace), () => ++begun <= most)
    }
    const counts = await Promise.all([node(), node(), node()])
    expect({ counts, isFair: Math.min(...counts) >= most / 3 / 2 }).toMatchObject({ isFair: true })
  })

  // `polled`: what nodes in line reach that ask every 50 ms.
  test.each([
    { quickMs: 100, polled: { starts: 593, questions: 2293 } },
    { quickMs: 500, polled: { starts: 170, questions: 2021 } },
    { quickMs: 1000, polled: { starts: 86, questions: 1931 } },
  ])(
    'three slow requests at a node do not slow others of $quickMs ms, with fewer questions than polling',
    async ({ quickMs, polled }) => {
      const server = await servers.start()
      let pending = 0
      let questions = 0
      const node = async () => {
        const redis = remember(await openRedis(server.url))
        const ask = redis.ask.bind(redis)
        redis.ask = (call) => {
          pending++
          return ask(call).finally(() => pending--)
        }
        const pace = new RedisSharedPace(redis, { now: clock.now })
        const askPace = pace.ask.bind(pace)
        pace.ask = (question) => {
          questions++
          return askPace(question)
        }
        return new RateLimiter(undefined, {}, pace)
      }
      const nodes = [await node(), await node()]
      const source = { name: 'lamps', pace: { perSecond: 10, concurrent: 4 } }
      let starts = 0
      const minute = async () => {
        for (let i = 0; i < 3; i++) await request(nodes[0]!, source)
        let isOver = false
        const all = nodes.flatMap((limiter) =>
          [1, 2].map(() => requestsOf(limiter, () => !isOver, source, quickMs)),
        )
        await delay(60_000)
        isOver = true
        for (const count of await Promise.all(all)) starts += count
      }
      expect((await skippingTime(minute, () => pending === 0)).error).toBeUndefined()
      expect(starts).toBeGreaterThan(polled.starts * 0.9)
      expect(questions).toBeLessThan(polled.questions)
    },
  )

  test('a request that ended while Redis was away is not counted afterwards', async () => {
    const { server, pace, other, nextFailure } = await two()
    const limiter = new RateLimiter(undefined, {}, pace)
    const source = { name: 'lamps', pace: { perSecond: 1000, concurrent: 2 } }
    const first = await request(limiter, source)
    server.freeze()
    // It starts by the node's share.
    const second = await request(limiter, source)
    first(0)
    second(0)
    await nextFailure()
    server.thaw()
    const asked = { key: 'lamps a.example', windows: PER_SECOND(1000), concurrent: 1 }
    await until(async () => (await other.ask(question(asked))).kind === 'start')
  }, 20_000)

  test('a pause that a source asked for while Redis was away is told afterwards', async () => {
    const { server, pace, other, nextFailure } = await two()
    server.freeze()
    await expect(pace.ask(question())).rejects.toThrow('Redis')
    pace.tell({ key: question().key, busy: 0, oldestMs: 0 }, 60_000)
    await nextFailure()
    server.thaw()
    await until(async () => (await other.ask(question())).kind === 'paused')
  }, 20_000)

  test('every key has a TTL', async () => {
    const server = await servers.start()
    const { pace } = await open(server.url)
    await pace.ask(question())
    pace.tell({ key: question().key, busy: 1, oldestMs: 0 }, 10_000)
    await pace.ask(question({ key: 'other' }))
    const keys = (await server.command('KEYS', '*')) as string[]
    expect(keys.length).toBeGreaterThanOrEqual(5)
    for (const key of keys) expect(Number(await server.command('PTTL', key))).toBeGreaterThan(0)
  })

  test('is kept even when memory is full', async () => {
    const server = await servers.start()
    const { pace } = await open(server.url)
    await server.command('CONFIG', 'SET', 'maxmemory', 1)
    const windows = [{ most: 1, lengthMs: 60_000 }]
    expect(await pace.ask(question({ windows }))).toEqual(start(0))
    expect((await pace.ask(question({ windows, busy: 1 }))).ms).toBeGreaterThan(50_000)
  })

  test('after Redis was emptied, one burst may start at once, and then the pace holds', async () => {
    const server = await servers.start()
    const { pace } = await open(server.url)
    const windows = [{ most: 1, lengthMs: 60_000 }]
    await pace.ask(question({ windows }))
    await server.command('FLUSHALL')
    expect(await pace.ask(question({ windows, busy: 1 }))).toEqual(start(0))
    expect((await pace.ask(question({ windows, busy: 2 }))).ms).toBeGreaterThan(50_000)
  })

  test('while Redis is frozen or away a question fails, and the last number of nodes stays known', async () => {
    const server = await servers.start()
    const nodes = await Promise.all([1, 2].map(() => open(server.url)))
    nodes[0]!.pace.join()
    await nodes[0]!.pace.ask(question())
    const { pace } = nodes[1]!
    pace.join()
    await until(() => pace.nodes === 2)
    server.freeze()
    await expect(pace.ask(question())).rejects.toThrow('Redis')
    expect(pace.nodes).toBe(2)
    server.thaw()
  })
})
