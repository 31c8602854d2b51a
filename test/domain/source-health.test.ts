/** What a source's stream announces of its tasks, and where it puts captures. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Drift } from '../../src/domain/health/drift.ts'
import { HEALTHS, type Health } from '../../src/domain/health/standing.ts'
import type { AccountId, RunId } from '../../src/domain/ids.ts'
import {
  MOST_CAPTURES,
  type SourceCommand,
  type SourceEvent,
  type SourceState,
  sourceDecider,
} from '../../src/domain/source-health.ts'
import { META } from './folded.ts'

const T0 = Date.parse('2026-06-01T00:00:00Z')
const MINUTE_MS = 60_000
const KEY = 'shop.search'

const driftOf = (...fields: readonly string[]): Drift[] =>
  fields.map((field) => ({ field, was: 0.98, now: 0.12 }))

/** No command is refused. */
const decide = (command: SourceCommand, state: SourceState) =>
  sourceDecider.decide(command, state) as readonly SourceEvent[]

function handle(command: SourceCommand, state: SourceState, ms: number) {
  const events = decide(command, state)
  const meta = { ...META, at: new Date(ms).toISOString() }
  return { events, state: events.reduce((so, event) => sourceDecider.evolve(so, event, meta), state) }
}

/** A judgement: minutes from the start, the state, its drifting fields. */
type Judged = readonly [minutes: number, health: Health, ...fields: readonly string[]]

/** The announcements of some judgements: `minutes from>to fields`. */
function announcements(judgements: readonly Judged[]): string[] {
  let state = sourceDecider.initial
  return judgements.flatMap(([minutes, health, ...fields]) => {
    const now = T0 + minutes * MINUTE_MS
    const command = { type: 'judge', taskKey: KEY, health, drift: driftOf(...fields), now } as const
    const done = handle(command, state, now)
    state = done.state
    return done.events.map(({ type, data }) => {
      if (type !== 'TaskHealthChanged') throw new Error(type)
      return [minutes, `${data.from}>${data.to}`, ...data.drift.map(({ field }) => field)].join(' ')
    })
  })
}

