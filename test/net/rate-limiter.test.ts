/**
 * The pace of sources: never faster than declared, never more at once, and quiet when the host asks for it.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Paces, type Permit } from '../../src/net/rate-limiter.ts'
import type { Pace } from '../../src/plugin.ts'
import { Permits } from '../../src/worker/run-requests.ts'

type Asked = { readonly permit: Permit; readonly given: () => boolean }

/** Asks, where the permit may be given at once. Each is another account's, unless one is named. */
function askNow(paces: Paces, pace: Pace, host = 'h', account = `acc_${asked++}`): Asked {
  let given = false
  const permit = paces.ask('s', host, pace, account, () => {
    given = true
  })
  return { permit, given: () => given }
}
let asked = 0

describe('requests to one host', () => {
  test('are never more at once than declared, and the next begins when one is over', () => {
    const paces = new Paces(() => 0)
    const pace = { perSecond: 1000, concurrent: 2 }
    const [a, b, c] = [askNow(paces, pace), askNow(paces, pace), askNow(paces, pace)]
    expect([a, b, c].map((each) => each?.given())).toEqual([true, true, false])
    a?.permit.release()
    a?.permit.release()
    expect(c?.given()).toBe(true)
    expect(askNow(paces, pace).given()).toBe(false)
    paces.stop()
  })

  test('beyond the declared number wait until a second after the first', async () => {
    const paces = new Paces()
    const starts: number[] = []
    await new Promise<void>((done) => {
      for (let i = 0; i < 5; i++) {
        paces.ask('s', 'h', { perSecond: 4, concurrent: 100 }, 'acc', () => {
          starts.push(performance.now())
          if (starts.length === 5) done()
        })
      }
    })
    expect(starts[4]! - starts[0]!).toBeGreaterThanOrEqual(999)
    paces.stop()
  })

  test('that nobody waits for any more are not made', () => {
    const paces = new Paces(() => 0)
    const pace = { perSecond: 1000, concurrent: 1 }
    const [a, b, c] = [askNow(paces, pace), askNow(paces, pace), askNow(paces, pace)]
    b?.permit.release()
    a?.permit.release()
    expect([b?.given(), c?.given()]).toEqual([false, true])
    paces.stop()
  })
})

describe('accounts', () => {
  /** Asks in this order, and ends each request as soon as it is made; with as many at once. */
  function orderOf(names: readonly string[], concurrent: number): string[] {
    const paces = new Paces(() => 0)
    const pace = { perSecond: 1000, concurrent }
    const order: string[] = []
    const open = new Map<string, Permit>()
    const ahead = askNow(paces, pace, 'h', 'ahead')
    const further = concurrent > 1 ? askNow(paces, pace, 'h', 'further') : undefined
    for (const name of names)
      open.set(
        name,
        paces.ask('s', 'h', pace, name[0]!, () => order.push(name)),
      )
    ahead.permit.release()
    for (let n = 0; n < order.length; n++) open.get(order[n]!)?.release()
    further?.permit.release()
    paces.stop()
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
    const paces = new Paces(() => 0)
    const all = Array.from({ length: 3 }, () =>
      askNow(paces, { perSecond: 1000, concurrent: 2 }, 'h', 'alone'),
    )
    expect(all.map(({ given }) => given())).toEqual([true, true, false])
    paces.stop()
  })

  test.each([1, 2])('whose requests hang hold up nobody else’s, with %i at once', (concurrent) => {
    let now = 0
    const paces = new Paces(() => now)
    const pace = { perSecond: 1000, concurrent }
    const hanging = Array.from({ length: 5 }, () => askNow(paces, pace, 'h', 'hangs'))
    const first = askNow(paces, pace, 'h', 'quick')
    expect(first.given()).toBe(false)
    now = 3000
    // Others than the one that it was given to hear of it by a timer.
    const second = askNow(paces, pace, 'h', 'quick')
    expect([first.given(), second.given()]).toEqual([true, false])
    first.permit.release()
    expect(second.given()).toBe(true)
    second.permit.release()
    // As many of the other one as it likes, one after the other, and none more of the one whose requests hang.
    for (let n = 0; n < 10; n++) {
      const quick = askNow(paces, pace, 'h', 'quick')
      expect(quick.given()).toBe(true)
      quick.permit.release()
    }
    expect(hanging.filter(({ given }) => given()).length).toBe(concurrent)
    paces.stop()
  })

  test('that wait for one that hangs are served when it has hung for long enough, without anybody asking', async () => {
    const paces = new Paces()
    const pace = { perSecond: 1000, concurrent: 1 }
    askNow(paces, pace, 'h', 'hangs')
    const started = performance.now()
    await new Promise<void>((go) => paces.ask('s', 'h', pace, 'quick', go))
    expect(performance.now() - started).toBeGreaterThanOrEqual(2999)
    paces.stop()
  })

  const step = fc.record({
    account: fc.constantFrom('a', 'b', 'c', 'd'),
    ends: fc.boolean(),
    which: fc.nat(),
  })
  test('are served in turn, each in its own order, whatever they ask for and give back', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 4 }), (steps, concurrent) => {
        const paces = new Paces(() => 0)
        type One = { account: string; n: number; status: 'waits' | 'busy' | 'over'; permit?: Permit }
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
            one.permit?.release()
          } else {
            const one: One = { account, n: all.length, status: 'waits' }
            all.push(one)
            one.permit = paces.ask('s', 'h', { perSecond: 1e6, concurrent }, account, () => began(one))
          }
          expect(of('busy').length).toBeLessThanOrEqual(concurrent)
          // Whoever might go does not wait.
          if (of('busy').length < concurrent) expect(of('waits')).toEqual([])
        }
        paces.stop()
      }),
      { numRuns: 300 },
    )
  })
})

test('a host that asked to be left alone is, by all, and others are not', () => {
  let now = 0
  const paces = new Paces(() => now)
  const first = askNow(paces, {})
  paces.pause('s', 'h', 10_000)
  first.permit.release()
  expect(paces.pausedMs('s', 'h')).toBe(10_000)
  expect(askNow(paces, {}).given()).toBe(false)
  expect(askNow(paces, {}, 'other').given()).toBe(true)
  now = 10_000
  expect(paces.pausedMs('s', 'h')).toBe(0)
  expect(askNow(paces, {}).given()).toBe(true)
  paces.stop()
})

test('a host can’t stop all requests for longer than five minutes', () => {
  const paces = new Paces(() => 0)
  askNow(paces, {}).permit.release()
  paces.pause('s', 'h', 1e12)
  expect(paces.pausedMs('s', 'h')).toBe(300_000)
  paces.stop()
})

describe('a run whose time is up', () => {
  const askedAfter = (pauseMs: number): unknown => {
    const paces = new Paces()
    const answers: unknown[] = []
    const permits = new Permits(paces, { name: 'lamps' }, 'acc', Date.now(), (answer) => answers.push(answer))
    permits.ask(1, 'lamps.example')
    permits.over(1, pauseMs)
    permits.ask(2, 'lamps.example')
    permits.release()
    paces.stop()
    return answers[1]
  }

  test('is told of a pause only where the host has asked for one', () => {
    expect(askedAfter(0)).toEqual({ type: 'go', id: 2, paused: false })
    expect(askedAfter(60_000)).toEqual({ type: 'go', id: 2, paused: true })
  })
})
