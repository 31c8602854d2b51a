/**
 * Rate limits for the hosts of a source, across all child processes of this process: a number of requests in a time, a
 * number of concurrent requests, and none while the host asked to be left alone. Accounts take turns; within an account
 * the order of requests is kept. When requests hang, an account without a request under way gets one beyond the
 * declared concurrency. Otherwise one account's hanging requests would block all other accounts until they time out.
 *
 * Where several nodes share stores, the limits hold over all of them: accounts take turns at each node, and the request
 * whose turn it is waits for a start that the nodes share (starts-of-all-nodes.ts). Without, nothing is awaited.
 *
 * @module
 */
import { clock } from '../async/clock.ts'
import { clearTimeout, setTimeout, type Timer } from '../async/timers.ts'
import { BoundedCache } from '../bounded-cache.ts'
import type { SharedPace } from '../ephemeral/shared-pace.ts'
import {
  type HostLimits,
  limitsOf,
  type PacedSource,
  type PaceSettings,
  paceSettingsOf,
  shareOf,
} from './pace.ts'
import { StartsOfAllNodes } from './starts-of-all-nodes.ts'

/** A request under way for this long counts as hanging, in milliseconds. Most responses arrive sooner. */
const HANGING_MS = 3000
/** The longest time for which a host's `Retry-After` stops all requests to it, in milliseconds. */
const LONGEST_PAUSE_MS = 5 * 60_000
/** The most hosts in memory; the least recently asked are evicted. */
const MOST_HOSTS = 2000

/**
 * To be called when a request has ended or is no longer wanted; idempotent. `pauseMs`: how long the host asked to be
 * left alone, in milliseconds, capped at 5 minutes; 0 when it did not ask.
 */
export type Release = (pauseMs: number) => void

/** A request under way. @property since its start, by the limiter's clock */
type Busy = { readonly account: string; readonly since: number }

/** A request that waits for its turn. Times are by the limiter's clock. */
type Waiting = {
  /** when its run is out of time */
  readonly until: number
  readonly start: (now: number) => void
  /** Says that it may not start, because its host is paused until its run is out of time. */
  readonly refuse: () => void
  readonly onPause: (ms: number) => void
}

type Host = {
  /** start times of the last requests, as many as its largest window allows */
  readonly starts: number[]
  readonly limits: HostLimits
  /** undefined: this process keeps the limits alone */
  readonly shared: StartsOfAllNodes | undefined
  /** the waiting requests of each account, oldest first; accounts take turns in this order */
  readonly waiting: Map<string, Set<Waiting>>
  /** ordered by start, oldest first */
  readonly busy: Set<Busy>
  /** -Infinity: it is not paused */
  pausedUntil: number
  timer: Timer | undefined
}

export class RateLimiter {
  private readonly hosts = new BoundedCache<string, Host>(MOST_HOSTS)

  /**
   * @param now milliseconds of a monotonic clock
   * @param pace over all nodes; undefined: there is one process
   */
  constructor(
    private readonly now: () => number = () => clock.monotonic(),
    private readonly settings: PaceSettings = {},
    private readonly pace?: SharedPace | undefined,
  ) {}

  /**
   * Asks for one request to a host.
   *
   * @param account the owner of the run: accounts take turns
   * @param leftMs how much time the run has left, in milliseconds
   * @param go called when the request may start, possibly at once; never after the release. `isPaused`: it may not
   *   start, because the host asked for a pause until the run is out of time
   * @param onPause called when the request waits because the host asked to be left alone for so many milliseconds, and
   *   again when the host asks for more; with 0 once the pause is over, however long the request still waits
   */
  ask(
    source: PacedSource,
    host: string,
    account: string,
    leftMs: number,
    go: (isPaused: boolean) => void,
    onPause: (ms: number) => void = () => {},
  ): Release {
    const state = this.host(source, host)
    const now = this.now()
    const pausedMs = state.pausedUntil - now
    // A run that is out of time for another reason is about to be stopped anyway.
    if (pausedMs > 0 && pausedMs >= leftMs) {
      go(true)
      return () => {}
    }
    if (pausedMs > 0) onPause(pausedMs)
    let busy: Busy | undefined
    const request: Waiting = {
      until: now + leftMs,
      start: (since) => {
        busy = { account, since }
        state.busy.add(busy)
        go(false)
      },
      refuse: () => go(true),
      onPause,
    }
    const own = state.waiting.get(account) ?? new Set()
    state.waiting.set(account, own.add(request))
    this.serve(state)
    return (pauseMs) => {
      if (busy) state.busy.delete(busy)
      else remove(state, account, request)
      if (pauseMs > 0) {
        const ms = Math.min(pauseMs, LONGEST_PAUSE_MS)
        state.shared?.pause(ms)
        this.pause(state, ms)
      }
      this.serve(state)
    }
  }

