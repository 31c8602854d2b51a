/** Lists on pages that misbehave. A fake page answers at once, where the code would wait for a real one. */
import { expect, test } from 'bun:test'
import { type BrowserPage, type Context, type Reply, SourceError } from 'gleaner/plugin'
import { collect as collected } from 'gleaner/plugin/testing'
import { type Collected, collect } from './collect.ts'
import { Feed } from './feed.ts'

type Row = { readonly id: string }

/**
 * A page that gets these responses one after the other, and no more. `null`: no response arrives. A number: a response
 * with this status.
 *
 * @param asked the body of responses to requests made from inside the page, or their status; `null`: these fail
 * @param captcha whether the page shows a captcha
 */
function pageOf(
  bodies: readonly (string | number | null)[],
  asked: string | number | null = null,
  captcha = false,
) {
  const left = [...bodies]
  let offset = 0
  const answers = {
    async next() {
      const body = left.shift() ?? null
      if (body === null) return null
      const url = `https://www.tiktok.com/api/comment/list/?cursor=${offset}`
      if (typeof body === 'number') return { url, status: body } as Reply
      offset = body === '' ? offset : Number(JSON.parse(body).cursor)
      return { url, status: 200, text: async () => body } as Reply
    },
  }
  const page = {
    answers: () => answers,
    evaluate: async (expression: string) => (expression.startsWith('fetch') ? asked : captcha),
    close: async () => {},
  }
  return page as unknown as BrowserPage
}

const list = (from: number, hasMore = true) =>
  JSON.stringify({ rows: [{ id: `${from}` }, { id: `${from + 1}` }], cursor: from + 2, hasMore })

/** Collects from pages. Each request for a page gets a fresh one. */
async function run(pages: BrowserPage[], limit: number, cursor?: string): Promise<[Row[], Collected]> {
  let opened = 0
  const context = { page: async () => pages[opened++]!, progress: () => {} } as unknown as Context
  return collected(
    collect<Row>({
      context,
      cursor,
      limit,
      key: ({ id }) => id,
      noun: 'rows',
      open: async (page) =>
        new Feed({
          page,
          answers: page.answers(/list/),
          first: '/api/comment/list/?cursor=0',
          show: async () => {},
        }),
      rowsOf(json) {
        const { rows, cursor: next, hasMore } = json as { rows: Row[]; cursor: number; hasMore: boolean }
        return { rows, next: hasMore ? next : null }
      },
    }),
  )
}
const codeOf = async (run: Promise<unknown>) => {
  const error = await run.catch((thrown) => thrown)
  return error instanceof SourceError ? error.code : error
}

test('a list that the page stops requesting ends there, with has_more true', async () => {
  const [rows, rest] = await run([pageOf([list(0), list(2)])], 500)
  expect(rows.map(({ id }) => id)).toEqual(['0', '1', '2', '3'])
  expect(rest).toEqual({ next_cursor: '4', has_more: true })
})

test('a list that is slow once is awaited', async () => {
  const [rows, rest] = await run([pageOf([list(0), null, list(2, false)])], 500)
  expect([rows.length, rest]).toEqual([4, { next_cursor: null, has_more: false }])
})

test('a list that nobody requests and whose direct request is refused ends as source-changed', async () => {
  expect(await codeOf(run([pageOf([])], 5))).toBe('source-changed')
})

test('a list that the page does not request, or stops requesting, is requested directly', async () => {
  const [all, rest] = await run([pageOf([], list(0, false))], 500)
  expect([all.map(({ id }) => id), rest.has_more]).toEqual([['0', '1'], false])
  const [both] = await run([pageOf([list(0)], list(2, false))], 500)
  expect(both.map(({ id }) => id)).toEqual(['0', '1', '2', '3'])
})

test.each<[number, string]>([
  [403, 'source-blocked'],
  [404, 'source-changed'],
  [429, 'source-rate-limited'],
  [503, 'source-unavailable'],
])('a list that is refused with %d ends with its code', async (status, code) => {
  expect(await codeOf(run([pageOf([status], status)], 5))).toBe(code)
})

test('a list that is refused once is requested directly', async () => {
  const [rows] = await run([pageOf([503], list(0, false))], 5)
  expect(rows.map(({ id }) => id)).toEqual(['0', '1'])
})

test('a later part that visitors may not read cuts the list off, but a rate limit fails', async () => {
  const [rows, rest] = await run([pageOf([list(0), 403], 403)], 5)
  expect([rows.length, rest]).toEqual([2, { next_cursor: '2', has_more: true }])
  expect(await codeOf(run([pageOf([list(0), 429], 429)], 5))).toBe('source-rate-limited')
})

test('an empty response to a direct request ends as source-blocked', async () => {
  expect(await codeOf(run([pageOf([], '')], 5))).toBe('source-blocked')
})

test('a captcha on a page that does not request its list ends as source-blocked', async () => {
  expect(await codeOf(run([pageOf([], null, true)], 5))).toBe('source-blocked')
})

test('an empty response is retried in a fresh context, where the list continues at its position', async () => {
  const [rows] = await run([pageOf([list(0), '']), pageOf([list(0), list(2, false)])], 500)
  expect(rows.map(({ id }) => id)).toEqual(['0', '1', '2', '3'])
})

test('three empty contexts end as source-blocked', async () => {
  expect(await codeOf(run([pageOf(['']), pageOf(['']), pageOf([''])], 5))).toBe('source-blocked')
})

test('an offset after the end, or one that the page never reaches, has no rows', async () => {
  const behind = await run([pageOf([list(0, false)])], 5, '300')
  expect(behind).toEqual([[], { next_cursor: null, has_more: false }])
  const far = await run([pageOf([list(0), list(2)])], 5, '300')
  expect(far).toEqual([[], { next_cursor: null, has_more: true }])
})

test('an offset inside a part starts inside that part', async () => {
  const [rows] = await run([pageOf([list(0), list(2, false)])], 500, '3')
  expect(rows.map(({ id }) => id)).toEqual(['3'])
})

test('a part that is repeated at an advancing offset ends the list, with has_more true', async () => {
  const again = (to: number) =>
    JSON.stringify({ rows: [{ id: '0' }, { id: '1' }], cursor: to, hasMore: true })
  const [rows, rest] = await run([pageOf([list(0), again(4), again(6), list(6, false)])], 500)
  expect(rows.map(({ id }) => id)).toEqual(['0', '1'])
  expect(rest).toEqual({ next_cursor: null, has_more: true })
})

test('a list that continues without an offset ends there, with has_more true', async () => {
  const [rows, rest] = await run(
    [pageOf([JSON.stringify({ rows: [{ id: '0' }], cursor: null, hasMore: true })])],
    500,
  )
  expect([rows.length, rest]).toEqual([1, { next_cursor: null, has_more: true }])
})

test('an offset that a repeating page never reaches has no rows', async () => {
  const [again, ...bodies] = Array.from({ length: 20 }, () => list(0))
  const [rows, rest] = await run([pageOf([again!, ...bodies, list(298), list(300)])], 5, '300')
  expect([rows, rest]).toEqual([[], { next_cursor: null, has_more: true }])
})
