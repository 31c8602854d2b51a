/**
 * The visitor of a hosted page: by a link that nobody has used, or in the browser that has opened it.
 *
 * @module
 */
import { hash, timingSafeEqual } from 'node:crypto'
import { randomBytes } from '../../random.ts'
import type { KnownLink } from '../sign-in-store.ts'
import { hashOfToken, isToken } from '../token.ts'

/** A link as its visitor has it. `opened`: by this very browser, by another one, or by nobody yet. */
export type Visitor = {
  readonly link: KnownLink
  /** of the link's token */
  readonly hash: string
  readonly opened: 'here' | 'elsewhere' | 'not-yet'
}

const COOKIE = 'gleaner_login'
const SECRET = /^[A-Za-z0-9_-]{43}$/

/** What a link leads to for who has sent a request; undefined for a link that is unknown, used up or has expired. */
export async function visitorOf(
  deps: {
    readonly now: () => number
    readonly signIns: { find(hash: string, now: number): Promise<KnownLink | undefined> }
  },
  request: Request,
  token: string,
): Promise<Visitor | undefined> {
  if (!isToken(token)) return undefined
  const hashed = hashOfToken(token)
  const link = await deps.signIns.find(hashed, deps.now())
  if (!link) return undefined
  return { link, hash: hashed, opened: openedBy(request, link.opened) }
}

function openedBy(request: Request, opened: string | null): Visitor['opened'] {
  if (opened === null) return 'not-yet'
  const id = sessionIn(request)
  if (id === undefined) return 'elsewhere'
  return timingSafeEqual(Buffer.from(id), Buffer.from(opened)) ? 'here' : 'elsewhere'
}

/** A new secret of a browser that opens a link, and the id of its session: only that is kept. */
export function newSession(): { readonly secret: string; readonly id: string } {
  const secret = randomBytes(32).toString('base64url')
  return { secret, id: sessionIdOf(secret) }
}

const sessionIdOf = (secret: string): string => hash('sha256', secret)

/**
 * The cookie that binds a link to the browser that has opened it, and is sent to that link's addresses alone. Not
 * `Strict`: a page that was reached by a link of another site, and is loaded again, would be without it.
 */
export function cookieOf(secret: string, path: string, publicUrl: string, maxAgeS: number): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${COOKIE}=${secret}; Path=${path}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${secure}`
}

/** The session of the browser that has sent a request; undefined when it has none. */
export function sessionIn(request: Request): string | undefined {
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  const secret = pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1)
  return secret !== undefined && SECRET.test(secret) ? sessionIdOf(secret) : undefined
}
