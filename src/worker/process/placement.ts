/**
 * Decides which process executes a run, and what becomes of a process. Pure: the pool carries the decisions out.
 *
 * @module
 */
import type { CauseOfDeath } from './execution-end.ts'

/** A run, as far as it matters where it is executed. */
export type Placed = {
  readonly source: string
  readonly account: string
  /** whether it has a login's signed-in state */
  readonly signedIn: boolean
  /**
   * Whether it needs a process of its own: `task`, because its task takes much memory or time; `again`, because it was
   * in a process that died, and it may be the cause
   */
  readonly alone: 'task' | 'again' | undefined
}

/** A process, as far as it matters which runs it takes. */
export type ProcessView = {
  /** which runs it executes, see {@link keyOf}; undefined: it has not executed any yet */
  readonly key: string | undefined
  readonly state: 'starting' | 'accepting' | 'draining' | 'killed'
  /** its event loop is late: it gets no further run until it has caught up */
  readonly isLate: boolean
  /** under way */
  readonly runs: number
  readonly hasServed: boolean
}

/** A run of a task that takes more memory, in MiB, or more time, in seconds, has a process of its own. */
export const SHARED_MB = 512
export const SHARED_S = 900
/** The most processes at once for runs of one source that are executed again. */
export const MOST_AGAIN = 4
/** A process is replaced after this many runs. Starting one costs as much as 1,000 short runs. */
export const MOST_RUNS = 20_000

/** The part of a key that no source and no account has. */
const ALONE = '!alone'

/**
 * Which processes may execute a run: those with the same key. Runs of a source share processes; with a login's state only
 * those of one account do, and so do all with RUNS_PER_PROCESS=1.
 */
export function keyOf({ source, account, signedIn, alone }: Placed, runsPerProcess: number): string {
  if (alone !== undefined) return `${ALONE} ${alone} ${source}`
  return signedIn || runsPerProcess === 1 ? `${source} ${account}` : source
}

export const isAloneKey = (key: string | undefined): boolean => key?.startsWith(`${ALONE} `) ?? false

/**
 * The process that a run should be sent to: of those with its key and room the one with the most runs, so that others
 * become idle and end.
 *
 * @param most how many runs a process may have at once
 * @returns undefined: none has room
 */
export function placeFor<P extends ProcessView>(
  processes: Iterable<P>,
  key: string,
  most: number,
): P | undefined {
  // A process of its own has executed nothing before.
  if (isAloneKey(key))
    return find(processes, (it) => it.key === key && it.state === 'accepting' && !it.hasServed)
  let best: P | undefined
  for (const it of processes) {
    const isFit = it.key === key && it.state === 'accepting' && !it.isLate && it.runs < most
    if (isFit && it.runs > (best?.runs ?? -1)) best = it
  }
  return best
}

/**
 * How many more processes should be started for the runs that wait with a key.
 *
 * @param waiting how many runs wait
 */
export function lacking(
  processes: Iterable<ProcessView>,
  key: string,
  most: number,
  waiting: number,
): number {
  const room = isAloneKey(key) ? 1 : most
  const own = [...processes].filter((it) => it.key === key && it.state !== 'killed')
  const wanted = Math.ceil(waiting / room) - own.filter(({ state }) => state === 'starting').length
  const allowed = key.startsWith(`${ALONE} again `) ? MOST_AGAIN - own.length : Number.POSITIVE_INFINITY
  return Math.max(0, Math.min(wanted, allowed))
}

function find<T>(all: Iterable<T>, fits: (one: T) => boolean): T | undefined {
  for (const one of all) if (fits(one)) return one
  return undefined
}

/** A process that takes no more runs ends when its last one has ended. */
export const DRAIN_REASONS = {
  memory: 'it is above half of its memory limit',
  'left-behind': 'a run ended without its code',
  served: `it has executed ${MOST_RUNS} runs`,
  late: 'its event loop stays late',
} as const

/** Heartbeats in a row that report a late event loop, until the process takes no more runs. */
const LATE_BEATS = 4

/** Whether a process must take no more runs, and why. @property lateBeats heartbeats in a row that were late */
export function drainReason(it: {
  readonly rssMb: number
  readonly softMb: number
  readonly served: number
  readonly lateBeats: number
}): keyof typeof DRAIN_REASONS | undefined {
  if (it.rssMb > it.softMb) return 'memory'
  if (it.served >= MOST_RUNS) return 'served'
  return it.lateBeats >= LATE_BEATS ? 'late' : undefined
}

/** So many deaths of a source's processes within a minute slow it down until ten minutes have passed without one. */
const MOST_DEATHS = 3
const DEATHS_MS = 60_000
const CALM_MS = 600_000
const SLOWED_RUNS = 4
const SLOWED_START_MS = 2000

/** The deaths of the processes of each source, and what follows from them. */
export class Deaths {
  private readonly times = new Map<string, { recent: readonly number[]; slowedUntil: number }>()

  /** @param now milliseconds of a monotonic clock */
  record(source: string, cause: CauseOfDeath, now: number): void {
    if (cause === 'killed') return
    const known = this.times.get(source)
    const recent = [...(known?.recent ?? []), now].filter((at) => now - at < DEATHS_MS).slice(-MOST_DEATHS)
    const isSlowed = recent.length >= MOST_DEATHS || (known?.slowedUntil ?? 0) > now
    this.times.set(source, { recent, slowedUntil: isSlowed ? now + CALM_MS : 0 })
  }

  private isSlowed(source: string, now: number): boolean {
    return (this.times.get(source)?.slowedUntil ?? 0) > now
  }

  /** How many runs a process of a source may have at once. */
  most(source: string, runsPerProcess: number, now: number): number {
    return this.isSlowed(source, now) ? Math.min(SLOWED_RUNS, runsPerProcess) : runsPerProcess
  }

  /** How long to wait before the next process of a source is started, in milliseconds. */
  waitMs(source: string, now: number): number {
    return this.isSlowed(source, now) ? SLOWED_START_MS : 0
  }
}
