/** Filters stand in the address; what is no filter is ignored, and a search finds ids and words. */
import { describe, expect, test } from 'bun:test'
import { filtersIn, queryOf } from '../../../../src/console/account/runs/filters.ts'
import { isMatch, isStartOfId } from '../../../../src/console/account/runs/search.ts'

const catalogue = { get: (key: string) => (key === 'sample.search' ? { key } : undefined) } as never
const KEY = `key_${'0'.repeat(26)}`

describe('filters', () => {
  test.each([
    ['status=failed&status=errored', 'status=failed&status=errored'],
    ['status=canceled&status=cancelled', 'status=cancelled'],
    ['status=unknown&status=', ''],
    ['task_key=sample.search', 'task_key=sample.search'],
    ['task_key=nothing', ''],
    ['from=2026-11-28&to=2026-13-01', 'from=2026-11-28'],
    ['by=me', 'by=me'],
    [`by=${KEY}`, `by=${KEY}`],
    ['by=somebody', ''],
    ['q=+desk++lamp+', 'q=desk++lamp'],
    ['before=12&unknown=1', ''],
  ])('%s is read as %s', (query, expected) => {
    expect(String(queryOf(filtersIn(new URLSearchParams(query), catalogue)))).toBe(expected)
  })
  test('all states are no filter', () => {
    const all = 'queued running cancelling succeeded failed errored cancelled expired'.split(' ')
    const query = new URLSearchParams(all.map((status) => ['status', status]))
    expect(filtersIn(query, catalogue).statuses).toEqual([])
  })
  test('a search is cut, not refused', () => {
    expect(filtersIn(new URLSearchParams({ q: 'x'.repeat(100_000) }), catalogue).q.length).toBe(200)
  })
})

describe('a search', () => {
  const runId = 'run_0abc1def2ghj3kmn4pqr5stv6w' as never
  test.each([
    ['lamp', true],
    ['DESK lamp', true],
    ['lamp desk', true],
    ['desk chair', false],
    ['run_0abc', true],
    ['RUN_0ABC1', true],
    ['run_9', false],
    ['ｌａｍｐ', true],
    ['.*', false],
  ])('for %s', (q, isFound) => {
    expect(isMatch(q, { runId }, 'Marketplace search Desk Lamp')).toBe(isFound)
  })
  test.each([
    ['run_0abc', true],
    ['run_', false],
    ['running shoes', false],
    ['run_0abc def', false],
  ])('%s may be the start of an id: %s', (q, may) => expect(isStartOfId(q)).toBe(may))
})
