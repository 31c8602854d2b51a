/**
 * Detects that a person has signed in, by the cookies that the source declares.
 *
 * @module
 */
import type { Cookie } from 'rebrowser-playwright'
import { isSentTo } from '../../net/cookies.ts'
import type { Login } from '../../plugin/source.ts'

/** A cookie that must be present. */
type Marker = { readonly name: string; readonly host: string }

/**
 * Parses the cookies of `signedIn`.
 *
 * @param origin the source's origin; a cookie declared without a host belongs to the origin's host
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
 * Whether a person is signed in, and until when.
 *
 * @param now in milliseconds since 1970
 * @returns the earliest expiry of a marker in milliseconds since 1970; null when all are session cookies; undefined
 *   when a marker is missing
 */
export function signedInUntil(
  markers: readonly Marker[],
  cookies: readonly Cookie[],
  now: number,
): number | null | undefined {
  let until: number | null = null
  for (const { name, host } of markers) {
    // Among several matching cookies, the one that lasts longest counts.
    const ends = cookies.filter((c) => c.name === name && c.value !== '' && isSentTo(host, c)).map(endOf)
    const end = ends.length === 0 ? 0 : Math.max(...ends)
    if (end <= now) return undefined
    if (end !== Number.POSITIVE_INFINITY) until = Math.min(until ?? end, end)
  }
  return until
}

/** A cookie's expiry in milliseconds since 1970. The browser reports -1 for a session cookie. */
const endOf = ({ expires }: Cookie): number =>
  expires < 0 ? Number.POSITIVE_INFINITY : Math.floor(expires * 1000)