  private host(source: PacedSource, name: string): Host {
    const limits = limitsOf(source, name, this.settings)
    const known = this.hosts.get(limits.key)
    if (known) return known
    const busy = new Set<Busy>()
    const { pace, now } = this
    const shared =
      pace && new StartsOfAllNodes({ pace, limits, busy, now, wake: (ms) => this.wake(host, ms) })
    const host: Host = {
      starts: [],
      limits,
      shared,
      waiting: new Map(),
      busy,
      pausedUntil: Number.NEGATIVE_INFINITY,
      timer: undefined,
    }
    this.hosts.set(limits.key, host)
    return host
  }

  /** Goes on after an answer of the other nodes. @param pausedMs for how long the host asked to be left alone */
  private wake(host: Host, pausedMs: number): void {
    if (pausedMs > 0) this.pause(host, pausedMs)
    this.serve(host)
  }

  /** Lets the requests that wait know of a pause that their host asked for, here or at another node. */
  private pause(host: Host, ms: number): void {
    const until = this.now() + ms
    if (until <= host.pausedUntil) return
    host.pausedUntil = until
    for (const { account, each } of allWaiting(host)) {
      if (until < each.until) each.onPause(ms)
      // One that is told may release others.
      else if (remove(host, account, each)) each.refuse()
    }
  }

  /** Lets the requests that wait know that the pause is over. */
  private goOn(host: Host): void {
    host.pausedUntil = Number.NEGATIVE_INFINITY
    for (const { each } of allWaiting(host)) each.onPause(0)
  }

  private serve(host: Host): void {
    for (;;) {
      const now = this.now()
      if (Number.isFinite(host.pausedUntil) && host.pausedUntil <= now) this.goOn(host)
      const { busy, pausedUntil } = host
      const shared = host.shared?.isReachable(now) ? host.shared : undefined
      if (shared?.isAsking) return
      const limits = this.pace && !shared ? shareOf(host.limits, this.pace.nodes) : host.limits
      const [oldest] = busy
      const isFull = busy.size >= limits.concurrent
      const hangsAt = (oldest?.since ?? now) + HANGING_MS
      // Only one request at a time may exceed the concurrency.
      const isExtra = isFull ? busy.size === limits.concurrent : shared?.isExtra
      const turn = [...host.waiting].find(([account]) => (isExtra ? hasNone(host, account) : !isFull))
      const mayStartAt = shared ? shared.at : nextStart(host, limits)
      const at = Math.max(pausedUntil, mayStartAt, isFull ? hangsAt : now)
      if (at > now) {
        if (pausedUntil > now) this.arm(host, pausedUntil - now)
        else if (turn || shared?.hasStart) this.arm(host, at - now)
        host.shared?.tell()
        return
      }
      if (!turn) {
        // It may have been for accounts without a request under way, and the others ask anew.
        if (shared?.take() && host.waiting.size > 0) continue
        host.shared?.tell()
        return
      }
      if (shared && !shared.take()) {
        shared.ask([...host.waiting.keys()].some((account) => hasNone(host, account)))
        return
      }
      const [account, own] = turn
      const [request] = own
      own.delete(request!)
      // The account that was served moves to the end.
      host.waiting.delete(account)
      if (own.size > 0) host.waiting.set(account, own)
      host.starts.push(now)
      if (host.starts.length > Math.max(...host.limits.windows.map(({ most }) => most))) host.starts.shift()
      request!.start(now)
    }
  }

  private arm(host: Host, ms: number): void {
    clearTimeout(host.timer)
    host.timer = setTimeout(() => this.serve(host), Math.ceil(ms)).unref()
  }
}

/** The rate limiter of a process, with what the operator's settings mean for all sources. */
export const rateLimiterOf = (
  config: Parameters<typeof paceSettingsOf>[0],
  pace?: SharedPace | undefined,
): RateLimiter => new RateLimiter(undefined, paceSettingsOf(config), pace)

/** When the next request may start without exceeding any of the host's windows. */
const nextStart = ({ starts }: Host, { windows }: HostLimits): number =>
  Math.max(...windows.map(({ most, lengthMs }) => (starts.at(-most) ?? Number.NEGATIVE_INFINITY) + lengthMs))

/** Whether an account has no request under way: it may exceed the concurrency once a request hangs. */
const hasNone = ({ busy }: Host, account: string): boolean =>
  [...busy].every((each) => each.account !== account)

/** All requests that wait, those that come or go meanwhile aside. */
const allWaiting = ({ waiting }: Host): { readonly account: string; readonly each: Waiting }[] =>
  [...waiting].flatMap(([account, own]) => [...own].map((each) => ({ account, each })))

/** Removes a request that waits. Returns false if it does not wait any more. */
function remove({ waiting }: Host, account: string, request: Waiting): boolean {
  const own = waiting.get(account)
  const did = own?.delete(request) ?? false
  if (own?.size === 0) waiting.delete(account)
  return did
}
