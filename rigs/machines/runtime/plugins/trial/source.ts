/**
 * Tasks for comparing the runtimes: pages of a source on loopback, and files of any size.
 *
 * @module
 */
import { defineSource, defineTask, Nullable, Type } from 'gleaner/plugin'

/** Reads one address of the source. Its answer decides how the run ends. */
const page = defineTask({
  key: 'trial.page',
  path: '/v1/trial/page',
  title: 'Page',
  description: 'The entries of one page.',
  price: 1,
  input: Type.Object({ path: Type.String({ minLength: 1, maxLength: 200 }) }),
  item: Type.Object({ title: Type.String(), href: Nullable(Type.String()) }),
  example: { path: '/list' },
  async *run({ fetch, parse }, { path }) {
    const reply = await fetch(path)
    for (const link of parse(await reply.text()).querySelectorAll('li a'))
      yield { title: link.textContent, href: link.getAttribute('href') }
    return { next_cursor: null }
  },
})

const CHUNK = new Uint8Array(64 * 1024).map((_, i) => i % 251)

/** Writes a file piece by piece, as an export does. */
const file = defineTask({
  key: 'trial.file',
  path: '/v1/trial/file',
  title: 'File',
  description: 'A file of so many bytes.',
  price: 1,
  input: Type.Object({ bytes: Type.Integer({ minimum: 0, maximum: 100_000_000 }) }),
  item: Type.Object({ bytes: Type.Integer() }),
  example: { bytes: 1000 },
  async *run({ artifact }, { bytes }) {
    const writer = await artifact('späß "1" 100%.bin', 'application/octet-stream')
    for (let left = bytes; left > 0; left -= CHUNK.length) await writer.write(CHUNK.subarray(0, left))
    await writer.close()
    yield { bytes }
    return { next_cursor: null }
  },
})

export default defineSource({
  name: 'trial',
  title: 'Trial',
  origin: 'https://trial.example',
  hosts: ['trial.example'],
  pace: { perSecond: 1000, concurrent: 10 },
  tasks: [page, file],
})
