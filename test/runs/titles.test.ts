/** How often titles are read, and what they are while they cannot be read. */
import { expect, test } from 'bun:test'
import type { RunId } from '../../src/domain/ids.ts'
import type { AdmittedRun } from '../../src/domain/run.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { encodeInput } from '../../src/runs/input.ts'
import { Titles } from '../../src/runs/titles.ts'

const DAY_MS = 86_400_000
const ENDED = Date.parse('2026-11-20T10:00:00Z')

function stand() {
  const stored = new Map<string, string>()
  const store = { isAway: false, reads: 0, now: ENDED }
  const open = async (ref: string, range?: { readonly end: number }) => {
    store.reads++
    if (store.isAway) throw new StoreUnavailable('away')
    const text = stored.get(ref)
    if (text === undefined) return undefined
    const bytes = new TextEncoder().encode(text).subarray(0, (range?.end ?? 1e9) + 1)
    return { bytes: bytes.length, body: new Blob([bytes]).stream() }
  }
  const titles = new Titles({ open }, 30, () => store.now)
  /** A run whose input is stored. */
  const aRun = (n: number, title: string | null, ended = false): AdmittedRun => {
    stored.set(`input-${n}`, encodeInput({ title, input: `{"query":"${'x'.repeat(100_000)}"}` }))
    const state = ended
      ? { status: 'succeeded', finishedAt: new Date(ENDED).toISOString() }
      : { status: 'queued' }
    return { runId: `run_${n}` as RunId, inputRef: `input-${n}`, ...state } as unknown as AdmittedRun
  }
  return { store, stored, titles, aRun }
}

test('a title is read once, also when there is none, and not at all after an admission in this process', async () => {
  const { store, titles, aRun } = stand()
  const runs = [aRun(1, 'otter'), aRun(2, null), aRun(3, 'lamp')]
  titles.remember('input-3', 'lamp')
  const expected = new Map([
    ['run_1', 'otter'],
    ['run_2', null],
    ['run_3', 'lamp'],
  ]) as unknown as Map<RunId, string | null>
  for (let n = 0; n < 3; n++) expect(await titles.ofMany(runs)).toEqual(expected)
  expect(await Promise.all(runs.map((run) => titles.of(run)))).toEqual(['otter', null, 'lamp'])
  expect(store.reads).toBe(2)
})

test('after the retention of a run its title is null by the clock, although its input is still stored', async () => {
  const { store, titles, aRun } = stand()
  const run = aRun(1, 'otter', true)
  store.now = ENDED + 30 * DAY_MS - 1
  expect(await titles.of(run)).toBe('otter')
  store.now++
  expect(await titles.of(run)).toBeNull()
  expect(await titles.ofMany([run])).toEqual(new Map([[run.runId, null]]))
})

test('an input that was deleted from outside has no title', async () => {
  const { stored, titles, aRun } = stand()
  const run = aRun(1, 'otter')
  stored.clear()
  expect(await titles.of(run)).toBeNull()
})

test('an unavailable store fails nothing, is not asked for each run of a list, and is asked again later', async () => {
  const { store, titles, aRun } = stand()
  const runs = Array.from({ length: 500 }, (_, n) => aRun(n, `title ${n}`))
  await titles.of(runs[499]!)
  store.isAway = true
  store.reads = 0
  const away = await titles.ofMany(runs)
  expect([away.get(runs[0]!.runId), away.get(runs[499]!.runId)]).toEqual([null, 'title 499'])
  expect(store.reads).toBeLessThan(20)
  expect([await titles.of(runs[0]!), await titles.find(runs[0]!)]).toEqual([null, undefined])
  store.isAway = false
  expect((await titles.ofMany(runs)).get(runs[0]!.runId)).toBe('title 0')
})
