/** Pages of several lists show each run once, in order, in both directions, and never leave a match out. */
import { describe, expect, test } from 'bun:test'
import type { RunRow } from '../../../../projections/runs.ts'
import { findRuns, mergedBy, type RunSource, runSource } from '../../../../src/console/account/runs/read.ts'
import type { AccountId } from '../../../../src/domain/ids.ts'
import type { ListQuery } from '../../../../src/read/read-models.ts'

const of = (created: number, status = 'succeeded') => ({ created, run_status: status }) as RunRow
const at = (rows: readonly { readonly created: number }[]) => rows.map(({ created }) => created)

describe('mergedBy', () => {
  const lists = [[9, 4, 1], [8, 7], [], [6]]
  test.each([
    ['descending', 4, [9, 8, 7, 6]],
    ['descending', 10, [9, 8, 7, 6, 4, 1]],
    ['ascending', 3, [1, 4, 6]],
    ['ascending', 0, []],
  ] as const)('%s, at most %d', (order, limit, expected) => {
    const inOrder = order === 'ascending' ? lists.map((list) => list.toReversed()) : lists
    expect(mergedBy((entry: number) => entry, order, inOrder, limit)).toEqual([...expected])
  })
})

/** A read model of rows by status, as an index has them. */
function models(rows: readonly RunRow[]) {
  const list = async (_: unknown, index: string, query: ListQuery) => {
    const { equals, after, upTo, order, limit } = query
    const down = order === 'descending'
    return rows
      .filter(({ run_status }) => index === 'by_account' || run_status === equals[1])
      .filter(
        ({ created }) => after === undefined || (down ? created < Number(after) : created > Number(after)),
      )
      .filter(({ created }) => upTo === undefined || created <= Number(upTo))
      .toSorted((a, b) => (down ? b.created - a.created : a.created - b.created))
      .slice(0, limit)
  }
  return {
    list: list as never,
    count: async (...query: Parameters<typeof list>) => (await list(...query)).length,
  }
}

describe('runs of several states', () => {
  const rows = Array.from({ length: 100 }, (_, i) => of(i + 1, ['succeeded', 'failed', 'errored'][i % 3]))
  const source = (statuses: readonly string[], span = { after: 0, upTo: undefined as number | undefined }) =>
    runSource(models(rows), 'acc_1' as AccountId, { statuses, task: undefined }, span)
  const wanted = at(rows.filter(({ run_status }) => run_status !== 'succeeded'))

  test('are read page by page, newest first, each once', async () => {
    const seen: number[] = []
    for (let after: number | undefined; ; ) {
      const found = await findRuns(source(['failed', 'errored']), {
        order: 'descending',
        after,
        limit: 7,
        most: 1000,
      })
      seen.push(...at(found.rows))
      if (found.next === null) break
      after = found.next
    }
    expect(seen).toEqual(wanted.toReversed())
  })
  test('are read back towards newer ones', async () => {
    const found = await findRuns(source(['failed', 'errored']), {
      order: 'ascending',
      after: 50,
      limit: 7,
      most: 1000,
    })
    expect(at(found.rows)).toEqual(wanted.filter((each) => each > 50).slice(0, 7))
  })
  test('lie within their span, both ends counted, in both directions', async () => {
    const span = { after: 10, upTo: 20 }
    const down = await findRuns(source([], span), {
      order: 'descending',
      after: undefined,
      limit: 50,
      most: 1000,
    })
    const up = await findRuns(source([], span), {
      order: 'ascending',
      after: undefined,
      limit: 50,
      most: 1000,
    })
    expect(at(down.rows)).toEqual([20, 19, 18, 17, 16, 15, 14, 13, 12, 11])
    expect(at(up.rows)).toEqual(at(down.rows).toReversed())
    expect(await source([], span).count(1000)).toBe(10)
    expect(await source(['failed', 'errored']).count(1000)).toBe(wanted.length)
  })
})

describe('a search', () => {
  const rows = Array.from({ length: 1000 }, (_, i) => of(i + 1))
  const source: RunSource = runSource(
    models(rows),
    'acc_1' as AccountId,
    { statuses: [], task: undefined },
    { after: 0, upTo: undefined },
  )
  const everyTenth = async (some: readonly RunRow[]) => some.filter(({ created }) => created % 10 === 0)
  const search = (after: number | undefined, limit: number, most: number) =>
    findRuns(source, { order: 'descending', after, limit, most, matches: everyTenth })

  test('ends when a page is full, and goes on after its last match', async () => {
    const first = await search(undefined, 5, 1000)
    expect(at(first.rows)).toEqual([1000, 990, 980, 970, 960])
    expect(at((await search(first.next!, 5, 1000)).rows)).toEqual([950, 940, 930, 920, 910])
  })
  test('ends after the runs that it may look at, and goes on after the last one of them', async () => {
    const part = await search(undefined, 100, 300)
    expect([part.rows.length, part.looked, part.next]).toEqual([30, 300, 701])
    expect(at((await search(part.next!, 3, 300)).rows)).toEqual([700, 690, 680])
  })
  test('that has seen all runs has no further page', async () => {
    const all = await search(undefined, 200, 2000)
    expect([all.rows.length, all.next]).toEqual([100, null])
  })
})
