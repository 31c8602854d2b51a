/**
 * Detects that a person has signed in, by the cookies that the source declares.
 *
 * @module
 */
import type { Cookie } from 'rebrowser-playwright'
import { isSentTo } from '../../net/cookies.ts'
import type { Login } from '../../plugin/source.ts'

/**
 * Whether a person is signed in, and until when: all cookies of `signedIn` must be present.
 *
 * @param origin the source's origin; a cookie declared without a host belongs to the origin's host
 * @param now in milliseconds since 1970
 * @returns the earliest expiry of these cookies in milliseconds since 1970; null when all are session cookies;
 *   undefined when one is missing
 */
export function signedInUntil(
  { signedIn }: Pick<Login, 'signedIn'>,
  origin: string,
  cookies: readonly Cookie[],
  now: number,
): number | null | undefined {
  let until: number | null = null
  for (const declared of signedIn.cookies) {
    const at = declared.lastIndexOf('@')
    const name = at < 0 ? declared : declared.slice(0, at)
    const host = at < 0 ? new URL(origin).hostname : declared.slice(at + 1)
    // Among several matching cookies, the one that lasts longest counts.
    const ends = cookies.filter((c) => c.name === name && c.value !== '' && isSentTo(host, c)).map(endOf)
    const end = Math.max(0, ...ends)
    if (end <= now) return undefined
    if (end !== Number.POSITIVE_INFINITY) until = Math.min(until ?? end, end)
  }
  return until
}

/** A cookie's expiry in milliseconds since 1970. The browser reports -1 for a session cookie. */
const endOf = ({ expires }: Cookie): number =>
  expires < 0 ? Number.POSITIVE_INFINITY : Math.floor(expires * 1000)
