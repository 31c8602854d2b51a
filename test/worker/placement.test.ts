/** Tables of the pool's decisions: where a run is executed, how many processes start, and what becomes of them. */
import { describe, expect, test } from 'bun:test'
import type { CauseOfDeath } from '../../src/worker/process/execution-end.ts'
import {
  Deaths,
  drainReason,
  isAloneKey,
  keyOf,
  lacking,
  MOST_AGAIN,
  MOST_RUNS,
  type Placed,
  type ProcessView,
  placeFor,
} from '../../src/worker/process/placement.ts'

const RUN: Placed = { source: 'shop', account: 'acc_1', signedIn: false, alone: undefined }
const PROCESS: ProcessView = { key: 'shop', state: 'accepting', isLate: false, runs: 0, hasServed: true }
const AGAIN = keyOf({ ...RUN, alone: 'again' }, 32)

describe('two runs', () => {
  const other = { account: 'acc_2' }
  test.each<[boolean, string, Partial<Placed>, Partial<Placed>, number]>([
    [true, 'of one source and two accounts', {}, other, 32],
    [false, 'of two sources', {}, { source: 'news' }, 32],
    [false, 'of two accounts that are signed in', { signedIn: true }, { ...other, signedIn: true }, 32],
    [true, 'of one account that are both signed in', { signedIn: true }, { signedIn: true }, 32],
    [false, 'of one account of which one is signed in', { signedIn: true }, {}, 32],
    [false, 'of two accounts with RUNS_PER_PROCESS=1', {}, other, 1],
    [true, 'of one account with RUNS_PER_PROCESS=1', {}, {}, 1],
    [false, 'of which one takes much memory', { alone: 'task' }, {}, 32],
    [false, 'of which one is executed again', { alone: 'again' }, {}, 32],
    [false, 'that are alone for different reasons', { alone: 'again' }, { alone: 'task' }, 32],
    [
      false,
      'that are executed again, of two sources',
      { alone: 'again' },
      { alone: 'again', source: 'x' },
      32,
    ],
  ])('may share processes (%p): %s', (may, _, one, two, most) => {
    expect(keyOf({ ...RUN, ...one }, most) === keyOf({ ...RUN, ...two }, most)).toBe(may)
  })

  test('are alone by their key only when they must be', () => {
    expect([AGAIN, keyOf({ ...RUN, alone: 'task' }, 1), keyOf(RUN, 1), undefined].map(isAloneKey)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})

describe('a run is sent', () => {
  const [few, many, full] = [1, 7, 8].map((runs) => ({ ...PROCESS, runs }))
  test.each<[string, readonly ProcessView[], ProcessView | undefined]>([
    ['nowhere without a process', [], undefined],
    ['to the process with the most runs that has room', [few!, many!, full!], many],
    ['to an idle process', [{ ...PROCESS, key: 'news' }, PROCESS], PROCESS],
    ['nowhere when all are full', [full!], undefined],
    ['to no process of another key', [{ ...PROCESS, key: 'shop acc_1' }], undefined],
    ['to no process without a key, which only a start gives', [{ ...PROCESS, key: undefined }], undefined],
    ['to no process that starts', [{ ...PROCESS, state: 'starting' }], undefined],
    ['to no process that drains', [{ ...PROCESS, state: 'draining' }], undefined],
    ['to no process that was killed', [{ ...PROCESS, state: 'killed' }], undefined],
    ['to the emptier one while the fuller one is late', [few!, { ...many!, isLate: true }], few],
    ['nowhere while all are late', [{ ...few!, isLate: true }], undefined],
  ])('%s', (_, processes, expected) => {
    expect(placeFor(processes, 'shop', 8)).toBe(expected)
  })

  test('alone to a process that has executed nothing', () => {
    const used: ProcessView = { ...PROCESS, key: AGAIN }
    const unused = { ...used, hasServed: false }
    expect(placeFor([used], AGAIN, 8)).toBeUndefined()
    expect(placeFor([used, { ...unused, state: 'starting' }, unused], AGAIN, 8)).toBe(unused)
  })
})

describe('processes that runs lack', () => {
  const starting: ProcessView = { ...PROCESS, state: 'starting', hasServed: false }
  const again = (state: ProcessView['state'], key = AGAIN): ProcessView => ({ ...PROCESS, key, state })
  const ofNews = keyOf({ ...RUN, source: 'news', alone: 'again' }, 32)
  const full = Array.from({ length: MOST_AGAIN }, () => again('draining'))
  test.each<[string, number, readonly ProcessView[], string, number]>([
    ['none when no run waits', 0, [], 'shop', 0],
    ['one for all that fit into it', 1, [], 'shop', 8],
    ['two for one more', 2, [], 'shop', 9],
    ['none while one that starts has room for all', 0, [starting], 'shop', 8],
    ['one more than the one that starts', 1, [starting], 'shop', 9],
    ['none less because one of another key starts', 1, [{ ...starting, key: 'news' }], 'shop', 8],
    ['one for each that is executed again', 3, [], AGAIN, 3],
    ['four of these at once at most', MOST_AGAIN, [], AGAIN, 31],
    ['none of these while four execute', 0, full, AGAIN, 31],
    [
      'one of these whatever another source’s runs do',
      1,
      [...full.slice(1), again('draining', ofNews)],
      AGAIN,
      31,
    ],
    ['one of these as soon as one was killed', 1, [...full.slice(1), again('killed')], AGAIN, 31],
    ['none of these beyond those that start', 0, [again('starting'), again('starting')], AGAIN, 2],
  ])('%s', (_, expected, processes, key, waiting) => {
    expect(lacking(processes, key, 8, waiting)).toBe(expected)
  })

  test('a task that has a process of its own is not held up by runs that are executed again', () => {
    expect(lacking(full, keyOf({ ...RUN, alone: 'task' }, 32), 8, 2)).toBe(2)
  })
})

test.each([
  [undefined, {}],
  [undefined, { rssMb: 300 }],
  ['memory', { rssMb: 301 }],
  [undefined, { served: MOST_RUNS - 1 }],
  ['served', { served: MOST_RUNS }],
  [undefined, { lateBeats: 3 }],
  ['late', { lateBeats: 4 }],
  ['memory', { rssMb: 301, served: MOST_RUNS, lateBeats: 4 }],
] as const)('a process takes no more runs because of %p: %j', (reason, load) => {
  expect(drainReason({ rssMb: 1, softMb: 300, served: 1, lateBeats: 0, ...load })).toBe(reason)
})

describe('a source whose processes die', () => {
  const S = 1000
  const MINUTE = 60 * S
  /** [most runs a process, wait before a start in milliseconds] after deaths of `shop` at these times. */
  function after(times: readonly number[], now: number, cause: CauseOfDeath = 'defect', source = 'shop') {
    const deaths = new Deaths()
    for (const at of times) deaths.record('shop', cause, at)
    return [deaths.most(source, 32, now), deaths.waitMs(source, now)]
  }
  const FREE = [32, 0]
  const SLOWED = [4, 2000]

  test.each<[string, readonly number[], number, readonly number[]]>([
    ['is not slowed by two deaths', [0, S], 2 * S, FREE],
    ['is slowed by three within a minute', [0, S, 2 * S], 2 * S, SLOWED],
    ['is not slowed by three within more than a minute', [0, 30 * S, 60 * S], 60 * S, FREE],
    ['is slowed for ten minutes', [0, S, 2 * S], 2 * S + 10 * MINUTE - 1, SLOWED],
    ['is no longer slowed after ten minutes without a death', [0, S, 2 * S], 2 * S + 10 * MINUTE, FREE],
    ['is slowed for ten minutes more by a single death', [0, S, 2 * S, 9 * MINUTE], 18 * MINUTE, SLOWED],
    ['begins anew after that', [0, S, 2 * S, 20 * MINUTE], 20 * MINUTE, FREE],
  ])('%s', (_, times, now, expected) => {
    expect(after(times, now)).toEqual([...expected])
  })

  test.each<[CauseOfDeath, boolean]>([
    ['defect', true],
    ['out-of-memory', true],
    ['lost', true],
    ['killed', false],
  ])('is slowed by deaths of the cause "%s": %p', (cause, isSlowed) => {
    expect(after([0, 1, 2], 3, cause)).toEqual(isSlowed ? SLOWED : FREE)
  })

  test('slows no other source', () => {
    expect(after([0, 1, 2], 3, 'defect', 'news')).toEqual(FREE)
  })

  test('never gets more runs a process than RUNS_PER_PROCESS', () => {
    const deaths = new Deaths()
    for (const at of [0, 1, 2]) deaths.record('shop', 'defect', at)
    expect(deaths.most('shop', 2, 3)).toBe(2)
  })
})
