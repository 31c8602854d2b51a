/**
 * What changed in a signed-in state, piece by piece: cookies, entries of local storage, databases. Several runs of an
 * account may each bring what they changed into the state that the vault has by then, and undo nothing of each other.
 *
 * @module
 */
import { hasExpired, type SavedCookie } from '../../net/cookies.ts'

/** A piece of a state that is new or another one than it was. */
export type StateChange = {
  /** which piece: {@link Key} as JSON text */
  readonly key: string
  /** as browsers save it; null: it is gone */
  readonly piece: object | null
}

/** What is kept for each origin, as a state calls it. */
const KEPT = ['localStorage', 'indexedDB'] as const
type Kept = (typeof KEPT)[number]
/** By domain, path and name; by origin and name. */
type Key = readonly ['cookie', string, string, string] | readonly [Kept, string, string]
type Origin = { readonly origin: string } & { readonly [K in Kept]?: { readonly name: string }[] }
/** A state as far as it is looked into. */
type State = { readonly cookies?: readonly SavedCookie[]; readonly origins?: readonly Origin[] }
type Pieces = Map<string, object>

/** An end of a cookie that moved by less, in seconds, is none to keep: many sites move it with every answer. */
const MOVED_S = 3600
/** But for one that is near: by this part of what is left. */
const MOVED_PART = 0.1

/**
 * What has to be done to a state, so that it becomes another one. A database that is missing there is taken for one that
 * was left out, since a state that would be too long goes without them.
 *
 * @param before JSON text, as browsers save it
 * @param now milliseconds since 1970: a cookie whose end has come is none
 */
export function changesBetween(before: string, after: string, now: number): StateChange[] {
  if (before === after) return []
  const old = piecesOf(JSON.parse(before), now)
  const pieces = piecesOf(JSON.parse(after), now)
  const changed = [...pieces].filter(([key, piece]) => !isSame(old.get(key), piece, now))
  const gone = [...old.keys()].filter((key) => !pieces.has(key) && kindOf(key) !== 'indexedDB')
  return [...changed.map(([key, piece]) => ({ key, piece })), ...gone.map((key) => ({ key, piece: null }))]
}

/** Changes by cookies that were set; one whose end has come is gone. @param now milliseconds since 1970 */
export const changesOfCookies = (cookies: readonly SavedCookie[], now: number): StateChange[] =>
  cookies.map((cookie) => ({ key: keyOf(cookie), piece: hasExpired(cookie, now) ? null : cookie }))

/** A state with changes made to it, in their order. @param state JSON text, as browsers save it */
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
