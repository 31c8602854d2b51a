/**
 * Reading the files of an archive that was never finished: there is no list at its end, so it is gone through from its
 * beginning. Only what {@link import('./zip.ts').createZip} writes is understood.
 *
 * @module
 */
import type { UnfinishedFile } from '../run/context.ts'
import { Meter } from './content.ts'
import { LOCAL_HEADER, MAX_32, STORED } from './records.ts'

const HEADER_BYTES = 30
const CHUNK = 1024 * 1024

/**
 * The whole files of a broken-off archive that were stored as they are, by name. Empty ones are left out: one that had just
 * begun looks the same.
 *
 * @returns each as a function that reads it, which throws at the end when the content is not what was written
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
    // Id, length and size of the field stand before it.
    const packed = short < MAX_32 ? short : Number(viewOf(rest).getBigUint64(nameBytes + 12, true))
    const start = at + HEADER_BYTES + nameBytes + extraBytes
    at = start + packed
    if (at > archive.bytes) break
    if (packed === 0 || header.getUint16(8, true) !== STORED) continue
    const name = new TextDecoder().decode(rest.subarray(0, nameBytes))
    files.set(name, () => content(archive, start, packed, header.getUint32(14, true)))
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
