/** Which losses of values are drift: tables of cases, and what holds for all traffic. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { driftOf } from '../../../src/domain/health/drift.ts'
import type { FillHistory } from '../../../src/domain/health/fill-history.ts'
import { after, announced, days, lostIn, type PlainRun, TASK, times, various } from './histories.ts'

const TODAY = 9
/** Eight healthy days of a field that all items have. */
const healthy = () => days(8, 1000)
/** Three inputs whose runs were seen often. */
const monitored = (price: number): FillHistory =>
  after(
    after(
      null,
      1,
      times(40, (i) => ({ input: i % 3, price })),
    ),
    2,
    times(40, (i) => ({ input: i % 3, price })),
  )

describe('a field drifts', () => {
  const CASES: Record<string, () => FillHistory> = {
    'when no item of the last 20 runs has it': () => after(healthy(), TODAY, various(20, 0)),
    'when half of the items have it no more': () => after(healthy(), TODAY, various(20, 490)),
    'when a field of half of the items is gone': () => after(days(8, 500), TODAY, various(20, 0)),
    'though the day before it was broken': () =>
      after(announced(after(healthy(), TODAY, various(40, 0), true)), TODAY + 1, various(20, 0, 100)),
    'when three monitored inputs lose it': () =>
      after(
        monitored(900),
        3,
        times(20, (i) => ({ input: i % 3, price: 0 })),
      ),
    'when one monitored input loses it': () =>
      after(
        after(
          null,
          1,
          times(60, () => ({ input: 7, price: 1000 })),
        ),
        2,
        times(20, () => ({ input: 7, price: 0 })),
      ),
    'when inputs that always had items have none': () =>
      after(
        monitored(900),
        3,
        times(20, (i) => ({ input: i % 3 })),
      ),
    'by its recordings, before any day had 20 runs': () => after(null, 1, various(20, 0)),
  }
  test.each(Object.entries(CASES))('%s', (_, history) => {
    expect(lostIn(history())).toContain('price')
  })
})

describe('a field does not drift', () => {
  const rare = { ...TASK, documentedFill: { recordings: 20, fields: { id: 1000, price: 30 } } }
  const CASES: Record<string, () => FillHistory> = {
    'in healthy days': healthy,
    'after 19 runs without it': () => after(null, 1, various(19, 0)),
    'after 9 runs without it': () => after(healthy(), TODAY, various(9, 0)),
    'when more than half of the items have it': () => after(healthy(), TODAY, various(20, 510)),
    'when it was always rare': () =>
      after(
        days(8, (day) => 20 + day),
        TODAY,
        various(20, 0),
      ),
    'when three new inputs lack it all day': () =>
      after(
        healthy(),
        TODAY,
        times(200, (i) => ({ input: i % 3, price: 0 })),
      ),
    'when three known inputs have less of it than others all day': () =>
      after(
        after(
          healthy(),
          TODAY,
          times(60, (i) => ({ input: i % 3, price: 300 })),
        ),
        TODAY + 1,
        times(60, (i) => ({ input: i % 3, price: 300 })),
      ),
    'while inputs that had it still have it': () => {
      const known = after(
        healthy(),
        TODAY,
        times(40, (i) => ({ input: i % 3, price: 1000 })),
      )
      const mixed = times(20, (i) =>
        i % 4 === 0 ? { input: i % 3, price: 1000 } : { input: 500 + i, price: 0 },
      )
      return after(after(known, TODAY, various(20, 1000, 700)), TODAY, mixed)
    },
    'when a new input has no items': () => after(healthy(), TODAY, various(20, undefined)),
    'when an input that had none before has no items': () => {
      const run = (i: number): PlainRun => (i % 7 === 0 ? { input: 7 } : { input: 7, price: 1000 })
      return after(
        after(healthy(), TODAY, times(90, run)),
        TODAY,
        times(20, () => ({ input: 7 })),
      )
    },
    'when the mix of inputs changes by day': () => {
      const mix = (day: number) =>
        times(40, (i) => ({ input: day * 100 + i, price: i % 10 < day % 5 ? 0 : 1000 }))
      const history = [1, 2, 3, 4, 5, 6, 7].reduce<FillHistory | null>(
        (so, day) => after(so, day, mix(day)),
        null,
      )!
      return after(history, TODAY, mix(9))
    },
    'in the first 19 runs of a new version': () =>
      after(
        healthy(),
        TODAY,
        various(19, 0).map((run) => ({ ...run, schema: 'ffffffff' })),
      ),
  }
  test.each(Object.entries(CASES))('%s', (_, history) => {
    expect(lostIn(history())).toEqual([])
  })

  test('that is rare in its recordings, without days to judge by', () => {
    expect(lostIn(after(null, 1, various(20, 0)), rare)).toEqual([])
  })
  test('when nothing says how it is usually filled', () => {
    expect(lostIn(after(null, 1, various(20, 0)), { ...TASK, documentedFill: null })).toEqual([])
  })
  test('of a plugin of another version than that of the runs', () => {
    const history = after(healthy(), TODAY, various(20, 0))
    expect(lostIn(history, { ...TASK, schema: 'ffffffff' })).toEqual([])
  })
})

