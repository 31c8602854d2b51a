/**
 * The pace of sources: never faster than declared, never more at once, and quiet when the host asks for it.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import type { Pace } from '../../src/plugin.ts'
import { Paces, type Permit } from '../../src/worker/pace.ts'
import { Permits } from '../../src/worker/permits.ts'

/** Asks, where the permit may be given at once. */
function askNow(paces: Paces, pace: Pace, host = 'h'): { permit: Permit; given: () => boolean } {
  let given = false
  const permit = paces.ask('s', host, pace, () => {
    given = true
  })
  return { permit, given: () => given }
}

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
        paces.ask('s', 'h', { perSecond: 4, concurrent: 100 }, () => {
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
    const permits = new Permits(paces, { name: 'lamps' }, Date.now(), (answer) => answers.push(answer))
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
