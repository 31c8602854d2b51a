/** Lists over pages that do not go on as they should: a stand-in for the page answers at once, where a real one is waited for. */
import { expect, test } from 'bun:test'
import { type BrowserPage, type Context, type Reply, SourceError } from 'gleaner/plugin'
import { collect as collected } from 'gleaner/plugin/testing'
import { type Collected, collect } from './collect.ts'
import { Feed } from './feed.ts'

type Row = { readonly id: string }

/** A page that gets these answers one after the other, and no more; `null`: none comes. */
function pageOf(bodies: readonly (string | null)[]) {
  const left = [...bodies]
  let offset = 0
  const answers = {
    async next() {
      const body = left.shift() ?? null
      if (body === null) return null
      const url = `https://www.tiktok.com/api/comment/list/?cursor=${offset}`
      offset = body === '' ? offset : Number(JSON.parse(body).cursor)
      return { url, text: async () => body } as Reply
    },
  }
  const page = { answers: () => answers, evaluate: async () => '', close: async () => {} }
  return page as unknown as BrowserPage
}

const list = (from: number, more = true) =>
  JSON.stringify({ rows: [{ id: `${from}` }, { id: `${from + 1}` }], cursor: from + 2, more })

/** Collects from pages, a fresh one each time that one is asked for. */
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
      open: async (page) => new Feed(page, page.answers(/list/), async () => {}),
      rowsOf(json) {
        const { rows, cursor: next, more } = json as { rows: Row[]; cursor: number; more: boolean }
        return { rows, next: more ? next : null }
      },
    }),
  )
}
const codeOf = async (run: Promise<unknown>) => {
  const error = await run.catch((thrown) => thrown)
  return error instanceof SourceError ? error.code : error
}

test('a list that the page stops to ask for ends there, and says that there is more', async () => {
  const [rows, rest] = await run([pageOf([list(0), list(2)])], 500)
  expect(rows.map(({ id }) => id)).toEqual(['0', '1', '2', '3'])
  expect(rest).toEqual({ next_cursor: '4', has_more: true })
})

test('a list that is slow once is waited for', async () => {
  const [rows, rest] = await run([pageOf([list(0), null, list(2, false)])], 500)
  expect([rows.length, rest]).toEqual([4, { next_cursor: null, has_more: false }])
})

test('a page that never asks for its list has changed', async () => {
  expect(await codeOf(run([pageOf([])], 5))).toBe('source-changed')
})

test('an empty answer is tried in fresh contexts, where the list goes on at its position', async () => {
  const [rows] = await run([pageOf([list(0), '']), pageOf([list(0), list(2, false)])], 500)
  expect(rows.map(({ id }) => id)).toEqual(['0', '1', '2', '3'])
})

test('three empty contexts are a block', async () => {
  expect(await codeOf(run([pageOf(['']), pageOf(['']), pageOf([''])], 5))).toBe('source-blocked')
})

test('an offset inside a part begins there', async () => {
  const [rows] = await run([pageOf([list(0), list(2, false)])], 500, '3')
  expect(rows.map(({ id }) => id)).toEqual(['3'])
})