test('an announced field stays lost until more than half of it is back, also while runs say nothing about it', () => {
  const lost = after(healthy(), TODAY, various(20, 0))
  const drift = driftOf(lost, TASK, [])
  expect(drift).toEqual([{ field: 'price', was: 1, now: 0 }])
  const during = (runs: PlainRun[]) => driftOf(after(announced(lost), TODAY, runs, true), TASK, drift)
  expect(during(various(10, 1000))).toEqual([{ field: 'price', was: 1, now: 0.5 }])
  expect(during(various(11, 1000))).toEqual([])
  expect(during(various(20, undefined))).toEqual(drift)
})

test('a day with an announced drift does not become usual, nor do its runs', () => {
  const lost = announced(after(healthy(), TODAY, various(20, 0)))
  const later = after(lost, TODAY, various(100, 0, 40), true)
  const next = after(later, TODAY + 1, various(20, 0, 200), true)
  expect(next.days.map(([day]) => day)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  expect(next.inputs).toEqual(lost.inputs)
})

test('a run of an earlier day counts among the latest, and for no day', () => {
  const history = healthy()
  const late = after(history, 3, various(1, 0))
  expect(late.runs).toHaveLength(20)
  expect([late.today, late.days]).toEqual([history.today, history.days])
})

test('while neither days nor recordings say what is usual, the earlier runs of the same inputs do', () => {
  const unknown = { ...TASK, documentedFill: null }
  const healthy = after(
    null,
    1,
    times(30, (i) => ({ input: i % 5, price: 1000 })),
  )
  expect(lostIn(healthy, unknown)).toEqual([])
  expect(
    lostIn(
      after(
        healthy,
        1,
        times(20, (i) => ({ input: i % 5, price: 0 })),
      ),
      unknown,
    ),
  ).toEqual(['price'])
})

test('without a day to judge by, recordings that always have a field prove its loss in inputs never seen before', () => {
  for (const price of [1000, 800])
    expect(
      lostIn(after(null, 1, various(20, 0)), {
        ...TASK,
        documentedFill: { recordings: 20, fields: { price } },
      }),
    ).toEqual(['price'])
})

test.each([1, 10, 60])(
  'hundreds of runs of %p known inputs without a field, within seconds, do not make that usual before it is announced',
  (inputs) => {
    const run = (price: number) => (i: number) => ({ input: i % inputs, price })
    const healthy = after(null, 1, times(12 * inputs, run(1000)), false, 0)
    for (const count of [20, 100, 1000]) {
      const history = after(healthy, 1, times(count, run(0)), false, 0)
      expect([count, lostIn(history, { ...TASK, documentedFill: null })]).toEqual([count, ['price']])
    }
  },
)

describe('for all traffic', () => {
  const run = fc.record({
    input: fc.integer({ min: 0, max: 30 }),
    price: fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined }),
  })
  const traffic = fc.array(fc.array(run, { maxLength: 60 }), { maxLength: 6 })
  const historyOf = (all: readonly (readonly { input: number; price: number | undefined }[])[]) =>
    all.reduce<FillHistory | null>((so, runs, day) => {
      const given = runs.map(({ input, price }) => (price === undefined ? { input } : { input, price }))
      return given.length > 0 ? after(so, day, given) : so
    }, null)

  test('shares of a drift are from 0 to 1, and what is left is at most half', () => {
    fc.assert(
      fc.property(traffic, (all) => {
        for (const { was, now } of driftOf(historyOf(all), TASK, [])) {
          expect(now).toBeGreaterThanOrEqual(0)
          expect(was).toBeLessThanOrEqual(1)
          expect(now).toBeLessThanOrEqual(was / 2 + 0.001)
        }
      }),
    )
  })

  test('a history is a function of its runs and stays small: at most 20 runs, 60 inputs and 14 days', () => {
    fc.assert(
      fc.property(traffic, (all) => {
        const history = historyOf(all)
        expect(historyOf(all)).toEqual(history)
        if (!history) return
        expect(history.runs.length).toBeLessThanOrEqual(20)
        expect(history.inputs.length).toBeLessThanOrEqual(60)
        expect(history.days.length).toBeLessThanOrEqual(14)
        expect(JSON.parse(JSON.stringify(history))).toEqual(history)
      }),
    )
  })
})
