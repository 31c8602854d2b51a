/**
 * ZIP archives, written as their files come: whatever they hold, little of it is in memory at once.
 *
 * @module
 */
import type { ArtifactWriter } from '../run/context.ts'
import { Meter, pack, packed } from './content.ts'
import { Names } from './names.ts'
import { centralHeader, DEFLATED, type Entry, endRecords, localHeader, STORED } from './records.ts'

/**
 * A file of an archive. `name`: as it stands there, which is the wanted one made safe; `bytes` and `sha256` (in
 * hexadecimal) of its content.
 *
 * @example
 * const file: ZipFile = { name: 'lamps/7.jpg', bytes: 0, sha256: 'e3b0c44298fc1c149afbf4c8996fb924' }
 * file.name // => 'lamps/7.jpg'
 */
export type ZipFile = { readonly name: string; readonly bytes: number; readonly sha256: string }

/**
 * How a file is put into an archive.
 *
 * @example
 * const photo: ZipOptions = { store: true, at: new Date('2026-01-31T12:00:00Z') }
 * photo.store // => true
 */
export type ZipOptions = {
  /** leave it as it is, for what is compressed already; default false */
  readonly store?: boolean
  /** when it was changed last, kept to two seconds and to the years from 1980; default now */
  readonly at?: Date
}

/**
 * An archive that is being written; see {@link createZip}.
 *
 * @example
 * const addAll = async (zip: Zip, texts: string[]) => {
 *   for (const [i, text] of texts.entries()) await zip.add(`${i}.txt`, text)
 *   await zip.close()
 * }
 * addAll.length // => 2
 */
export type Zip = {
  /**
   * Adds a file; one at a time.
   *
   * @param name a path with `/`. Parts that some system could not hold (`..`, `CON`, 300 characters) are changed, and a
   *   name that is there already gets a number
   * @param content text, bytes, or bytes as they come, e.g. `reply.stream()`
   * @throws what the content throws; the archive is then as if the file had never begun, and others may be added
   */
  add(
    name: string,
    content: string | Uint8Array | AsyncIterable<Uint8Array>,
    options?: ZipOptions,
  ): Promise<ZipFile>
  /** Writes the list of files and closes the artifact. */
  close(): Promise<void>
}

/** Bytes that are gathered where single records would be many small writes. */
const BUFFER = 64 * 1024

/**
 * Begins a ZIP archive in an artifact. Names are UTF-8; more than 65,535 files and more than 4 GiB are written as ZIP64.
 *
 * @example
 * const bytes: number[] = []
 * const zip = createZip({
 *   write: async (chunk) => void bytes.push(...chunk),
 *   patch: async (at, chunk) => void bytes.splice(at, chunk.length, ...chunk),
 *   truncate: async (length) => void bytes.splice(length),
 *   close: async () => undefined,
 * })
 * const photo = await zip.add('../lamps/7.jpg', new Uint8Array([255, 216]), { store: true })
 * await zip.close()
 * [photo.name, photo.bytes, bytes.slice(0, 2)] // => ['__/lamps/7.jpg', 2, [80, 75]]
 */
export function createZip(writer: ArtifactWriter): Zip {
  const names = new Names()
  const list = new Gathered()
  let count = 0
  let length = 0
  let busy = false

  const write = async (chunk: Uint8Array): Promise<void> => {
    await writer.write(chunk)
    length += chunk.length
  }

  async function addKnown(content: Uint8Array, given: Given): Promise<Added> {
    const meter = new Meter()
    meter.update(content)
    const { body, deflated } = given.store ? { body: content, deflated: false } : pack(content)
    const entry = entryOf(given, meter, body.length, deflated)
    const header = localHeader(entry, false)
    if (header.length + body.length <= BUFFER) await write(Buffer.concat([header, body]))
    else {
      await write(header)
      await write(body)
    }
    return { entry, sha256: meter.sha256() }
  }

  async function addStream(content: AsyncIterable<Uint8Array>, given: Given): Promise<Added> {
    const meter = new Meter()
    const header = localHeader(entryOf(given, meter, 0, !given.store), true)
    await write(header)
    const start = length
    const measured = through(content, meter)
    for await (const chunk of given.store ? measured : packed(measured)) await write(chunk)
    const entry = entryOf(given, meter, length - start, !given.store)
    await writer.patch(given.offset, localHeader(entry, true))
    return { entry, sha256: meter.sha256() }
  }

  async function add(
    name: string,
    content: Parameters<Zip['add']>[1],
    options: ZipOptions,
  ): Promise<ZipFile> {
    const free = names.free(name)
    const given = {
      name: new TextEncoder().encode(free),
      store: options.store ?? false,
      at: options.at ?? new Date(),
      offset: length,
    }
    try {
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
      const { entry, sha256 } =
        bytes instanceof Uint8Array ? await addKnown(bytes, given) : await addStream(bytes, given)
      names.take(free)
      list.add(centralHeader(entry))
      count++
      return { name: free, bytes: entry.size, sha256 }
    } catch (error) {
      await writer.truncate(given.offset)
      length = given.offset
      throw error
    }
  }

  return {
    async add(name, content, options = {}) {
      if (busy) throw new TypeError('files are added to an archive one at a time')
      busy = true
      try {
        return await add(name, content, options)
      } finally {
        busy = false
      }
    },
    async close() {
      if (busy) throw new TypeError('a file is being added')
      busy = true
      const offset = length
      for (const part of list.parts()) await write(part)
      await write(endRecords(count, length - offset, offset))
      await writer.close()
    },
  }
}

type Given = Pick<Entry, 'name' | 'at' | 'offset'> & { readonly store: boolean }
type Added = { readonly entry: Entry; readonly sha256: string }

const entryOf = (
  { name, at, offset }: Given,
  { crc, size }: Meter,
  packed: number,
  deflated: boolean,
): Entry => ({
  name,
  at,
  offset,
  crc,
  size,
  packed,
  method: deflated ? DEFLATED : STORED,
})

async function* through(chunks: AsyncIterable<Uint8Array>, meter: Meter): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    meter.update(chunk)
    yield chunk
  }
}

/** Many small records in a few large pieces: each alone would take several times its bytes in memory. */
class Gathered {
  private readonly full: Uint8Array[] = []
  private last = new Uint8Array(BUFFER)
  private used = 0

  /** @param record smaller than the pieces */
  add(record: Uint8Array): void {
    if (this.used + record.length > this.last.length) {
      this.full.push(this.last.subarray(0, this.used))
      this.last = new Uint8Array(BUFFER)
      this.used = 0
    }
    this.last.set(record, this.used)
    this.used += record.length
  }

  parts(): readonly Uint8Array[] {
    return this.used === 0 ? this.full : [...this.full, this.last.subarray(0, this.used)]
  }
}
