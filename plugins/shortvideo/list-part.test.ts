/** `has_more` of the site is unreliable: only a part without new rows is the end of a list. */
import { expect, test } from 'bun:test'
import { Blocked } from 'gleaner/plugin'
import { followingIn, type Part, withTrueEnd } from './list-part.ts'

type Row = { readonly id: string }
const part = (
  from: number,
  ids: string,
  more: boolean | null,
  next: number | null = from + 20,
): Part<Row> => ({
  from,
  next,
  more,
  rows: [...ids].map((id) => ({ id })),
})

/** Reads parts by their position, and counts the requests. */
function readerOf(...parts: (Part<Row> | Error)[]) {
  const positions: number[] = []
  const read = withTrueEnd<Row, Part<Row>>(
    async (from) => {
      positions.push(from)
      const part = parts[from / 20]
      if (part instanceof Error) throw part
      return part ?? null
    },
    ({ id }) => id,
  )
  return { read, positions }
}

test('a part that says that it is the last is not, if the following one has new rows, which is requested once', async () => {
  const { read, positions } = readerOf(part(0, 'ab', false), part(20, 'bc', false), part(40, '', false))
  expect((await read(0))?.more).toBe(true)
  expect(await read(20)).toMatchObject({ from: 20, more: false })
  expect(positions).toEqual([0, 20, 40])
})

test.each<[string, Part<Row>]>([
  ['no rows', part(20, '', true)],
  ['only rows that were seen', part(20, 'ba', true)],
])('a part is the last if the following one has %s', async (_, following) => {
  expect((await readerOf(part(0, 'ab', false), following).read(0))?.more).toBe(false)
})

test.each<[string, Part<Row>]>([
  ['says that the list continues', part(0, 'ab', true)],
  ['does not say', part(0, 'ab', null)],
  ['names no position', part(0, 'ab', false, null)],
  ['is empty', part(0, '', false)],
])('the following part of one that %s is not requested', async (_, first) => {
  const { read, positions } = readerOf(first)
  expect(await read(0)).toBe(first)
  expect(positions).toEqual([0])
})

test('a refusal of the following part says nothing about the end, and is thrown when the part is wanted', async () => {
  const { read, positions } = readerOf(part(0, 'ab', false), new Blocked('an empty response'))
  expect((await read(0))?.more).toBe(true)
  expect(await read(20).catch((error) => error)).toBeInstanceOf(Blocked)
  expect(positions).toEqual([0, 20])
})

test('a following part that the site does not let visitors read is no end', async () => {
  expect((await readerOf(part(0, 'ab', false)).read(0))?.more).toBe(true)
})

test.each<[object, { next: number | null; more: boolean | null }]>([
  [
    { cursor: 20, has_more: 1 },
    { next: 20, more: true },
  ],
  [
    { cursor: '20', has_more: '1' },
    { next: 20, more: true },
  ],
  [
    { cursor: '20', hasMore: true },
    { next: 20, more: true },
  ],
  [
    { cursor: 20, has_more: 0 },
    { next: 20, more: false },
  ],
  [
    { cursor: 0, hasMore: false },
    { next: null, more: false },
  ],
  [
    { cursor: null, has_more: 1 },
    { next: null, more: true },
  ],
  [{}, { next: null, more: null }],
])('the following position of %j', (json, following) => {
  expect(followingIn(json, 0)).toEqual(following)
})
