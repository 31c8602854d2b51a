/**
 * The rate limiter: it keeps a source's declared rate and concurrency, and pauses when the host asks for it.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { skippingTime } from '../../rigs/support/skipped-time.ts'
import { RateLimiter, type Release } from '../../src/net/rate-limiter.ts'
import type { Pace } from '../../src/plugin.ts'
import { Execution, type ExecutionDeps, type Request } from '../../src/worker/process/execution.ts'

type Slot = { readonly release: Release; readonly isGranted: () => boolean }

/** Asks for a slot, which may be granted synchronously. Each call is for another account unless one is given. */
function askNow(rateLimiter: RateLimiter, pace: Pace, host = 'h', account = `acc_${count++}`): Slot {
  let isGranted = false
  const release = rateLimiter.ask({ name: 's', pace }, host, account, FOREVER, () => {
    isGranted = true
  })
  return { release, isGranted: () => isGranted }
}
let count = 0
const FOREVER = Number.POSITIVE_INFINITY

describe('requests to one host', () => {
  test('never exceed the declared concurrency, and the next begins when one ends', () => {
    const rateLimiter = new RateLimiter(() => 0)
    const pace = { perSecond: 1000, concurrent: 2 }
    const [a, b, c] = [askNow(rateLimiter, pace), askNow(rateLimiter, pace), askNow(rateLimiter, pace)]
    expect([a, b, c].map((each) => each?.isGranted())).toEqual([true, true, false])
    a?.release(0)
    a?.release(0)
    expect(c?.isGranted()).toBe(true)
    expect(askNow(rateLimiter, pace).isGranted()).toBe(false)
  })

  test('beyond the declared rate wait until a second after the first', async () => {
    const rateLimiter = new RateLimiter()
    // From before the first request: on a busy machine time passes between its turn and its start.
    const asked = performance.now()
    const starts: number[] = []
    await new Promise<void>((done) => {
      for (let i = 0; i < 5; i++) {
        rateLimiter.ask({ name: 's', pace: { perSecond: 4, concurrent: 100 } }, 'h', 'acc', FOREVER, () => {
          starts.push(performance.now())
          if (starts.length === 5) done()
        })
      }
    })
    expect(starts[4]! - asked).toBeGreaterThanOrEqual(999)
  })

  test('released while they wait are never made', () => {
    const rateLimiter = new RateLimiter(() => 0)
    const pace = { perSecond: 1000, concurrent: 1 }
    const [a, b, c] = [askNow(rateLimiter, pace), askNow(rateLimiter, pace), askNow(rateLimiter, pace)]
    b?.release(0)
    a?.release(0)
    expect([b?.isGranted(), c?.isGranted()]).toEqual([false, true])
  })
})

test('very many requests of one run wait and are released without blocking the process', () => {
  const rateLimiter = new RateLimiter(() => 0)
  const pace = { perSecond: 1000, concurrent: 1 }
  // If each of them were compared with all others, this would take minutes.
  const all = Array.from({ length: 100_000 }, () => askNow(rateLimiter, pace, 'h', 'busy'))
  const other = askNow(rateLimiter, pace)
  for (const { release } of all.toReversed()) release(0)
  expect([all.filter(({ isGranted }) => isGranted()).length, other.isGranted()]).toEqual([1, true])
})

