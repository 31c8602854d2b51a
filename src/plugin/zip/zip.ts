/**
 * Writes ZIP archives as streams. Memory use is small, whatever the size of the files.
 *
 * @module
 */
import type { ArtifactWriter } from '../run/context.ts'
import { Meter, pack } from './content.ts'
import { Names } from './names.ts'
import { CentralDirectory, DEFLATED, type Entry, localHeader, STORED } from './records.ts'

/**
 * A file of an archive. `name` is the name in the archive, which is the requested name made safe and unique. `bytes`
 * and `sha256` (in hexadecimal) describe the uncompressed content.
 *
 * @example
 * const file: ZipFile = { name: 'lamps/7.jpg', bytes: 0, sha256: 'e3b0c44298fc1c149afbf4c8996fb924' }
 * file.name // => 'lamps/7.jpg'
 */
export type ZipFile = { readonly name: string; readonly bytes: number; readonly sha256: string }

/**
 * Options for adding a file to an archive.
 *
 * @example
 * const photo: ZipOptions = { store: true, at: new Date('2026-01-31T12:00:00Z') }
 * photo.store // => true
 */
export type ZipOptions = {
  /** do not compress the content, e.g. because it is an image; default false */
  readonly store?: boolean
  /** time of the last change, stored with a resolution of two seconds, from 1980 to 2107; default now */
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
   * Adds a file. Wait for each call before the next one.
   *
   * @param name a path with `/`. Parts that some systems do not allow (`..`, `CON`, 300 characters) are changed, and a
   *   duplicate name gets a number
   * @param content text, bytes, or a stream of bytes, e.g. `reply.stream()`
   * @throws the error of `content`. The file is then removed from the archive, and further files can be added
   * @throws {TypeError} when another file is being added, or after `close`
   */
  add(
    name: string,
    content: string | Uint8Array | AsyncIterable<Uint8Array>,
    options?: ZipOptions,
  ): Promise<ZipFile>
  /** Writes the list of files and closes the artifact. @throws {TypeError} when a file is being added */
  close(): Promise<void>
}

/**
 * Creates a ZIP archive in an artifact. Names are UTF-8. Archives of more than 65,535 files or 4 GiB use ZIP64.
 *
 * @param writer an artifact to which nothing has been written
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
  const directory = new CentralDirectory()
  let length = 0
  let busy = false

  const write = async (chunk: Uint8Array): Promise<void> => {
    await writer.write(chunk)
    length += chunk.length
  }

  async function add(
    requestedName: string,
    content: Parameters<Zip['add']>[1],
    { store = false, at = new Date() }: ZipOptions,
  ): Promise<ZipFile> {
    const name = names.free(requestedName)
    const nameBytes = new TextEncoder().encode(name)
    const offset = length
    const meter = new Meter()
    const entry = (packedSize: number): Entry => {
      const { crc, size } = meter
      return {
        name: nameBytes,
        method: store ? STORED : DEFLATED,
        at,
        crc,
        size,
        packedSize,
        offset,
      }
    }
    try {
      await write(localHeader(entry(0)))
      const start = length
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
      for await (const chunk of pack(bytes, store, meter)) await write(chunk)
      const complete = entry(length - start)
      await writer.patch(offset, localHeader(complete))
      names.take(name)
      directory.add(complete)
      return { name, bytes: complete.size, sha256: meter.sha256() }
    } catch (error) {
      await writer.truncate(offset)
      length = offset
      throw error
    }
  }

  return {
    async add(name, content, options = {}) {
      if (busy) throw new TypeError('add files to an archive one at a time, and before it is closed')
      busy = true
      try {
        return await add(name, content, options)
      } finally {
        busy = false
      }
    },
    async close() {
      if (busy) throw new TypeError('wait until the file is added')
      busy = true
      for (const part of directory.end(length)) await write(part)
      await writer.close()
    },
  }
}
