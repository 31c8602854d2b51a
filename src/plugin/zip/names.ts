/**
 * Names in an archive: safe to unpack on every system, and each there once.
 *
 * @module
 */

/** Bytes of one part of a path; file systems take 255, and a name that is there already gets a number. */
const LONGEST_PART = 200
/** Bytes of a whole path, far below the 65,535 of the format and near the 260 characters of Windows. */
const LONGEST_PATH = 1000
/** What Windows takes for a device, whatever stands behind a dot. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])$/i
/** What Windows refuses in a name, controls, and characters that turn the direction of what is shown. */
const UNSAFE = /[<>:"|?*\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]/g

const encoder = new TextEncoder()
const bytesOf = (text: string): number => encoder.encode(text).length

/**
 * A path below the folder that an archive is unpacked in, whatever the name was: no `..`, no absolute path, no device
 * of Windows, no part that is too long. A safe name stays as it is.
 *
 * @param name parts with `/` (or `\`) between them
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
  const kept = cut(isDevice ? `_${stem}` : stem, LONGEST_PART - bytesOf(ending))
  // Windows drops dots and blanks at the end, and a part of nothing but dots means a folder.
  return `${kept}${ending}`.replace(/[. ]+$/, (end) => '_'.repeat(end.length))
}

/** A name and its ending with the dot, when it has one that is short enough to be kept. */
function split(part: string): { stem: string; ending: string } {
  const dot = part.lastIndexOf('.')
  const ending = dot > 0 && part.length - dot <= 16 ? part.slice(dot) : ''
  return { stem: part.slice(0, part.length - ending.length), ending }
}

/** The first characters of a text that fit in so many bytes. */
const cut = (text: string, most: number): string =>
  text.slice(0, encoder.encodeInto(text, new Uint8Array(most)).read)

/** The names that an archive has. Two that differ in case alone are one file on some systems. */
export class Names {
  private readonly taken = new Set<string>()
  /** by name: the last number that was put to it */
  private readonly numbers = new Map<string, number>()

  /** The name made safe, with a number when it is there already: `a.jpg`, `a_2.jpg`. It is not taken yet. */
  free(name: string): string {
    const safe = safeName(name)
    if (!this.taken.has(key(safe))) return safe
    const at = safe.lastIndexOf('/') + 1
    const { stem, ending } = split(safe.slice(at))
    for (let n = this.numbers.get(key(safe)) ?? 2; ; n++) {
      const numbered = `${safe.slice(0, at)}${stem}_${n}${ending}`
      if (this.taken.has(key(numbered))) continue
      this.numbers.set(key(safe), n)
      return numbered
    }
  }

  /** @param name as `free` gave it */
  take(name: string): void {
    this.taken.add(key(name))
  }
}

const key = (name: string): string => name.toLowerCase()
