/**
 * The records of a ZIP archive, byte for byte (APPNOTE 6.3.10), with ZIP64 where numbers need it.
 *
 * @module
 */

/** What an archive says of one file. */
export type Entry = {
  /** UTF-8, with `/` */
  readonly name: Uint8Array
  readonly method: typeof STORED | typeof DEFLATED
  readonly at: Date
  readonly crc: number
  /** bytes of the file */
  readonly size: number
  /** bytes that it takes in the archive */
  readonly packed: number
  /** where its local header begins */
  readonly offset: number
}

export const STORED = 0
export const DEFLATED = 8

const MAX_16 = 0xffff
const MAX_32 = 0xffffffff
/** Names are UTF-8. */
const FLAGS = 0x0800
const ZIP64 = 0x0001
/** Bytes of a ZIP64 field with both sizes: id, length, size, packed size. */
const ROOM = 20
/** "Growth hint" of the Open Packaging Conventions: a registered field that is nothing but room. */
const GROWTH_HINT = 0xa220
const GROWTH_HINT_SIGNATURE = 0xa028
const VERSION = 20
const VERSION_ZIP64 = 45
/** Made on a Unix, so that the attributes are read as its permissions. */
const MADE_BY_UNIX = 3 << 8
const REGULAR_FILE = 0o100644

/** Writes little-endian numbers one behind the other. */
class Record {
  readonly bytes: Uint8Array
  private readonly view: DataView
  private at = 0

  constructor(length: number) {
    this.bytes = new Uint8Array(length)
    this.view = new DataView(this.bytes.buffer)
  }

  /** Numbers of 16 bits. */
  u16(...values: number[]): this {
    for (const value of values) {
      this.view.setUint16(this.at, value, true)
      this.at += 2
    }
    return this
  }

  /** Numbers of 32 bits. */
  u32(...values: number[]): this {
    for (const value of values) {
      this.view.setUint32(this.at, value, true)
      this.at += 4
    }
    return this
  }

  /** Numbers of 64 bits, up to 2^53. */
  u64(...values: number[]): this {
    for (const value of values) {
      this.view.setBigUint64(this.at, BigInt(value), true)
      this.at += 8
    }
    return this
  }

  raw(bytes: Uint8Array): this {
    this.bytes.set(bytes, this.at)
    this.at += bytes.length
    return this
  }
}

/**
 * The header before a file's content.
 *
 * @param room whether it has room for ZIP64 sizes: for content whose size is not known when the header is written first.
 *   With or without them it has the same length
 */
export function localHeader({ name, method, at, crc, size, packed }: Entry, room: boolean): Uint8Array {
  const large = size >= MAX_32 || packed >= MAX_32
  if (large && !room) throw new RangeError('a header without room for ZIP64 cannot hold a size over 4 GiB')
  const { date, time } = dosTime(at)
  const record = new Record(30 + name.length + (room ? ROOM : 0))
    .u32(0x04034b50)
    .u16(large ? VERSION_ZIP64 : VERSION, FLAGS, method, time, date)
    .u32(crc, large ? MAX_32 : packed, large ? MAX_32 : size)
    .u16(name.length, room ? ROOM : 0)
    .raw(name)
  if (large) record.u16(ZIP64, ROOM - 4).u64(size, packed)
  else if (room) record.u16(GROWTH_HINT, ROOM - 4, GROWTH_HINT_SIGNATURE, 0)
  return record.bytes
}

/** The file's record in the list at the end of the archive. */
export function centralHeader({ name, method, at, crc, size, packed, offset }: Entry): Uint8Array {
  const { date, time } = dosTime(at)
  // Only what does not fit stands in the field, always in this order.
  const large = [size, packed, offset].filter((value) => value >= MAX_32)
  const extra = large.length === 0 ? 0 : 4 + 8 * large.length
  const version = extra > 0 ? VERSION_ZIP64 : VERSION
  const record = new Record(46 + name.length + extra)
    .u32(0x02014b50)
    .u16(MADE_BY_UNIX | VERSION_ZIP64, version, FLAGS, method, time, date)
    .u32(crc, Math.min(packed, MAX_32), Math.min(size, MAX_32))
    .u16(name.length, extra, 0, 0, 0)
    .u32(REGULAR_FILE * 0x10000, Math.min(offset, MAX_32))
    .raw(name)
  if (extra > 0) record.u16(ZIP64, extra - 4).u64(...large)
  return record.bytes
}

/**
 * What stands behind the list of files.
 *
 * @param count files
 * @param size bytes of the list
 * @param offset where the list begins
 */
export function endRecords(count: number, size: number, offset: number): Uint8Array {
  const large = count >= MAX_16 || size >= MAX_32 || offset >= MAX_32
  const record = new Record(large ? 56 + 20 + 22 : 22)
  if (large) {
    record
      .u32(0x06064b50)
      .u64(56 - 12)
      .u16(MADE_BY_UNIX | VERSION_ZIP64, VERSION_ZIP64)
      .u32(0, 0)
      .u64(count, count, size, offset)
      .u32(0x07064b50, 0)
      .u64(offset + size)
      .u32(1)
  }
  const shown = Math.min(count, MAX_16)
  return record
    .u32(0x06054b50)
    .u16(0, 0, shown, shown)
    .u32(Math.min(size, MAX_32), Math.min(offset, MAX_32))
    .u16(0).bytes
}

/** A time in UTC as DOS wrote it, to two seconds, kept within the years 1980 to 2107. */
function dosTime(at: Date): { date: number; time: number } {
  const year = at.getUTCFullYear()
  if (!(year >= 1980)) return { date: (1 << 5) | 1, time: 0 }
  if (year > 2107) return { date: (127 << 9) | (12 << 5) | 31, time: (23 << 11) | (59 << 5) | 29 }
  return {
    date: ((year - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
  }
}
