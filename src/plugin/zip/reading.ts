/**
 * Reads the files of an unfinished archive. It has no list of files at its end, so it is scanned from its beginning.
 * Only archives written by {@link import('./zip.ts').createZip} are supported.
 *
 * @module
 */
import type { UnfinishedFile } from '../run/context.ts'
import { Meter } from './content.ts'
import { LOCAL_HEADER, MAX_32, STORED } from './records.ts'

const HEADER_BYTES = 30
const CHUNK = 1024 * 1024

/**
 * Finds the complete, uncompressed files of an unfinished archive. Compressed files are skipped. Empty files are
 * skipped too: a file that had just been started looks the same.
 *
 * @returns for each file, by name, a function that reads its content. The generator that it returns throws RangeError
 *   after the last chunk when the content is damaged
 * @example
 * const none = await storedFiles({ bytes: 0, read: async () => new Uint8Array() })
 * none.size // => 0
 */
export async function storedFiles(
  archive: UnfinishedFile,
): Promise<ReadonlyMap<string, () => AsyncGenerator<Uint8Array>>> {
  const files = new Map<string, () => AsyncGenerator<Uint8Array>>()
  for (let at = 0; at + HEADER_BYTES <= archive.bytes; ) {
    const header = viewOf(await archive.read(at, HEADER_BYTES))
    if (header.byteLength < HEADER_BYTES || header.getUint32(0, true) !== LOCAL_HEADER) break
    const [nameBytes, extraBytes] = [header.getUint16(26, true), header.getUint16(28, true)]
    const rest = await archive.read(at + HEADER_BYTES, nameBytes + extraBytes)
    const short = header.getUint32(18, true)
    // In the ZIP64 field, the packed size follows the field's id and length and the file's size: 12 bytes.
    const packedSize = short < MAX_32 ? short : Number(viewOf(rest).getBigUint64(nameBytes + 12, true))
    const start = at + HEADER_BYTES + nameBytes + extraBytes
    at = start + packedSize
    if (at > archive.bytes) break
    if (packedSize === 0 || header.getUint16(8, true) !== STORED) continue
    const name = new TextDecoder().decode(rest.subarray(0, nameBytes))
    files.set(name, () => content(archive, start, packedSize, header.getUint32(14, true)))
  }
  return files
}

async function* content(
  archive: UnfinishedFile,
  start: number,
  bytes: number,
  crc: number,
): AsyncGenerator<Uint8Array> {
  const meter = new Meter()
  for (let read = 0; read < bytes; ) {
    const chunk = await archive.read(start + read, Math.min(CHUNK, bytes - read))
    if (chunk.length === 0) break
    read += chunk.length
    meter.update(chunk)
    yield chunk
  }
  if (meter.size !== bytes || meter.crc !== crc) throw new RangeError('a file of the archive is damaged')
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