describe('accounts', () => {
  /** Asks in the given order and ends each request as soon as it is made. @param concurrent the declared concurrency */
  function orderOf(names: readonly string[], concurrent: number): string[] {
    const rateLimiter = new RateLimiter(() => 0)
    const pace = { perSecond: 1000, concurrent }
    const order: string[] = []
    const open = new Map<string, Release>()
    const ahead = askNow(rateLimiter, pace, 'h', 'ahead')
    const further = concurrent > 1 ? askNow(rateLimiter, pace, 'h', 'further') : undefined
    for (const name of names)
      open.set(
        name,
        rateLimiter.ask({ name: 's', pace }, 'h', name[0]!, FOREVER, () => order.push(name)),
      )
    ahead.release(0)
    for (let n = 0; n < order.length; n++) open.get(order[n]!)?.(0)
    further?.release(0)
    return order
  }

  test.each([
    ['one account with many requests, and later ones with one each', 'a1 a2 a3 b1 c1', 'a1 b1 c1 a2 a3'],
    ['accounts with equally many requests', 'a1 a2 b1 b2 c1 c2', 'a1 b1 c1 a2 b2 c2'],
    ['a single account, in its own order', 'a1 a2 a3', 'a1 a2 a3'],
  ])('take turns: %s', (_, requests, order) => {
    expect(orderOf(requests.split(' '), 1).join(' ')).toBe(order)
    expect(orderOf(requests.split(' '), 2).join(' ')).toBe(order)
  })

  test('without competitors may use the whole declared concurrency', () => {
    const rateLimiter = new RateLimiter(() => 0)
    const all = Array.from({ length: 3 }, () =>
      askNow(rateLimiter, { perSecond: 1000, concurrent: 2 }, 'h', 'alone'),
    )
    expect(all.map(({ isGranted }) => isGranted())).toEqual([true, true, false])
  })

  test.each([1, 2])('whose requests hang do not block other accounts, with concurrency %i', (concurrent) => {
    let now = 0
    const rateLimiter = new RateLimiter(() => now)
    const pace = { perSecond: 1000, concurrent }
    const hanging = Array.from({ length: 5 }, () => askNow(rateLimiter, pace, 'h', 'hangs'))
    const first = askNow(rateLimiter, pace, 'h', 'quick')
    expect(first.isGranted()).toBe(false)
    now = 3000
    // The next call grants the waiting request. Without a call, a timer does.
    const second = askNow(rateLimiter, pace, 'h', 'quick')
    expect([first.isGranted(), second.isGranted()]).toEqual([true, false])
    first.release(0)
    expect(second.isGranted()).toBe(true)
    second.release(0)
    // The quick account gets any number of requests in succession; the hanging account gets no further one.
    for (let n = 0; n < 10; n++) {
      const quick = askNow(rateLimiter, pace, 'h', 'quick')
      expect(quick.isGranted()).toBe(true)
      quick.release(0)
    }
    expect(hanging.filter(({ isGranted }) => isGranted()).length).toBe(concurrent)
  })

  test('that wait behind a hanging request are served after 3 s by a timer, without another call', async () => {
    const rateLimiter = new RateLimiter()
    const pace = { perSecond: 1000, concurrent: 1 }
    askNow(rateLimiter, pace, 'h', 'hangs')
    const started = performance.now()
    await new Promise<void>((go) => rateLimiter.ask({ name: 's', pace }, 'h', 'quick', FOREVER, () => go()))
    expect(performance.now() - started).toBeGreaterThanOrEqual(2999)
  })

  const step = fc.record({
    account: fc.constantFrom('a', 'b', 'c', 'd'),
    ends: fc.boolean(),
    which: fc.nat(),
  })
  test('are served in turn, each in its own order, for any sequence of requests and releases', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 4 }), (steps, concurrent) => {
        const rateLimiter = new RateLimiter(() => 0)
        type One = { account: string; n: number; status: 'waits' | 'busy' | 'over'; release?: Release }
        const all: One[] = []
        const of = (status: One['status'], account?: string) =>
          all.filter((one) => one.status === status && (account ?? one.account) === one.account)
        /** by waiting account: the other accounts that were served since it could have been */
        const passed = new Map<string, string[]>()
        const began = (one: One) => {
          expect(of('waits', one.account)[0]).toBe(one)
          one.status = 'busy'
          passed.delete(one.account)
          for (const other of new Set(of('waits').map(({ account }) => account)))
            if (other !== one.account) passed.set(other, [...(passed.get(other) ?? []), one.account])
          for (const others of passed.values()) expect(new Set(others).size).toBe(others.length)
        }
        for (const { account, ends, which } of steps) {
          const running = of('busy')
          if (ends && running.length > 0) {
            const one = running[which % running.length]!
            one.status = 'over'
            one.release?.(0)
          } else {
            const one: One = { account, n: all.length, status: 'waits' }
            all.push(one)
            const source = { name: 's', pace: { perSecond: 1e6, concurrent } }
            one.release = rateLimiter.ask(source, 'h', account, FOREVER, () => began(one))
          }
          expect(of('busy').length).toBeLessThanOrEqual(concurrent)
          // No request waits while a slot is free.
          if (of('busy').length < concurrent) expect(of('waits')).toEqual([])
        }
      }),
      { numRuns: 300 },
    )
  })
})

test('a paused host gets no request until the pause ends, and other hosts are not affected', () => {
  let now = 0
  const rateLimiter = new RateLimiter(() => now)
  const first = askNow(rateLimiter, {})
  first.release(10_000)
  expect(askNow(rateLimiter, {}).isGranted()).toBe(false)
  expect(askNow(rateLimiter, {}, 'other').isGranted()).toBe(true)
  now = 9999
  expect(askNow(rateLimiter, {}).isGranted()).toBe(false)
  now = 10_000
  expect(askNow(rateLimiter, {}).isGranted()).toBe(true)
})

