/**
 * Changes of a signed-in state, piece by piece: cookies, entries of local storage, databases. Several runs of an
 * account can each merge their changes into the state that is then in the vault, without undoing each other's.
 *
 * @module
 */
import { hasExpired, type SavedCookie } from '../../net/cookies.ts'

/** A piece of a state that was added, changed or removed. */
export type StateChange = {
  /** which piece: {@link Key} as JSON text */
  readonly key: string
  /** in the browser's format; null: removed */
  readonly piece: object | null
}

/** The kinds of storage of each origin, by their names in a state. */
const KEPT = ['localStorage', 'indexedDB'] as const
type Kept = (typeof KEPT)[number]
/** A cookie by domain, path and name; other pieces by origin and name. */
type Key = readonly ['cookie', string, string, string] | readonly [Kept, string, string]
type Origin = { readonly origin: string } & { readonly [K in Kept]?: { readonly name: string }[] }
/** The fields of a state that are used here. */
type State = { readonly cookies?: readonly SavedCookie[]; readonly origins?: readonly Origin[] }
type Pieces = Map<string, object>

/** A smaller change of a cookie's expiry, in seconds, is ignored: many sites move it with every response. */
const MOVED_S = 3600
/** For a cookie that expires soon, the limit is this fraction of its remaining time. */
const MOVED_PART = 0.1

/**
 * The changes that turn one state into another. A missing database does not count as removed, since databases are left
 * out of a state that would be too long.
 *
 * @param before JSON text in the browser's format
 * @param after like `before`
 * @param now milliseconds since 1970; expired cookies count as missing
 */
export function changesBetween(before: string, after: string, now: number): StateChange[] {
  if (before === after) return []
  const old = piecesOf(JSON.parse(before), now)
  const pieces = piecesOf(JSON.parse(after), now)
  const changed = [...pieces].filter(([key, piece]) => !isSame(old.get(key), piece, now))
  const gone = [...old.keys()].filter((key) => !pieces.has(key) && kindOf(key) !== 'indexedDB')
  return [...changed.map(([key, piece]) => ({ key, piece })), ...gone.map((key) => ({ key, piece: null }))]
}

/** The changes made by cookies that were set. An expired cookie is a removal. @param now milliseconds since 1970 */
export const changesOfCookies = (cookies: readonly SavedCookie[], now: number): StateChange[] =>
  cookies.map((cookie) => ({ key: keyOf(cookie), piece: hasExpired(cookie, now) ? null : cookie }))

/** Applies changes to a state, in order. @param state JSON text in the browser's format */
export function withChanges(state: string, changes: readonly StateChange[]): string {
  if (changes.length === 0) return state
  const pieces = piecesOf(JSON.parse(state))
  for (const { key, piece } of changes) {
    if (piece) pieces.set(key, piece)
    else pieces.delete(key)
  }
  return JSON.stringify(stateOfPieces(pieces))
}

/** The cookies of a state. */
export const cookiesIn = (state: string): readonly SavedCookie[] => (JSON.parse(state) as State).cookies ?? []

function piecesOf({ cookies = [], origins = [] }: State, now?: number): Pieces {
  const pieces: Pieces = new Map()
  for (const cookie of cookies)
    if (now === undefined || !hasExpired(cookie, now)) pieces.set(keyOf(cookie), cookie)
  for (const { origin, ...kept } of origins)
    for (const kind of KEPT)
      for (const piece of kept[kind] ?? []) pieces.set(textOf([kind, origin, piece.name]), piece)
  return pieces
}

function stateOfPieces(pieces: Pieces): State {
  const cookies: object[] = []
  const origins = new Map<string, { origin: string; localStorage: object[]; indexedDB: object[] }>()
  for (const [text, piece] of pieces) {
    const [kind, origin] = JSON.parse(text) as Key
    if (kind === 'cookie') {
      cookies.push(piece)
      continue
    }
    const kept = origins.get(origin) ?? { origin, localStorage: [], indexedDB: [] }
    origins.set(origin, kept)
    kept[kind].push(piece)
  }
  return { cookies, origins: [...origins.values()] } as State
}

const textOf = (key: Key): string => JSON.stringify(key)

const keyOf = ({ domain, path, name }: SavedCookie): string => textOf(['cookie', domain, path, name])

const kindOf = (key: string): Key[0] => (JSON.parse(key) as Key)[0]

function isSame(old: object | undefined, piece: object, now: number): boolean {
  if (old === undefined) return false
  if (!isCookie(old) || !isCookie(piece)) return JSON.stringify(old) === JSON.stringify(piece)
  return old.value === piece.value && lastsAsLong(old.expires, piece.expires, now)
}

function lastsAsLong(before: number, after: number, now: number): boolean {
  if (before < 0 || after < 0 || before === after) return before === after
  return Math.abs(after - before) < Math.min(MOVED_S, (before - now / 1000) * MOVED_PART)
}

const isCookie = (piece: object): piece is SavedCookie => 'expires' in piece
