/** The complete files of an unfinished archive can be read. */
import { expect, test } from 'bun:test'
import { createZip, storedFiles } from '../../../src/plugin.ts'

/** An archive without its end record, and the offset where each of its files ends. */
async function brokenOff() {
  const bytes: number[] = []
  const zip = createZip({
    write: async (chunk) => void bytes.push(...chunk),
    patch: async (at, chunk) => void bytes.splice(at, chunk.length, ...chunk),
    truncate: async (length) => void bytes.splice(length),
    close: async () => undefined,
  })
  const ends: number[] = []
  const streamed = async function* (byte: number, count: number) {
    for (let i = 0; i < count; i++) yield new Uint8Array(10).fill(byte)
  }
  await zip.add('a/one.jpg', streamed(1, 3), { store: true })
  ends.push(bytes.length)
  await zip.add('packed.txt', 'text '.repeat(50))
  ends.push(bytes.length)
  await zip.add('a/two.mp4', streamed(2, 4), { store: true })
  ends.push(bytes.length)
  return { bytes: Uint8Array.from(bytes), ends }
}

const fileOf = (bytes: Uint8Array) => ({
  bytes: bytes.length,
  read: async (at: number, length: number) => bytes.slice(at, at + length),
})

async function contentOf(chunks: AsyncIterable<Uint8Array>) {
  const all: number[] = []
  for await (const chunk of chunks) all.push(...chunk)
  return all
}

test('an archive truncated at any byte yields exactly its complete stored files', async () => {
  const { bytes, ends } = await brokenOff()
  for (let length = 0; length <= bytes.length; length++) {
    const files = await storedFiles(fileOf(bytes.subarray(0, length)))
    const whole = ['a/one.jpg', 'a/two.mp4'].filter((_, i) => length >= ends[2 * i]!)
    expect([...files.keys()]).toEqual(whole)
  }
  const files = await storedFiles(fileOf(bytes))
  expect(await contentOf(files.get('a/one.jpg')!())).toEqual(Array(30).fill(1))
  expect(await contentOf(files.get('a/two.mp4')!())).toEqual(Array(40).fill(2))
})

test('a file with damaged content throws at its end', async () => {
  const { bytes, ends } = await brokenOff()
  bytes[ends[0]! - 1] = 9
  const files = await storedFiles(fileOf(bytes))
  await expect(contentOf(files.get('a/one.jpg')!())).rejects.toThrow('damaged')
})

test('bytes that are not an archive yield no files', async () => {
  expect((await storedFiles(fileOf(new Uint8Array(1000).fill(7)))).size).toBe(0)
  expect((await storedFiles(fileOf(new Uint8Array()))).size).toBe(0)
})
