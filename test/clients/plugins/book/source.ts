/**
 * A source for tests of clients: a paged list of numbers, and a file. It makes no requests.
 *
 * @module
 */
import { defineSource, defineTask, NotFound, Type } from 'gleaner/plugin'

/** Items per page, and total pages. */
const PER_PAGE = 4
const PAGES = 5

const pages = defineTask({
  key: 'book.pages',
  path: '/v1/book/:shelf/pages',
  title: 'Pages',
  description: 'The numbers from 0 to 19, four a page.',
  price: 2,
  input: Type.Object({
    shelf: Type.String({ 'x-in': 'path' }),
    cursor: Type.Optional(Type.String()),
    ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000, description: 'How long a page takes.' })),
    fails_at: Type.Optional(Type.Integer({ minimum: 0, description: 'The item that is not found.' })),
  }),
  item: Type.Object({ shelf: Type.String(), n: Type.Integer() }),
  example: { shelf: 'a' },
  async *run({ signal }, { shelf, cursor = '0', ms = 0, fails_at }) {
    const page = Number(cursor)
    for (let i = 0; i < PER_PAGE; i++) {
      const n = page * PER_PAGE + i
      if (n === fails_at) throw new NotFound('a page is torn out')
      yield { shelf, n }
      await new Promise((go) => {
        setTimeout(go, ms / PER_PAGE)
        signal.addEventListener('abort', go)
      })
      if (signal.aborted) break
    }
    return { next_cursor: page + 1 < PAGES ? String(page + 1) : null }
  },
})

const CHUNK = Uint8Array.from({ length: 65_536 }, (_, i) => 32 + ((i * 7) % 90))

const file = defineTask({
  key: 'book.file',
  path: '/v1/book/file',
  title: 'File',
  description: 'A file of so many bytes.',
  price: 1,
  input: Type.Object({ bytes: Type.Integer({ minimum: 0, maximum: 100_000_000 }) }),
  item: Type.Object({ bytes: Type.Integer() }),
  example: { bytes: 1000 },
  async *run({ artifact }, { bytes }) {
    const writer = await artifact('a "page" 1%.bin', 'application/octet-stream')
    for (let left = bytes; left > 0; left -= CHUNK.length) await writer.write(CHUNK.subarray(0, left))
    await writer.close()
    yield { bytes }
    return { next_cursor: null }
  },
})

export default defineSource({
  name: 'book',
  title: 'Book',
  origin: 'https://book.example',
  tasks: [pages, file],
})
