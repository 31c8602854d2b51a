/**
 * How it is known that a person has signed in: by the cookies that the source declares, and the address.
 *
 * @module
 */
import type { Cookie } from 'rebrowser-playwright'
import { isSentTo } from '../../net/cookies.ts'
import type { Login } from '../../plugin/source.ts'

/** A cookie that must be there. */
type Marker = { readonly name: string; readonly host: string }

/**
 * Reads the cookies of `signedIn`.
 *
 * @param origin of the source: what names no host is one of its
 */
export function markersOf({ signedIn }: Pick<Login, 'signedIn'>, origin: string): Marker[] {
  const own = new URL(origin).hostname
  return signedIn.cookies.map((declared) => {
    const at = declared.lastIndexOf('@')
    return at < 0
      ? { name: declared, host: own }
      : { name: declared.slice(0, at), host: declared.slice(at + 1) }
  })
}

/**
 * When a person is signed in, until when that is.
 *
 * @param now in milliseconds since 1970
 * @returns the earliest end of a marker in milliseconds since 1970, null when all last for the session; undefined when
 *   one is missing
 */
export function signedInUntil(
  markers: readonly Marker[],
  cookies: readonly Cookie[],
  now: number,
): number | null | undefined {
  let until: number | null = null
  for (const { name, host } of markers) {
    // Of several, the one that lasts longest is the one that counts.
    const ends = cookies.filter((c) => c.name === name && c.value !== '' && isSentTo(host, c)).map(endOf)
    const end = ends.length === 0 ? 0 : Math.max(...ends)
    if (end <= now) return undefined
    if (end !== Number.POSITIVE_INFINITY) until = Math.min(until ?? end, end)
  }
  return until
}

/** In milliseconds since 1970; the browser has -1 for a cookie of the session. */
const endOf = ({ expires }: Cookie): number =>
  expires < 0 ? Number.POSITIVE_INFINITY : Math.floor(expires * 1000)
