/**
 * The health of a task, judged by how its latest runs ended.
 *
 * @module
 */
import type { Drift } from './drift.ts'
import type { Telling } from './ends.ts'

/** The values of a task's `health`, each with its meaning. */
export const HEALTHS = {
  healthy: 'recent runs were answered',
  degraded: 'at least one in five recent runs failed',
  drifting: 'fields lost their values though runs succeed',
  broken: 'none of the last three runs could be served',
  unknown: 'no run in the last 24 hours to judge by',
} as const
export type Health = keyof typeof HEALTHS

/** The healths from the worst one. A known one counts more than an unknown one. */
export const WORST_FIRST: readonly Health[] = ['broken', 'degraded', 'drifting', 'healthy', 'unknown']

/** The health of a task by the ends of its runs, and since when it has been so. */
export type HealthByEnds = {
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

/**
 * @param ends the latest ends, oldest first
 * @param now milliseconds since 1970
 */
export function healthOf(ends: readonly Pick<Telling, 'at' | 'good'>[], now: number): Health {
  const recent = ends.filter(({ at }) => Date.parse(at) > now - RECENT_MS)
  const bad = badEndsOf(ends, now)
  const latest = recent.slice(-BROKEN_RUNS)
  if (recent.length === 0) return 'unknown'
  if (latest.length === BROKEN_RUNS && !latest.some(({ good }) => good)) return 'broken'
  return bad.length >= recent.length * DEGRADED_PART ? 'degraded' : 'healthy'
}

/**
 * The bad ends that count.
 *
 * @param now milliseconds since 1970
 */
export const badEndsOf = <E extends Pick<Telling, 'at' | 'good'>>(ends: readonly E[], now: number): E[] =>
  ends.filter(({ at, good }) => !good && Date.parse(at) > now - RECENT_MS)

/**
 * How the health stands at a later time. It changes by itself, because ends count for a day only.
 *
 * @param last as of the latest end
 * @param ends the latest ends, oldest first
 * @param now milliseconds since 1970
 */
export function standingAt(last: HealthByEnds, ends: readonly Telling[], now: number): HealthByEnds {
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

/** The last announced change of a task's health. */
export type Announced = {
  readonly health: Health
  /** the health before it */
  readonly from: Health
  /** RFC 3339: since when it is so. Further lost fields while it drifts leave this time as it is */
  readonly at: string
  readonly drift: readonly Drift[]
}

/**
 * The health of a task with its drift, and since when. Lost fields are worse than a healthy task and less than failures.
 * A drift begins and ends when it is announced; until then, its time is that of the latest end.
 *
 * @param byEnds now
 * @param latest RFC 3339: the time of the latest end
 */
export function withDrift(
  byEnds: HealthByEnds,
  drift: readonly Drift[],
  announced: Announced | null,
  latest: string,
): HealthByEnds {
  if (byEnds.health !== 'healthy') return byEnds
  const health = drift.length > 0 ? 'drifting' : 'healthy'
  if (announced?.health === health && (health === 'drifting' || announced.from === 'drifting'))
    return { health, health_since: later(announced.at, byEnds.health_since) }
  const hasChanged = health === 'drifting' || announced?.health === 'drifting'
  return { health, health_since: hasChanged ? latest : byEnds.health_since }
}

const later = (a: string, b: string): string => (Date.parse(a) > Date.parse(b) ? a : b)
