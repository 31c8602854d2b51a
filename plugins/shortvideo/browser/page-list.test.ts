/** Lists in pages that misbehave. A fake page answers at once, where the code would wait for a real one. */
import { expect, test } from 'bun:test'
import { Blocked, type BrowserPage, type Reply, SourceError } from 'gleaner/plugin'
import { followingIn, type Part } from '../list-part.ts'
import { PageList } from './page-list.ts'

type Row = { readonly id: string }
type Body = string | number | null

const body = (from: number, hasMore = true) =>
  JSON.stringify({ rows: [{ id: `${from}` }, { id: `${from + 1}` }], cursor: from + 2, hasMore })

const partOf = (json: unknown, from: number): Part<Row> => {
  const { rows, status } = json as { rows: Row[]; status?: number }
  if (status !== undefined) throw new Blocked(`status ${status}`)
  return { from, rows, ...followingIn(json, from) }
}

/**
 * A list in a page that gets these responses one after the other, and no more. `null`: no response arrives. A number:
 * a response with this status.
 *
 * @param answer the body of responses to requests from inside the page, or their status; `null`: these fail
 * @param overlay what lies over the page
 */
function listOf(
  bodies: readonly Body[],
  answer: Body | ((from: number) => Body) = null,
  { scrolls = true, overlay = '' }: { scrolls?: boolean; overlay?: '' | 'captcha' | 'dialog' } = {},
) {
  const queue = [...bodies]
  const calls = { from: 0, requests: [] as number[], shows: 0, clears: 0 }
  const answers = {
    async next() {
      const next = queue.shift() ?? null
      if (next === null) return null
      const url = `https://www.tiktok.com/api/comment/list/?cursor=${calls.from}`
      if (typeof next === 'number') return { url, status: next } as Reply
      calls.from = next === '' ? calls.from : (JSON.parse(next).cursor ?? calls.from)
      return { url, status: 200, text: async () => next } as Reply
    },
  }
  const evaluate = async (expression: string) => {
    const [, cursor] = /^fetch\(.*cursor=(\d+)/.exec(expression) ?? []
    if (cursor !== undefined) {
      calls.requests.push(Number(cursor))
      return typeof answer === 'function' ? answer(Number(cursor)) : answer
    }
    if (!expression.startsWith('(')) return overlay === 'captcha'
    calls.clears++
    return { dialog: overlay === 'dialog', isCleared: overlay === 'dialog' }
  }
  const list = new PageList<Row, Part<Row>>({
    context: { pause: async () => true },
    page: { evaluate } as unknown as BrowserPage,
    answers,
    show: async () => void calls.shows++,
    ...(scrolls ? { scroll: async () => {} } : {}),
    shortest: (from) => `/api/comment/list/?cursor=${from}`,
    partOf,
  })
  return { list, calls }
}

/** The rows of the list from a position on, and how it ends. */
async function all(list: PageList<Row, Part<Row>>, from = 0): Promise<[string, 'end' | 'cut off']> {
  const ids: string[] = []
  for (let position: number | null = from; position !== null; ) {
    const part: Part<Row> | null = await list.at(position)
    if (!part) return [ids.join(' '), 'cut off']
    ids.push(...part.rows.slice(Math.max(0, position - part.from)).map(({ id }) => id))
    position = part.more ? part.next : null
  }
  return [ids.join(' '), 'end']
}

const codeOf = async (run: Promise<unknown>) => {
  const error = await run.catch((reason) => reason)
  return error instanceof SourceError ? error.code : error
}

test('a list that the page stops requesting, and whose next part is refused, is cut off there', async () => {
  expect(await all(listOf([body(0), body(2)]).list)).toEqual(['0 1 2 3', 'cut off'])
})

test('a list that is slow once is awaited', async () => {
  expect(await all(listOf([body(0), null, body(2, false)]).list)).toEqual(['0 1 2 3', 'end'])
})

test('parts that the page does not request are requested from inside it, in the shortest form', async () => {
  const none = listOf([], body(0, false))
  expect(await all(none.list)).toEqual(['0 1', 'end'])
  const some = listOf([body(0)], (from) => body(from, from < 4))
  expect(await all(some.list)).toEqual(['0 1 2 3 4 5', 'end'])
  expect(some.calls.requests).toEqual([2, 4])
})

test('a list that does not scroll takes what the page has requested, then asks at once', async () => {
  const { list, calls } = listOf([body(0), body(2)], (from) => body(from, false), { scrolls: false })
  expect(await all(list)).toEqual(['0 1 2 3 4 5', 'end'])
  expect(calls).toMatchObject({ requests: [4], shows: 1 })
})

test('a position that a list without scrolling cannot reach is asked for without showing the list', async () => {
  const { list, calls } = listOf([body(0)], (from) => body(from, false), { scrolls: false })
  expect(await all(list, 300)).toEqual(['300 301', 'end'])
  expect(calls).toMatchObject({ requests: [300], shows: 0 })
})

test.each<[Body, string]>([
  [403, 'source-blocked'],
  [404, 'source-changed'],
  [429, 'source-rate-limited'],
  [503, 'source-unavailable'],
  ['', 'source-blocked'],
  ['{"status": 8}', 'source-blocked'],
  ['{"type": "verify"}', 'source-blocked'],
  [0, 'source-login-required'],
  [null, 'source-changed'],
])('a list whose first part is answered with %p ends with its code', async (answer, code) => {
  expect(await codeOf(listOf([503], answer).list.at(0))).toBe(code)
})

test.each([403, '', '{"status": 8}', 0, null])(
  'a later part that is answered with %p cuts the list off',
  async (answer) => {
    expect(await all(listOf([body(0), ''], answer).list)).toEqual(['0 1', 'cut off'])
  },
)

test.each<[Body, string]>([
  [404, 'source-changed'],
  ['{"rows": [', 'source-changed'],
  [429, 'source-rate-limited'],
])('a later part that is answered with %p is no end of the list', async (answer, code) => {
  expect(await codeOf(all(listOf([body(0)], answer).list))).toBe(code)
})

test('an empty response to the page does not end the list: the shortest form may be answered', async () => {
  expect(await all(listOf([''], body(0, false)).list)).toEqual(['0 1', 'end'])
})

test('a captcha over a page that does not request its list ends as source-blocked', async () => {
  expect(await codeOf(listOf([], null, { overlay: 'captcha' }).list.at(0))).toBe('source-blocked')
})

test('a login dialog is closed once, and the page goes on', async () => {
  const { list, calls } = listOf([null, body(0, false)], null, { overlay: 'dialog' })
  expect(await all(list)).toEqual(['0 1', 'end'])
  expect(calls.clears).toBe(1)
})

test.each<Body>(['', 403, null])(
  'a list behind a login dialog that is answered with %p ends as source-login-required',
  async (answer) => {
    const { list } = listOf([null, null], answer, { overlay: 'dialog' })
    expect(await codeOf(list.at(0))).toBe('source-login-required')
  },
)

test('a position after the end is the last part, and one inside a part is that part', async () => {
  expect(await listOf([body(0, false)]).list.at(300)).toMatchObject({ from: 0, more: false })
  expect(await all(listOf([body(0), body(2, false)]).list, 3)).toEqual(['3', 'end'])
})

test('a position that a repeating page never reaches is cut off', async () => {
  const again = JSON.stringify({ rows: [{ id: '0' }], cursor: 0, hasMore: true })
  const { list } = listOf(Array.from({ length: 20 }, () => again))
  expect(await list.at(300)).toBeNull()
})

test('a part that the page contains is read before those that it requests', async () => {
  const { list } = listOf([])
  list.add({ from: 0, rows: [{ id: 'a' }], next: 1, more: false })
  expect(await list.hasBegun()).toBe(true)
  expect(await all(list)).toEqual(['a', 'end'])
})
