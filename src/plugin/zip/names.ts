/**
 * Names in an archive: unique, and safe to unpack on every system.
 *
 * @module
 */

/** Longest part of a path, in bytes. File systems allow 255, and a duplicate name gets a number. */
const LONGEST_PART = 200
/** Longest path, in bytes. The format allows 65,535 bytes, Windows 260 characters by default. */
const LONGEST_PATH = 1000
/** Names that Windows treats as devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])$/i
/** Characters that Windows refuses in names, control characters, and characters that change the text direction. */
const UNSAFE = /[<>:"|?*\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]/g

const encoder = new TextEncoder()
const bytesOf = (text: string): number => encoder.encode(text).length

/**
 * Turns any name into a path that stays below the folder in which the archive is unpacked: no `..`, no absolute path,
 * no Windows device, no part that is too long. A safe name is unchanged.
 *
 * @param name parts separated by `/` or `\`
 */
export function safeName(name: string): string {
  const parts = name
    .toWellFormed()
    .normalize('NFC')
    .split(/[/\\]+/)
    .filter((part) => part !== '')
    .map(safePart)
  while (parts.length > 1 && bytesOf(parts.join('/')) > LONGEST_PATH) parts.shift()
  return parts.join('/') || '_'
}

function safePart(part: string): string {
  const { stem, ending } = split(part.replace(UNSAFE, '_'))
  const isDevice = DEVICE.test((stem.split('.', 1)[0] as string).trimEnd())
  const start = truncate(isDevice ? `_${stem}` : stem, LONGEST_PART - bytesOf(ending))
  // Windows drops trailing dots and blanks, and a part that consists of dots means a folder.
  return `${start}${ending}`.replace(/[. ]+$/, (end) => '_'.repeat(end.length))
}

/** Splits a name into stem and ending. The ending includes its dot; it is empty if missing or over 16 characters. */
function split(part: string): { stem: string; ending: string } {
  const dot = part.lastIndexOf('.')
  const ending = dot > 0 && part.length - dot <= 16 ? part.slice(dot) : ''
  return { stem: part.slice(0, part.length - ending.length), ending }
}

/** The longest start of a text that fits in `most` bytes of UTF-8. */
const truncate = (text: string, most: number): string =>
  text.slice(0, encoder.encodeInto(text, new Uint8Array(most)).read)

/** The names in an archive. Names that differ only in case count as equal: on some systems they are the same file. */
export class Names {
  private readonly takenNames = new Set<string>()
  /** the last number that was appended, keyed by name */
  private readonly numbers = new Map<string, number>()

  /** The name made safe, with a number if it is taken: `a.jpg`, `a_2.jpg`. Does not take the name. */
  free(name: string): string {
    const safe = safeName(name)
    if (!this.takenNames.has(key(safe))) return safe
    const at = safe.lastIndexOf('/') + 1
    const { stem, ending } = split(safe.slice(at))
    for (let n = this.numbers.get(key(safe)) ?? 2; ; n++) {
      const candidate = `${safe.slice(0, at)}${stem}_${n}${ending}`
      if (this.takenNames.has(key(candidate))) continue
      this.numbers.set(key(safe), n)
      return candidate
    }
  }

  /** Takes a name. @param name as returned by `free` */
  take(name: string): void {
    this.takenNames.add(key(name))
  }
}

const key = (name: string): string => name.toLowerCase()
