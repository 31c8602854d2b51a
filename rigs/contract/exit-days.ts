/**
 * The contract of the use of exits by day.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { DAY_MS, type ExitCounts, type ExitDays, KEPT_DAYS } from '../../src/ephemeral/exit-days.ts'

export type OpenExitDays = { readonly days: ExitDays; close(): Promise<void> }

const START = Date.parse('2026-01-31T23:00:00Z')
const ONE: ExitCounts = { runs: 1, blocked: 0, failed: 0, requests: 3, bytes: 2_000_000_000 }

/** Registers the tests for a back end. `open` opens an empty store. */
export function exitDaysContract(name: string, open: () => Promise<OpenExitDays>): void {
  describe(`the use of exits on ${name}`, () => {
    let opened: OpenExitDays
    let days: ExitDays
    beforeEach(async () => {
      opened = await open()
      days = opened.days
    })
    afterEach(() => opened.close())

    test('counts of a day, an exit and a source add up, also those before a read', async () => {
      expect(await days.days(START)).toEqual([])
      days.count('home#1', 'forum', ONE, START)
      expect(await days.days(START)).toEqual([
        { day: '2026-01-31', label: 'home#1', source: 'forum', ...ONE },
      ])
      days.count('home#1', 'forum', { ...ONE, blocked: 1 }, START)
      days.count('home#1', 'forum', { ...ONE, failed: 1, requests: 0 }, START)
      expect(await days.days(START)).toEqual([
        {
          day: '2026-01-31',
          label: 'home#1',
          source: 'forum',
          runs: 3,
          blocked: 1,
          failed: 1,
          requests: 6,
          bytes: 6_000_000_000,
        },
      ])
    })

    test('days are in their order, and days, exits and sources are apart', async () => {
      days.count('home#2', 'forum', ONE, START)
      days.count('direct', 'shop', ONE, START + DAY_MS)
      days.count('home#1', 'shop', ONE, START)
      days.count('home#1', 'forum', ONE, START)
      const found = await days.days(START + DAY_MS)
      expect(found.at(-1)?.day).toBe('2026-02-01')
      expect(found.map(({ day, label, source }) => `${day} ${label} ${source}`).sort()).toEqual([
        '2026-01-31 home#1 forum',
        '2026-01-31 home#1 shop',
        '2026-01-31 home#2 forum',
        '2026-02-01 direct shop',
      ])
    })

    test('a day is read for 30 days', async () => {
      days.count('home#1', 'forum', ONE, START)
      expect(await days.days(START + (KEPT_DAYS - 1) * DAY_MS)).toHaveLength(1)
      expect(await days.days(START + KEPT_DAYS * DAY_MS)).toEqual([])
    })
  })
}
