/**
 * The pace of sources: never faster than declared, never more at once, and quiet when the host asks for it.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RateLimiter, type Slot } from '../../src/net/rate-limiter.ts'
import type { Pace } from '../../src/plugin.ts'
import { RunRequests } from '../../src/worker/process/requests.ts'

type Asked = { readonly slot: Slot; readonly given: () => boolean }

/** Asks, where the slot may be given at once. Each is another account's, unless one is named. */
function askNow(rateLimiter: RateLimiter, pace: Pace, host = 'h', account = `acc_${asked++}`): Asked {
  let given = false
  const slot = rateLimiter.ask('s', host, pace, account, () => {
    given = true
  })
  return { slot, given: () => given }
}
let asked = 0

describe('requests to one host', () => {
  test('are never more at once than declared, and the next begins when one is over', () => {
    const rateLimiter = new RateLimiter(() => 0)
    const pace = { perSecond: 1000, concurrent: 2 }
    const [a, b, c] = [askNow(rateLimiter, pace), askNow(rateLimiter, pace), askNow(rateLimiter, pace)]
    expect([a, b, c].map((each) => each?.given())).toEqual([true, true, false])
    a?.slot.release()
    a?.slot.release()
    expect(c?.given()).toBe(true)
    expect(askNow(rateLimiter, pace).given()).toBe(false)
    rateLimiter.stop()
  })

  test('beyond the declared number wait until a second after the first', async () => {
    const rateLimiter = new RateLimiter()
    const starts: number[] = []
    await new Promise<void>((done) => {
      for (let i = 0; i < 5; i++) {
        rateLimiter.ask('s', 'h', { perSecond: 4, concurrent: 100 }, 'acc', () => {
          starts.push(performance.now())
          if (starts.length === 5) done()
        })
      }
    })
    expect(starts[4]! - starts[0]!).toBeGreaterThanOrEqual(999)
    rateLimiter.stop()
  })

  test('that nobody waits for any more are not made', () => {
    const rateLimiter = new RateLimiter(() => 0)
    const pace = { perSecond: 1000, concurrent: 1 }
    const [a, b, c] = [askNow(rateLimiter, pace), askNow(rateLimiter, pace), askNow(rateLimiter, pace)]
    b?.slot.release()
    a?.slot.release()
    expect([b?.given(), c?.given()]).toEqual([false, true])
    rateLimiter.stop()
  })
})

