/**
 * How fast each host of a source is read, over all child processes of this one: so many requests a second, so many at
 * once, and none while the host asked to be left alone. Accounts take turns, each in the order in which it asked. Where
 * requests hang, an account that has none under way is given one beyond the declared number, so that nobody's hanging
 * requests hold up everybody else's until they time out.
 *
 * @module
 */
import { clock } from '../async/clock.ts'
import { clearTimeout, setTimeout, type Timer } from '../async/timers.ts'
import type { Pace } from '../plugin.ts'

const PER_SECOND = 5
const CONCURRENT = 4
/** A request that has been under way for so long hangs, in milliseconds: most answers come sooner. */
const HANGING_MS = 3000
/** The longest time that a host's `Retry-After` stops all requests to it, in milliseconds. */
const LONGEST_PAUSE_MS = 5 * 60_000
/** Hosts that nobody asked for are forgotten above so many. */
const MANY_HOSTS = 1000

/** A request that waits, or is under way. */
export type Slot = {
  /** The request has ended, or nobody waits for it any more. Calling it again does nothing. */
  release(): void
}

/** A request under way. @property since when it began, by the clock */
type Busy = { readonly account: string; readonly since: number }

/** A request that waits for its turn. */
type Waiting = { readonly account: string; readonly start: (now: number) => void }

type Host = {
  /** of the last requests: at most `most` in any `lengthMs` */
  readonly starts: number[]
  readonly most: number
  readonly lengthMs: number
  readonly concurrent: number
  /** accounts take turns in the order of their first request here */
  waiting: Waiting[]
  /** the one that began first comes first */
  readonly busy: Set<Busy>
  pausedUntil: number
  timer: Timer | undefined
}

export class RateLimiter {
  private readonly hosts = new Map<string, Host>()

  /** @param now milliseconds of a clock that never goes back */
  constructor(private readonly now: () => number = () => clock.monotonic()) {}

  /**
   * Asks for one request to a host.
   *
   * @param account whose run it is
   * @param go called when it may be made, perhaps at once; never after `release`
   */
  ask(source: string, host: string, pace: Pace | undefined, account: string, go: () => void): Slot {
    const state = this.host(`${source} ${host}`, pace)
    let busy: Busy | undefined
    const start = (since: number) => {
      busy = { account, since }
      state.busy.add(busy)
      go()
    }
    const waiting = { account, start }
    state.waiting.push(waiting)
    this.serve(state)
    return {
      release: () => {
        if (busy) state.busy.delete(busy)
        else state.waiting = state.waiting.filter((each) => each !== waiting)
        this.serve(state)
      },
    }
  }

  /** The host asked to be left alone, which all children heed. @param ms how long, in milliseconds; 5 minutes at most */
  pause(source: string, host: string, ms: number): void {
    const state = this.hosts.get(`${source} ${host}`)
    if (!state) return
    state.pausedUntil = Math.max(state.pausedUntil, this.now() + Math.min(ms, LONGEST_PAUSE_MS))
  }

  /** How long no request to a host may be made because it asked for that, in milliseconds. */
  pausedMs(source: string, host: string): number {
    const until = this.hosts.get(`${source} ${host}`)?.pausedUntil ?? Number.NEGATIVE_INFINITY
    return Math.max(0, until - this.now())
  }

  stop(): void {
    for (const { timer } of this.hosts.values()) clearTimeout(timer)
    this.hosts.clear()
  }

  private host(key: string, pace: Pace | undefined): Host {
    const known = this.hosts.get(key)
    if (known) return known
    this.forget()
    const perSecond = pace?.perSecond ?? PER_SECOND
    const most = Math.max(1, Math.floor(perSecond))
    const host: Host = {
      starts: [],
      most,
      lengthMs: (most / perSecond) * 1000,
      concurrent: Math.max(1, Math.floor(pace?.concurrent ?? CONCURRENT)),
      waiting: [],
      busy: new Set(),
      pausedUntil: Number.NEGATIVE_INFINITY,
      timer: undefined,
    }
    this.hosts.set(key, host)
    return host
  }

  private serve(host: Host): void {
    for (;;) {
      const now = this.now()
      const [oldest] = host.busy
      const isFull = host.busy.size >= host.concurrent
      const hangsAt = (oldest?.since ?? now) + HANGING_MS
      const next = host.waiting.find(({ account }) => !isFull || mayExceed(host, account))
      if (!next) return
      const first = host.starts.at(-host.most) ?? Number.NEGATIVE_INFINITY
      const at = Math.max(host.pausedUntil, first + host.lengthMs, isFull ? hangsAt : now)
      if (at > now) {
        clearTimeout(host.timer)
        host.timer = setTimeout(() => this.serve(host), Math.ceil(at - now))
        return
      }
      // Whose turn it was comes last now.
      const others = host.waiting.filter((each) => each !== next)
      const isOwn = ({ account }: Waiting) => account === next.account
      host.waiting = [...others.filter((each) => !isOwn(each)), ...others.filter(isOwn)]
      host.starts.push(now)
      if (host.starts.length > host.most) host.starts.shift()
      next.start(now)
    }
  }

  private forget(): void {
    if (this.hosts.size < MANY_HOSTS) return
    const now = this.now()
    for (const [key, { busy, waiting, pausedUntil, starts, lengthMs }] of this.hosts) {
      const isQuiet = Math.max(pausedUntil, (starts.at(-1) ?? Number.NEGATIVE_INFINITY) + lengthMs) <= now
      if (isQuiet && busy.size === 0 && waiting.length === 0) this.hosts.delete(key)
    }
  }
}

/** Whether an account may be given a request beyond the declared number, once another one hangs: one at a time. */
const mayExceed = ({ busy, concurrent }: Host, account: string): boolean =>
  busy.size === concurrent && [...busy].every((each) => each.account !== account)
