/**
 * Formats sizes and times for people.
 *
 * @module
 */

/** `812 B`, `12.3 kB`, `4.5 MB`. */
export function bytesOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

/** `231 ms`, `4.2 s`. */
export const durationOf = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