describe('accounts', () => {
  /** Asks in this order, and ends each request as soon as it is made; with as many at once. */
  function orderOf(names: readonly string[], concurrent: number): string[] {
    const rateLimiter = new RateLimiter(() => 0)
    const pace = { perSecond: 1000, concurrent }
    const order: string[] = []
    const open = new Map<string, Slot>()
    const ahead = askNow(rateLimiter, pace, 'h', 'ahead')
    const further = concurrent > 1 ? askNow(rateLimiter, pace, 'h', 'further') : undefined
    for (const name of names)
      open.set(
        name,
        rateLimiter.ask('s', 'h', pace, name[0]!, () => order.push(name)),
      )
    ahead.slot.release()
    for (let n = 0; n < order.length; n++) open.get(order[n]!)?.release()
    further?.slot.release()
    rateLimiter.stop()
    return order
  }

  test.each([
    ['one that asks for much, and others after it', 'a1 a2 a3 b1 c1', 'a1 b1 c1 a2 a3'],
    ['some that ask for as much', 'a1 a2 b1 b2 c1 c2', 'a1 b1 c1 a2 b2 c2'],
    ['one alone, in its order', 'a1 a2 a3', 'a1 a2 a3'],
  ])('take turns: %s', (_, asked, order) => {
    expect(orderOf(asked.split(' '), 1).join(' ')).toBe(order)
    expect(orderOf(asked.split(' '), 2).join(' ')).toBe(order)
  })

  test('that are alone may have all that is declared', () => {
    const rateLimiter = new RateLimiter(() => 0)
    const all = Array.from({ length: 3 }, () =>
      askNow(rateLimiter, { perSecond: 1000, concurrent: 2 }, 'h', 'alone'),
    )
    expect(all.map(({ given }) => given())).toEqual([true, true, false])
    rateLimiter.stop()
  })

  test.each([1, 2])('whose requests hang hold up nobody else’s, with %i at once', (concurrent) => {
    let now = 0
    const rateLimiter = new RateLimiter(() => now)
    const pace = { perSecond: 1000, concurrent }
    const hanging = Array.from({ length: 5 }, () => askNow(rateLimiter, pace, 'h', 'hangs'))
    const first = askNow(rateLimiter, pace, 'h', 'quick')
    expect(first.given()).toBe(false)
    now = 3000
    // Others than the one that it was given to hear of it by a timer.
    const second = askNow(rateLimiter, pace, 'h', 'quick')
    expect([first.given(), second.given()]).toEqual([true, false])
    first.slot.release()
    expect(second.given()).toBe(true)
    second.slot.release()
    // As many of the other one as it likes, one after the other, and none more of the one whose requests hang.
    for (let n = 0; n < 10; n++) {
      const quick = askNow(rateLimiter, pace, 'h', 'quick')
      expect(quick.given()).toBe(true)
      quick.slot.release()
    }
    expect(hanging.filter(({ given }) => given()).length).toBe(concurrent)
    rateLimiter.stop()
  })

  test('that wait for one that hangs are served when it has hung for long enough, without anybody asking', async () => {
    const rateLimiter = new RateLimiter()
    const pace = { perSecond: 1000, concurrent: 1 }
    askNow(rateLimiter, pace, 'h', 'hangs')
    const started = performance.now()
    await new Promise<void>((go) => rateLimiter.ask('s', 'h', pace, 'quick', go))
    expect(performance.now() - started).toBeGreaterThanOrEqual(2999)
    rateLimiter.stop()
  })

  const step = fc.record({
    account: fc.constantFrom('a', 'b', 'c', 'd'),
    ends: fc.boolean(),
    which: fc.nat(),
  })
  test('are served in turn, each in its own order, whatever they ask for and give back', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 4 }), (steps, concurrent) => {
        const rateLimiter = new RateLimiter(() => 0)
        type One = { account: string; n: number; status: 'waits' | 'busy' | 'over'; slot?: Slot }
        const all: One[] = []
        const of = (status: One['status'], account?: string) =>
          all.filter((one) => one.status === status && (account ?? one.account) === one.account)
        /** how often others were served while an account waited and might have been */
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
            one.slot?.release()
          } else {
            const one: One = { account, n: all.length, status: 'waits' }
            all.push(one)
            one.slot = rateLimiter.ask('s', 'h', { perSecond: 1e6, concurrent }, account, () => began(one))
          }
          expect(of('busy').length).toBeLessThanOrEqual(concurrent)
          // Whoever might go does not wait.
          if (of('busy').length < concurrent) expect(of('waits')).toEqual([])
        }
        rateLimiter.stop()
      }),
      { numRuns: 300 },
    )
  })
})

test('a host that asked to be left alone is, by all, and others are not', () => {
  let now = 0
  const rateLimiter = new RateLimiter(() => now)
  const first = askNow(rateLimiter, {})
  rateLimiter.pause('s', 'h', 10_000)
  first.slot.release()
  expect(rateLimiter.pausedMs('s', 'h')).toBe(10_000)
  expect(askNow(rateLimiter, {}).given()).toBe(false)
  expect(askNow(rateLimiter, {}, 'other').given()).toBe(true)
  now = 10_000
  expect(rateLimiter.pausedMs('s', 'h')).toBe(0)
  expect(askNow(rateLimiter, {}).given()).toBe(true)
  rateLimiter.stop()
})

test('a host can’t stop all requests for longer than five minutes', () => {
  const rateLimiter = new RateLimiter(() => 0)
  askNow(rateLimiter, {}).slot.release()
  rateLimiter.pause('s', 'h', 1e12)
  expect(rateLimiter.pausedMs('s', 'h')).toBe(300_000)
  rateLimiter.stop()
})

describe('a run whose time is up', () => {
  const askedAfter = (pauseMs: number): unknown => {
    const rateLimiter = new RateLimiter()
    const answers: unknown[] = []
    const requests = new RunRequests(rateLimiter, { name: 'lamps' }, 'acc', Date.now(), (answer) =>
      answers.push(answer),
    )
    requests.acquire(1, 'lamps.example')
    requests.release(1, pauseMs)
    requests.acquire(2, 'lamps.example')
    requests.releaseAll()
    rateLimiter.stop()
    return answers[1]
  }

  test('is told of a pause only where the host has asked for one', () => {
    expect(askedAfter(0)).toEqual({ type: 'acquired', id: 2, paused: false })
    expect(askedAfter(60_000)).toEqual({ type: 'acquired', id: 2, paused: true })
  })
})