describe('a run without enough time left', () => {
  /** What a run is told that asks after a host's request for a pause; undefined while it waits. */
  const toldAfter = (pauseMs: number, leftMs: number): boolean | undefined => {
    const rateLimiter = new RateLimiter(() => 0)
    askNow(rateLimiter, {}).release(pauseMs)
    let wasPaused: boolean | undefined
    rateLimiter.ask({ name: 's' }, 'h', 'acc', leftMs, (isPaused) => {
      wasPaused = isPaused
    })
    return wasPaused
  }

  test('is told of a pause only if the host has asked for one', () => {
    expect(toldAfter(0, 0)).toBe(false)
    expect(toldAfter(60_000, 0)).toBe(true)
    expect(toldAfter(60_000, 60_000)).toBe(true)
    expect(toldAfter(60_000, 60_001)).toBeUndefined()
  })

  test('does not have to wait out more than five minutes', () => {
    expect(toldAfter(1e12, 300_000)).toBe(true)
    expect(toldAfter(1e12, 300_001)).toBeUndefined()
  })

  test('takes no slot', () => {
    let now = 0
    const rateLimiter = new RateLimiter(() => now)
    const source = { name: 's', pace: { perSecond: 1000, concurrent: 1 } }
    askNow(rateLimiter, source.pace).release(60_000)
    rateLimiter.ask(source, 'h', 'acc', 0, () => {})
    now = 60_000
    expect(askNow(rateLimiter, source.pace).isGranted()).toBe(true)
  })
})

test('a run whose child asks repeatedly with the same id leaves no slot taken', () => {
  const rateLimiter = new RateLimiter(() => 0)
  const pace = { perSecond: 1000, concurrent: 2 }
  const job = { runId: 'run_1', module: 'x', taskKey: 's.x', input: '{}', until: Date.now() + 60_000 }
  const request = { job, account: 'acc', memoryMb: 512, source: { name: 's', origin: 'https://h', pace } }
  const execution = new Execution(1, request as unknown as Request, { rateLimiter } as ExecutionDeps)
  for (let i = 0; i < 3; i++) execution.hear({ type: 'acquire', id: 1, host: 'h' })
  const others = [askNow(rateLimiter, pace), askNow(rateLimiter, pace)]
  expect(others.map(({ isGranted }) => isGranted())).toEqual([true, false])
  execution.done({ kind: 'died', cause: 'killed', reason: '', alone: true })
  expect(others.map(({ isGranted }) => isGranted())).toEqual([true, true])
})

test('a run hears when a pause of a host is over, though its requests wait for their turn for longer', async () => {
  const pauses: number[] = []
  const { ms } = await skippingTime(async () => {
    const rateLimiter = new RateLimiter()
    const source = { name: 's', pace: { perSecond: 0.1, concurrent: 1 } }
    const over = Promise.withResolvers<void>()
    const onPause = (pauseMs: number) => {
      pauses.push(Math.round(pauseMs))
      if (pauseMs === 0) over.resolve()
    }
    const ask = () => rateLimiter.ask(source, 'h', 'acc', FOREVER, () => {}, onPause)
    ask()(2000)
    for (let i = 0; i < 2; i++) ask()
    await over.promise
  })
  expect(pauses).toEqual([2000, 2000, 0, 0])
  expect(Math.round(ms / 10)).toBe(200)
})

test('a run hears when its requests wait because a host asked for a pause, and when they go on', () => {
  let now = 0
  const rateLimiter = new RateLimiter(() => now)
  const pace = { perSecond: 1000, concurrent: 1 }
  const told: boolean[] = []
  const onPause = (isPaused: boolean) => void told.push(isPaused)
  const job = { runId: 'run_1', module: 'x', taskKey: 's.x', input: '{}', until: Date.now() + 60_000 }
  const request = {
    job,
    account: 'acc',
    memoryMb: 512,
    source: { name: 's', origin: 'https://h', pace },
    onPause,
  }
  const execution = new Execution(1, request as unknown as Request, { rateLimiter } as ExecutionDeps)
  const acquire = (id: number) => execution.hear({ type: 'acquire', id, host: 'h' } as never)
  acquire(1)
  execution.hear({ type: 'release', id: 1, pauseMs: 30_000 } as never)
  expect(told).toEqual([])
  acquire(2)
  acquire(3)
  expect(told).toEqual([true])
  execution.hear({ type: 'release', id: 2, pauseMs: 0 } as never)
  expect(told).toEqual([true])
  now = 30_000
  execution.hear({ type: 'release', id: 3, pauseMs: 0 } as never)
  expect(told).toEqual([true, false])
  // A pause of a moment is not worth a word.
  acquire(4)
  execution.hear({ type: 'release', id: 4, pauseMs: 1000 } as never)
  acquire(5)
  expect(told).toEqual([true, false])
  execution.hear({ type: 'release', id: 5, pauseMs: 0 } as never)
})
