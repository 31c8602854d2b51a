/** A clock that is far ahead deletes nothing before a second look; a clock that is right deletes what has expired. */

import { afterEach, expect, test } from 'bun:test'
import { replaceClock } from '../../src/async/clock.ts'
import { HOUR_MS, MINUTE_MS } from '../../src/async/repeat.ts'
import { ClockCheck } from '../../src/runs/clock-check.ts'
import { sweepsOf } from '../../src/runs/sweeps.ts'

const START = Date.parse('2026-11-28T12:00:00Z')
const DAY_MS = 24 * HOUR_MS

afterEach(() => replaceClock())

/** The sweeps of a process on a clock of the test. `lastAt`: when the newest event was written, null without events. */
function processAt(now: number, lastAt: number | null) {
  const time = { now, monotonic: 5000, lastAt }
  replaceClock({ now: () => time.now, monotonic: () => time.monotonic })
  const warnings: string[] = []
  const swept: string[] = []
  const log = {
    lastEvent: async () =>
      time.lastAt === null ? undefined : ({ meta: { at: new Date(time.lastAt).toISOString() } } as never),
  }
  const logger = { warn: (_: unknown, message?: string) => void warnings.push(String(message)) }
  const note = (what: string) => async () => void swept.push(what)
  const sweeps = sweepsOf({
    reconciler: { once: note('reconciler') },
    artifacts: {
      async sweep() {
        swept.push('artifacts')
        return 0
      },
    },
    webhooks: { sweep: note('webhooks'), sweepDeliveries: note('deliveries') },
    people: { sweep: note('people') },
    invitations: { sweep: note('invitations') },
    states: { sweep: note('states') },
    clockCheck: new ClockCheck({ log, logger: logger as never, now: () => time.now }),
    now: () => time.now,
  })
  return {
    time,
    warnings,
    /** Time passes for all clocks. */
    pass(ms: number) {
      time.now += ms
      time.monotonic += ms
    },
    /** The names of the sweeps that do their work now. */
    async sweep(): Promise<readonly string[]> {
      swept.length = 0
      for (const { act } of sweeps) await act(new AbortController().signal)
      return [...swept]
    },
  }
}

const ALL = ['reconciler', 'artifacts', 'deliveries', 'people', 'invitations', 'webhooks', 'states']
const NO_DELETION = ['reconciler']

test.each<[string, number, number | null]>([
  ['of an empty log', START, null],
  ['a minute after the newest event', START, START - MINUTE_MS],
  ['almost a day after the newest event', START, START - DAY_MS + MINUTE_MS],
  ['before the newest event', START, START + 3 * DAY_MS],
])('a process that starts with a clock %s deletes what has expired', async (_, now, lastAt) => {
  const { sweep, warnings } = processAt(now, lastAt)
  expect(await sweep()).toEqual(ALL)
  expect(warnings).toEqual([])
})

test('a process that starts with a clock a month ahead deletes nothing, and goes on once the clock is right', async () => {
  const { time, sweep, warnings, pass } = processAt(START + 30 * DAY_MS, START)
  expect(await sweep()).toEqual(NO_DELETION)
  pass(59 * MINUTE_MS)
  expect(await sweep()).toEqual(NO_DELETION)
  expect(warnings).toHaveLength(1)
  time.now -= 30 * DAY_MS
  expect(await sweep()).toEqual(ALL)
})

test('a clock that jumps ahead while the process runs deletes nothing, even if events are written with its time', async () => {
  const { time, sweep, pass } = processAt(START, START)
  expect(await sweep()).toEqual(ALL)
  pass(MINUTE_MS)
  time.now += 30 * DAY_MS
  time.lastAt = time.now
  expect(await sweep()).toEqual(NO_DELETION)
})

test('after days without an event, deletions begin after an hour', async () => {
  const { sweep, pass } = processAt(START, START - 3 * DAY_MS)
  expect(await sweep()).toEqual(NO_DELETION)
  pass(HOUR_MS)
  expect(await sweep()).toEqual(ALL)
  pass(2 * DAY_MS)
  expect(await sweep()).toEqual(ALL)
})

test('a clock that is ahead of what other processes write stays distrusted', async () => {
  const { time, sweep, warnings, pass } = processAt(START + 30 * DAY_MS, START)
  for (let hour = 0; hour < 3; hour++) {
    expect(await sweep()).toEqual(NO_DELETION)
    pass(HOUR_MS)
    time.lastAt = (time.lastAt ?? 0) + HOUR_MS
  }
  expect(warnings).toHaveLength(3)
})

test('while the log cannot be read for the first look, the sweeps that delete fail and are tried again', async () => {
  const log = { lastEvent: () => Promise.reject(new Error('away')) }
  const check = new ClockCheck({ log, logger: { warn() {} } as never, now: () => START })
  await expect(check.isTrusted()).rejects.toThrow('away')
})
