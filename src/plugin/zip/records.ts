/**
 * The records of a ZIP archive, byte for byte (APPNOTE 6.3.10), with ZIP64 where numbers need it.
 *
 * @module
 */

/** The metadata of one file in an archive. */
export type Entry = {
  /** UTF-8, with `/` */
  readonly name: Uint8Array
  readonly method: typeof STORED | typeof DEFLATED
  /** time of the last change */
  readonly at: Date
  readonly crc: number
  /** size of the file, in bytes */
  readonly size: number
  /** size of the content in the archive, in bytes */
  readonly packedSize: number
  /** position of the file's local header */
  readonly offset: number
}

export const STORED = 0
export const DEFLATED = 8

/** Signature of a local header. */
export const LOCAL_HEADER = 0x04034b50

const MAX_16 = 0xffff
export const MAX_32 = 0xffffffff
/** Names are UTF-8. */
const FLAGS = 0x0800
const ZIP64 = 0x0001
/** Bytes of a ZIP64 field with both sizes: id, length, size, packed size. */
const ROOM = 20
/** "Growth hint" of the Open Packaging Conventions: a registered field that serves as padding. */
const GROWTH_HINT = 0xa220
const GROWTH_HINT_SIGNATURE = 0xa028
const VERSION = 20
const VERSION_ZIP64 = 45
/** "Made on Unix": readers then take the external attributes as Unix permissions. */
const MADE_BY_UNIX = 3 << 8
const REGULAR_FILE = 0o100644

/** Bytes, or a group of little-endian numbers: the width of each number in bytes, followed by the numbers. */
type Field = Uint8Array | readonly [width: 2 | 4 | 8, ...values: number[]]

const record = (...fields: Field[]): Uint8Array => Buffer.concat(fields.map(bytesOf))

function bytesOf(field: Field): Uint8Array {
  if (field instanceof Uint8Array) return field
  const [width, ...values] = field
  const bytes = Buffer.alloc(width * values.length)
  for (const [i, value] of values.entries()) {
    if (width === 8) bytes.writeBigUInt64LE(BigInt(value), i * width)
    else bytes.writeUIntLE(value, i * width, width)
  }
  return bytes
}

/**
 * The header before a file's content. It is written before the content, and overwritten once the sizes are known. It
 * therefore always reserves room for the sizes of ZIP64.
 */
export function localHeader({ name, method, at, crc, size, packedSize }: Entry): Uint8Array {
  const large = size >= MAX_32 || packedSize >= MAX_32
  const { date, time } = dosTime(at)
  return record(
    [4, LOCAL_HEADER],
    [2, large ? VERSION_ZIP64 : VERSION, FLAGS, method, time, date],
    [4, crc, large ? MAX_32 : packedSize, large ? MAX_32 : size],
    [2, name.length, ROOM],
    name,
    [2, large ? ZIP64 : GROWTH_HINT, ROOM - 4],
    ...(large
      ? [[8, size, packedSize] as const]
      : [[2, GROWTH_HINT_SIGNATURE, 0] as const, new Uint8Array(ROOM - 8)]),
  )
}

/** The file's record in the list at the end of the archive. */
function centralHeader({ name, method, at, crc, size, packedSize, offset }: Entry): Uint8Array {
  const { date, time } = dosTime(at)
  // The field contains only the values that do not fit in 32 bits, always in this order.
  const large = [size, packedSize, offset].filter((value) => value >= MAX_32)
  const isLarge = large.length > 0
  // The field is never omitted: in an ASCII locale, Info-ZIP's unzip decodes names differently in headers without one.
  const field = isLarge
    ? record([2, ZIP64, 8 * large.length], [8, ...large])
    : record([2, GROWTH_HINT, 4, GROWTH_HINT_SIGNATURE, 0])
  const version = isLarge ? VERSION_ZIP64 : VERSION
  return record(
    [4, 0x02014b50],
    [2, MADE_BY_UNIX | VERSION_ZIP64, version, FLAGS, method, time, date],
    [4, crc, Math.min(packedSize, MAX_32), Math.min(size, MAX_32)],
    [2, name.length, field.length, 0, 0, 0],
    [4, REGULAR_FILE * 0x10000, Math.min(offset, MAX_32)],
    name,
    field,
  )
}

/** Number of records in one piece of the list. */
const PIECE = 1000

/**
 * The list of files at the end of an archive. It is kept in a few large pieces, because a separate buffer for each
 * record would take several times its size in memory.
 */
export class CentralDirectory {
  private readonly pieces: Uint8Array[] = []
  private records: Uint8Array[] = []
  private count = 0

  add(entry: Entry): void {
    this.count++
    if (this.records.push(centralHeader(entry)) < PIECE) return
    this.pieces.push(Buffer.concat(this.records))
    this.records = []
  }

  /** The list and the end records. @param offset position of the list in the archive */
  end(offset: number): readonly Uint8Array[] {
    const list = [...this.pieces, Buffer.concat(this.records)]
    const size = list.reduce((bytes, { length }) => bytes + length, 0)
    return [...list, endRecords(this.count, size, offset)]
  }
}

/**
 * The end records, which follow the list of files.
 *
 * @param count number of files
 * @param size size of the list, in bytes
 * @param offset position of the list in the archive
 */
export function endRecords(count: number, size: number, offset: number): Uint8Array {
  const large = count >= MAX_16 || size >= MAX_32 || offset >= MAX_32
  const zip64: Field[] = [
    [4, 0x06064b50],
    [8, 56 - 12],
    [2, MADE_BY_UNIX | VERSION_ZIP64, VERSION_ZIP64],
    [4, 0, 0],
    [8, count, count, size, offset],
    [4, 0x07064b50, 0],
    [8, offset + size],
    [4, 1],
  ]
  const shortCount = Math.min(count, MAX_16)
  return record(
    ...(large ? zip64 : []),
    [4, 0x06054b50],
    [2, 0, 0, shortCount, shortCount],
    [4, Math.min(size, MAX_32), Math.min(offset, MAX_32)],
    [2, 0],
  )
}

/** A UTC time in DOS format: a resolution of two seconds, limited to the years 1980 to 2107. */
function dosTime(at: Date): { date: number; time: number } {
  const inRange = new Date(Math.min(Math.max(at.getTime() || 0, FIRST_TIME), LAST_TIME))
  return {
    date:
      ((inRange.getUTCFullYear() - 1980) << 9) | ((inRange.getUTCMonth() + 1) << 5) | inRange.getUTCDate(),
    time: (inRange.getUTCHours() << 11) | (inRange.getUTCMinutes() << 5) | (inRange.getUTCSeconds() >> 1),
  }
}

const FIRST_TIME = Date.UTC(1980, 0)
const LAST_TIME = Date.UTC(2107, 11, 31, 23, 59, 59)
