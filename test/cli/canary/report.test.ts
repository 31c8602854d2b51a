import { expect, test } from 'bun:test'
import { endText, tableOf } from '../../../src/cli/canary/report.ts'
import type { Finding } from '../../../src/health/canary/all.ts'

const finding = (columns: readonly string[], items: number, below: readonly object[] = []) => {
  const task = { key: 'lamps.search', columns, summary: () => null }
  const run = { status: 'succeeded', code: null, result: { item_count: items } }
  const end = { run, ms: 400, fill: { schema: '00000000', input: '00000000', items: 1, shares: [1000] } }
  const probe = { task, input: {}, title: 'desk', number: 1 }
  const tried = [{ probe, end, isBad: false, isRepeat: false, below }]
  return { task, tried, obstacle: undefined, isBroken: false, drift: [] } as unknown as Finding
}
const row = (one: Finding) => tableOf([one]).split('\n')[1]?.split(/ {2,}/)

test('a task without items has no number of items, which else would look like an empty answer', () => {
  const archive = finding([], 0)
  expect(row(archive)?.slice(2)).toEqual(['succeeded', '–', 'as usual', '0.4 s'])
  expect(endText(archive.task, archive.tried[0]!.end)).toBe('succeeded')
  expect(row(finding(['title'], 0))?.slice(2, 4)).toEqual(['succeeded', '0'])
})

test('fields below what is usual are explained when none is known to be lost', () => {
  const below = [{ field: 'price', was: 1, now: 0 }]
  expect(tableOf([finding(['price'], 2, below)])).toContain(
    '\nA field that is filled less than usual is not known',
  )
  const lost = { ...finding(['price'], 2, below), drift: below } as Finding
  expect(tableOf([lost])).not.toContain('not known')
  expect(tableOf([finding(['price'], 2)])).not.toContain('not known')
})
