/** What the earlier runs of an input say about a run of it. */
import { expect, test } from 'bun:test'
import {
  alwaysHadItems,
  type FilledRun,
  type Input,
  isKnown,
  shareOf,
  withRun,
} from '../../../src/domain/health/inputs.ts'
import { pack } from '../../../src/domain/health/shares.ts'

const HASH = '0000000a'
const run = (share: number | null): FilledRun => (share === null ? [HASH, 0, ''] : [HASH, 3, pack([share])])
/** The input after runs: a share each, null for a run without items. */
const after = (...shares: (number | null)[]): Input =>
  shares.reduce<readonly Input[]>((inputs, share, i) => withRun(inputs, run(share), 10 * i), [])[0]!
const forty = Array.from({ length: 40 }, () => 500)

test('two runs with items make an input known', () => {
  expect([after(500), after(500, 500), after(null, null, null)].map(isKnown)).toEqual([false, true, false])
})

test('an input always had items after two runs with and none without, or after forty since the last without', () => {
  const CASES: [(number | null)[], boolean][] = [
    [[500], false],
    [[500, 500], true],
    [[null, 500, 500, 500], false],
    [[500, 500, null], true],
    [[500, 500, null, null, null], true],
    [[500, 500, null, 500, 500, 500], false],
    [[500, 500, null, 500, ...forty], true],
    [[null, ...forty.slice(1)], false],
    [[null, ...forty], true],
    [[null, ...forty.slice(1), null, 500], false],
  ]
  for (const [shares, expected] of CASES)
    expect([shares, alwaysHadItems(after(...shares))]).toEqual([shares, expected])
})

test('a run without items of an input that always had some has lost its fields; of others it says nothing', () => {
  expect(shareOf(run(null), 0, after(500, 500))).toBe(0)
  expect(shareOf(run(null), 0, after(500))).toBeUndefined()
  expect(shareOf(run(null), 0, after(null, 500, 500))).toBeUndefined()
  expect(shareOf(run(null), 0, undefined)).toBeUndefined()
})

test('a run of an input that never had the field says nothing about it; once is enough', () => {
  expect(shareOf(run(0), 0, after(0, 0))).toBeUndefined()
  expect(shareOf(run(0), 0, after(0))).toBe(0)
  expect(shareOf(run(0), 0, after(1, ...forty.map(() => 0)))).toBe(0)
  expect(shareOf(run(300), 0, after(500, 500))).toBe(300)
})

test('the sixty inputs that were seen last are kept', () => {
  const all = Array.from({ length: 61 }, (_, i) => i.toString(16).padStart(8, '0'))
  const inputs = [...all, all[1]!].reduce<readonly Input[]>(
    (so, hash) => withRun(so, [hash, 1, pack([1000])], 0),
    [],
  )
  expect(inputs).toHaveLength(60)
  expect([inputs.at(0)?.[0], inputs.at(-1)?.[0]]).toEqual([all[2], all[1]])
})

test('after ten runs an input learns from one in ten minutes, so that a loss does not become usual before it is judged', () => {
  const known = Array.from({ length: 10 }).reduce<readonly Input[]>((so) => withRun(so, run(1000), 0), [])
  const flooded = Array.from({ length: 500 }).reduce<readonly Input[]>((so) => withRun(so, run(0), 5), known)
  const emptied = Array.from({ length: 500 }).reduce<readonly Input[]>(
    (so) => withRun(so, run(null), 5),
    known,
  )
  expect([flooded, emptied]).toEqual([known, known])
  expect(withRun(known, run(0), 10)).not.toEqual(known)
})
