/**
 * The health of a task, judged by how its latest runs ended.
 *
 * @module
 */
import { isRunErrorCode, type RunErrorCode } from '../codes.ts'

/** The values of a task's `health`, each with its meaning. */
export const HEALTHS = {
  healthy: 'recent runs were answered',
  degraded: 'at least one in five recent runs failed',
  drifting: 'fields lost their values though runs succeed',
  broken: 'none of the last three runs could be served',
  unknown: 'no run in the last 24 hours to judge by',
} as const
export type Health = keyof typeof HEALTHS

/** A run's end that counts for its task's health: good when the source was read, or really lacks the requested item. */
export type Telling = {
  /** RFC 3339 */
  readonly at: string
  readonly good: boolean
  /** null for a run that succeeded */
  readonly code: string | null
}

/** The health of a task, and since when it has been so. */
export type Standing = {
  readonly health: Health
  /** RFC 3339 */
  readonly health_since: string
}

/** How many ends count at most, and for how long, in milliseconds. */
export const MOST_ENDS = 20
const RECENT_MS = 24 * 3_600_000
/** This many bad ends in a row are not a coincidence. */
const BROKEN_RUNS = 3
const DEGRADED_PART = 1 / 5

/** Codes of runs for which the source was read: the task works, and other inputs will be served. */
const GOOD: readonly RunErrorCode[] = ['not-found', 'private', 'restricted', 'bad-input']

/**
 * Codes that say nothing about the task. `queue-limit`: the service was busy. `source-login-required`: this account has
 * no login at the source, while runs of others succeed.
 */
const NEUTRAL: readonly RunErrorCode[] = ['queue-limit', 'source-login-required']

/**
 * What the end of a run says about its task's health; undefined when nothing.
 *
 * @param code null for a run that succeeded; an unknown code, from a later version, says nothing
 */
export function tellingOf(code: string | null, at: string): Telling | undefined {
  if (code === null) return { at, good: true, code }
  if (!isRunErrorCode(code) || NEUTRAL.includes(code)) return undefined
  return { at, good: GOOD.includes(code), code }
}

/**
 * @param ends the latest ends, oldest first
 * @param now milliseconds since 1970
 */
export function healthOf(ends: readonly Pick<Telling, 'at' | 'good'>[], now: number): Health {
  const recent = ends.filter(({ at }) => Date.parse(at) > now - RECENT_MS)
  const bad = recent.filter(({ good }) => !good)
  const latest = recent.slice(-BROKEN_RUNS)
  if (recent.length === 0) return 'unknown'
  if (latest.length === BROKEN_RUNS && !latest.some(({ good }) => good)) return 'broken'
  return bad.length >= recent.length * DEGRADED_PART ? 'degraded' : 'healthy'
}

/**
 * How the health stands at a later time. It changes by itself, because ends count for a day only.
 *
 * @param last as of the latest end
 * @param ends the latest ends, oldest first
 * @param now milliseconds since 1970
 */
export function standingAt(last: Standing, ends: readonly Telling[], now: number): Standing {
  const latest = Date.parse(ends.at(-1)?.at ?? last.health_since)
  const expiries = ends
    .map(({ at }) => Date.parse(at) + RECENT_MS)
    .filter((at) => at > latest && at <= now)
    .toSorted((a, b) => a - b)
  return expiries.reduce((standing, at) => {
    const health = healthOf(ends, at)
    return health === standing.health ? standing : { health, health_since: new Date(at).toISOString() }
  }, last)
}
