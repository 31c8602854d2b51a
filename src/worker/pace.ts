/**
 * How fast each host of a source is read, over all child processes of this one: so many requests a second, so many at
 * once, and none while the host asked to be left alone.
 *
 * @module
 */
import type { Pace } from '../plugin.ts'

const PER_SECOND = 5
const CONCURRENT = 4
/** The longest time that a host's `Retry-After` stops all requests to it, in milliseconds. */
const LONGEST_PAUSE_MS = 5 * 60_000
/** Hosts that nobody asked for are forgotten above so many. */
const MANY_HOSTS = 1000

/** A request that waits, or is under way. */
export type Permit = {
  /** The exchange is over, or nobody waits for it any more. Calling it again does nothing. */
  release(): void
}

type Host = {
  readonly window: Window
  readonly concurrent: number
  readonly waiting: Set<() => void>
  busy: number
  pausedUntil: number
  timer: ReturnType<typeof setTimeout> | undefined
}

export class Paces {
  private readonly hosts = new Map<string, Host>()

  /** @param now milliseconds of a clock that never goes back */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * Asks for one request to a host.
   *
   * @param go called when it may be made, perhaps at once; never after `release`
   */
  ask(source: string, host: string, pace: Pace | undefined, go: () => void): Permit {
    const state = this.host(`${source} ${host}`, pace)
    let status: 'waiting' | 'busy' | 'over' = 'waiting'
    const start = () => {
      status = 'busy'
      go()
    }
    state.waiting.add(start)
    this.serve(state)
    return {
      release: () => {
        if (status === 'waiting') state.waiting.delete(start)
        if (status === 'busy') state.busy--
        status = 'over'
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
    const host: Host = {
      window: new Window(pace?.perSecond ?? PER_SECOND),
      concurrent: Math.max(1, Math.floor(pace?.concurrent ?? CONCURRENT)),
      waiting: new Set(),
      busy: 0,
      pausedUntil: Number.NEGATIVE_INFINITY,
      timer: undefined,
    }
    this.hosts.set(key, host)
    return host
  }

  private serve(host: Host): void {
    for (const start of host.waiting) {
      if (host.busy >= host.concurrent) return
      const now = this.now()
      const at = Math.max(host.pausedUntil, host.window.next(now))
      if (at > now) {
        this.wake(host, at - now)
        return
      }
      host.waiting.delete(start)
      host.window.take(now)
      host.busy++
      start()
    }
  }

  private wake(host: Host, ms: number): void {
    clearTimeout(host.timer)
    host.timer = setTimeout(() => this.serve(host), Math.ceil(ms))
  }

  private forget(): void {
    if (this.hosts.size < MANY_HOSTS) return
    const now = this.now()
    for (const [key, { busy, waiting, pausedUntil, window }] of this.hosts) {
      if (busy === 0 && waiting.size === 0 && pausedUntil <= now && window.isEmpty(now))
        this.hosts.delete(key)
    }
  }
}

/** At most `perSecond` starts in any second: the times of the last ones are kept. */
class Window {
  private readonly starts: number[] = []
  private readonly most: number
  private readonly lengthMs: number

  constructor(perSecond: number) {
    this.most = Math.max(1, Math.floor(perSecond))
    this.lengthMs = (this.most / perSecond) * 1000
  }

  /** When the next start may be. */
  next(now: number): number {
    const first = this.starts[0]
    return this.starts.length < this.most || first === undefined ? now : first + this.lengthMs
  }

  take(now: number): void {
    this.starts.push(now)
    if (this.starts.length > this.most) this.starts.shift()
  }

  isEmpty(now: number): boolean {
    const last = this.starts.at(-1)
    return last === undefined || last + this.lengthMs <= now
  }
}
