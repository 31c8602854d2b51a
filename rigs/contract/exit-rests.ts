/**
 * The contract of the rests of exits.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type ExitRests, KEPT_AFTER_MS } from '../../src/ephemeral/exit-rests.ts'

export type OpenExitRests = { readonly rests: ExitRests; close(): Promise<void> }

const START = Date.parse('2026-01-01T00:00:00Z')

/** Registers the tests for a back end. `open` opens an empty store. */
export function exitRestsContract(name: string, open: () => Promise<OpenExitRests>): void {
  describe(`the rests of exits on ${name}`, () => {
    let opened: OpenExitRests
    let rests: ExitRests
    beforeEach(async () => {
      opened = await open()
      rests = opened.rests
    })
    afterEach(() => opened.close())

    test('a rest is found by its key, and others are not there', async () => {
      await rests.put('a home#1', { until: START + 1000, count: 3 }, START)
      expect(await rests.get(['b home#2', 'a home#1', 'a home#1 forum'])).toEqual([
        undefined,
        { until: START + 1000, count: 3 },
        undefined,
      ])
      expect(await rests.get([])).toEqual([])
    })

    test('a new rest replaces the one before', async () => {
      await rests.put('k', { until: START + 1000, count: 1 }, START)
      await rests.put('k', { until: START + 5000, count: 2 }, START + 1500)
      expect(await rests.get(['k'])).toEqual([{ until: START + 5000, count: 2 }])
    })

    test('those that are not over are listed in the order of their keys', async () => {
      for (const [key, ms] of [
        ['c', 10],
        ['a', 20],
        ['b', 30],
      ] as const)
        await rests.put(key, { until: START + ms, count: 1 }, START)
      expect(await rests.all(START + 10)).toEqual([
        { key: 'a', rest: { until: START + 20, count: 1 } },
        { key: 'b', rest: { until: START + 30, count: 1 } },
      ])
      expect(await rests.all(START + 30)).toEqual([])
    })

    test('one that is over is kept for a day, for the length of the next one', async () => {
      await rests.put('old', { until: START, count: 4 }, START - 1)
      const rest = { until: START + 2 * KEPT_AFTER_MS, count: 1 }
      await rests.put('new', rest, START + KEPT_AFTER_MS - 1)
      expect(await rests.get(['old'])).toEqual([{ until: START, count: 4 }])
      await rests.put('new', rest, START + KEPT_AFTER_MS)
      expect(await rests.get(['old', 'new'])).toEqual([undefined, rest])
    })

    test('cleared rests are gone, and clearing what is not there changes nothing', async () => {
      for (const key of ['a', 'b', 'c']) await rests.put(key, { until: START + 10, count: 1 }, START)
      await rests.clear(['a', 'c', 'never'])
      await rests.clear([])
      expect(await rests.all(START)).toEqual([{ key: 'b', rest: { until: START + 10, count: 1 } }])
    })
  })
}