describe('a change of health is announced once, and without flapping', () => {
  test.each<[string, readonly Judged[], readonly string[]]>([
    [
      'a task that works',
      [
        [0, 'unknown'],
        [1, 'healthy'],
        [9, 'unknown'],
        [10, 'healthy'],
      ],
      [],
    ],
    [
      'a task that fails from the start',
      [
        [0, 'broken'],
        [1, 'broken'],
      ],
      ['0 unknown>broken'],
    ],
    [
      'a fault that lasts',
      [
        [0, 'healthy'],
        [5, 'degraded'],
        [6, 'degraded'],
        [9, 'broken'],
        [600, 'broken'],
        [700, 'healthy'],
      ],
      ['5 unknown>degraded', '9 degraded>broken', '700 broken>healthy'],
    ],
    [
      'a task that recovers at once',
      [
        [0, 'degraded'],
        [1, 'healthy'],
        [59, 'healthy'],
        [60, 'healthy'],
      ],
      ['0 unknown>degraded', '60 degraded>healthy'],
    ],
    [
      'a task that flaps every ten minutes',
      Array.from({ length: 24 }, (_, i): Judged => [10 * i, i % 2 ? 'healthy' : 'degraded']),
      ['0 unknown>degraded', '70 degraded>healthy', '140 healthy>degraded', '210 degraded>healthy'],
    ],
    [
      'a task that flaps by way of a third state',
      [
        [0, 'degraded'],
        [10, 'broken'],
        [20, 'healthy'],
        [30, 'degraded'],
        [70, 'healthy'],
        [75, 'degraded'],
      ],
      ['0 unknown>degraded', '10 degraded>broken', '70 broken>healthy', '75 healthy>degraded'],
    ],
    [
      'no runs for a while: the announced state stays',
      [
        [0, 'broken'],
        [2000, 'unknown'],
        [3000, 'broken'],
        [4000, 'unknown'],
        [5000, 'healthy'],
      ],
      ['0 unknown>broken', '5000 broken>healthy'],
    ],
    [
      'fields that drift: further ones at most once an hour, fewer ones not at all',
      [
        [0, 'drifting', 'price'],
        [1, 'drifting', 'price'],
        [5, 'drifting', 'price', 'title'],
        [60, 'drifting', 'price', 'title'],
        [125, 'drifting', 'title'],
        [190, 'drifting', 'title', 'price'],
        [250, 'healthy'],
      ],
      ['0 unknown>drifting price', '60 drifting>drifting price title', '250 drifting>healthy'],
    ],
    [
      'a task that drifts and then fails',
      [
        [0, 'drifting', 'price'],
        [10, 'broken', 'price'],
        [20, 'drifting', 'price'],
        [70, 'drifting', 'price'],
      ],
      ['0 unknown>drifting price', '10 drifting>broken price', '70 broken>drifting price'],
    ],
    [
      'a clock that was a year ahead: later announcements do not wait for that time',
      [
        [525_600, 'broken'],
        [0, 'healthy'],
        [70, 'broken'],
      ],
      ['525600 unknown>broken', '0 broken>healthy', '70 healthy>broken'],
    ],
  ])('%s', (_, judgements, expected) => {
    expect(announcements(judgements)).toEqual([...expected])
  })

  test('whatever the judgements: never unknown, never twice the same, and no return within an hour', () => {
    const judgement = fc.tuple(
      fc.integer({ min: 0, max: 90 }),
      fc.constantFrom(...(Object.keys(HEALTHS) as Health[])),
      fc.subarray(['price', 'title', 'image']),
    )
    fc.assert(
      fc.property(fc.array(judgement, { maxLength: 60 }), (steps) => {
        let minutes = 0
        const judgements = steps.map(([later, health, fields]): Judged => {
          minutes += later
          return [minutes, health, ...(health === 'drifting' ? ['price', ...fields] : [])]
        })
        const left = new Map<string, number>()
        let before = 'unknown'
        for (const line of announcements(judgements)) {
          const [at, change = ''] = line.split(' ')
          const [from = '', to = ''] = change.split('>')
          expect(from).toBe(before)
          expect(to).not.toBe('unknown')
          if (from !== to) {
            expect(Number(at) - (left.get(to) ?? -60)).toBeGreaterThanOrEqual(60)
            left.set(from === 'unknown' ? 'healthy' : from, Number(at))
          } else expect(to).toBe('drifting')
          before = to
        }
      }),
    )
  })

  test('tasks of one source are announced each for itself', () => {
    let state = sourceDecider.initial
    for (const taskKey of ['shop.search', 'shop.member']) {
      const command = { type: 'judge', taskKey, health: 'broken', drift: [], now: T0 } as const
      const done = handle(command, state, T0)
      expect(done.events).toHaveLength(1)
      state = done.state
    }
  })
})

test('captures of a task take ten slots in turn, and a repeat for a kept run takes none', () => {
  let state = sourceDecider.initial
  const captureOf = (run: number, task_key = KEY): SourceCommand => ({
    type: 'capture',
    capture: {
      task_key,
      run_id: `run_${run}` as RunId,
      account_id: META.account_id as AccountId,
      code: 'source-changed',
      ref: `ref-${run}`,
      bytes: 1,
      exchanges: 1,
    },
  })
  const slotOf = (command: SourceCommand) => {
    const done = handle(command, state, T0)
    state = done.state
    return done.events.map(({ data }) => ('slot' in data ? data.slot : undefined))
  }
  const slots = Array.from({ length: 23 }, (_, i) => slotOf(captureOf(i))).flat()
  expect(slots).toEqual(Array.from({ length: 23 }, (_, i) => i % MOST_CAPTURES))
  expect(slotOf(captureOf(22))).toEqual([])
  expect(slotOf(captureOf(13))).toEqual([])
  expect(slotOf(captureOf(12))).toEqual([3])
  expect(slotOf(captureOf(12, 'shop.member'))).toEqual([0])
})
