/**
 * The choice of an exit: one address of a way's list, or one session of a gateway's template. Pure: chance and time
 * are arguments.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { type Entry, filled, type Way } from '../../config/ways.ts'

/** What requests need of an exit. */
export type ExitUrl = {
  /** of the proxy, with user and password: a secret */
  readonly url: string
}

/** An exit that a run or login uses. */
export type Exit = ExitUrl & {
  /** the name of its way */
  readonly way: string
  /** its place in the way's list, from 1 */
  readonly number: number
  /** `<way>#<number>`: all of an exit that may be shown, logged or stored */
  readonly label: string
  /** whether it is a session of a template: of one run, of one login, or of a source's images */
  readonly isSession: boolean
}

/** When the rests of a way's entries end, milliseconds since 1970, by their numbers; entries that do not rest are missing. */
export type RestEnds = ReadonlyMap<number, number>

export type Choice = {
  readonly way: Way
  /** from 0 up to but not including 1 */
  readonly seed: number
  /** the session of a template */
  readonly session: string
  /** labels of exits that the run has tried */
  readonly tried: readonly string[]
  readonly rests: RestEnds
  readonly now: number
}

/** @param way its name */
export const labelOf = (way: string, number: number): string => `${way}#${number}`

/**
 * An exit for a run: by `seed`, one of the entries that it has not tried and that do not rest. If all that are left rest,
 * the one whose rest ends first. If all are tried, any. A template may be tried again, since its next session is another
 * exit.
 */
export function chooseExit({ way, seed, session, tried, rests, now }: Choice): Exit {
  const all = numbersOf(way)
  const left = leftOf(way, tried)
  const candidates = left.length > 0 ? left : all
  const awake = candidates.filter((number) => (rests.get(number) ?? 0) <= now)
  const number =
    awake[Math.floor(seed * awake.length)] ??
    candidates.reduce((one, other) => (rests.get(other)! < rests.get(one)! ? other : one))
  return exitOf(way, number, session)
}

/** Whether a run that has tried these exits can start over at another one. */
export const hasOther = (way: Way, tried: readonly string[]): boolean => leftOf(way, tried).length > 0

const numbersOf = ({ entries }: Way): number[] => entries.map((_, i) => i + 1)

const leftOf = (way: Way, tried: readonly string[]): number[] =>
  numbersOf(way).filter(
    (number) => way.entries[number - 1]!.isTemplate || !tried.includes(labelOf(way.name, number)),
  )

/**
 * The exit of a login, the same for life. Rendezvous hashing: a change of the list moves only the logins of entries that
 * were removed, and those that a new entry takes.
 *
 * @param loginId the same for all sign-ins of the login, with random parts: a session, which is made of its hash, says
 *   nothing of it
 */
export function exitOfLogin(way: Way, loginId: string): Exit {
  const weights = namesOf(way).map((name) => hashed(`${name}\n${loginId}`))
  const number = weights.reduce((best, weight, i) => (weight > weights[best - 1]! ? i + 1 : best), 1)
  const { isTemplate } = way.entries[number - 1]!
  return exitOf(way, number, isTemplate ? sessionOfLogin(loginId) : '')
}

/** The entries' identities. Entries that differ in their passwords alone are told apart by their order among themselves. */
function namesOf({ entries }: Way): string[] {
  const counts = new Map<string, number>()
  return entries.map((entry) => {
    const identity = identityOf(entry)
    const before = counts.get(identity) ?? 0
    counts.set(identity, before + 1)
    return before === 0 ? identity : `${identity} ${before + 1}`
  })
}

function exitOf(way: Way, number: number, session: string): Exit {
  const { url, isTemplate } = way.entries[number - 1]!
  const label = labelOf(way.name, number)
  return { way: way.name, number, label, isSession: isTemplate, url: filled(url, { session }) }
}

/** What makes an entry another one when it changes: its URL without the password. */
export function identityOf(entry: Entry): string {
  const { protocol, username, host } = new URL(filled(entry.url, { session: 'session', country: 'country' }))
  return `${protocol}//${username}@${host}`
}

/** The SHA-256 of a text in hex. */
export const hashed = (text: string): string => createHash('sha256').update(text).digest('hex')

const SESSION_CHARACTERS = 16
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** A session's name from 16 random bytes or more: letters and digits that every gateway takes. */
export const sessionFrom = (bytes: Uint8Array): string =>
  Array.from(bytes.subarray(0, SESSION_CHARACTERS), (byte) => BASE32[byte % 32]).join('')

const sessionOfLogin = (loginId: string): string =>
  sessionFrom(createHash('sha256').update(`session of ${loginId}`).digest())
