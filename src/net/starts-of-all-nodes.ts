/**
 * The starts of requests to a host that all nodes share, as one node gets them: it asks for one at a time, and holds it
 * until its time. Which request starts then is up to the rate limiter, so a request that gave up costs no start.
 *
 * @module
 */
import type { PaceAnswer, SharedPace } from '../ephemeral/shared-pace.ts'
import type { HostLimits } from './pace.ts'

/** After a failure the node keeps its share for this long before it asks again, in milliseconds. */
const AWAY_MS = 1000

export type StartsOptions = {
  readonly pace: SharedPace
  readonly limits: HostLimits
  /** the requests under way at this node, oldest first, with their starts by `now` */
  readonly busy: ReadonlySet<{ readonly since: number }>
  /** milliseconds of a monotonic clock */
  readonly now: () => number
  /** Called after an answer, or a failure. @param pausedMs for how long the host asked to be left alone */
  readonly wake: (pausedMs: number) => void
}

export class StartsOfAllNodes {
  private start: { readonly at: number; readonly isExtra: boolean } | undefined
  /** after an answer that too many are under way. `busy`: those of this node then */
  private again: { readonly at: number; readonly busy: number } | undefined
  private awayUntil = Number.NEGATIVE_INFINITY
  /** the number of this node's requests that the other nodes know; undefined: they may know another one */
  private knownBusy: number | undefined = 0
  /** Whether an answer is awaited. */
  isAsking = false

  constructor(private readonly options: StartsOptions) {}

  /** Whether the other nodes can be asked, as far as is known. If not, the node keeps its share of the limits. */
  isReachable(now: number): boolean {
    if (now >= this.awayUntil) return true
    this.start = undefined
    return false
  }

  get hasStart(): boolean {
    return this.start !== undefined
  }

  /** Whether the start is for an account without a request under way. */
  get isExtra(): boolean {
    return this.start?.isExtra ?? false
  }

  /** When a request may start, or the next question may be asked: at once when this node has fewer requests by now. */
  get at(): number {
    const { start, again, options } = this
    if (start) return start.at
    return again && options.busy.size >= again.busy ? again.at : Number.NEGATIVE_INFINITY
  }

  /** Uses the start, if there is one, or gives it up: the caller has waited for its time. */
  take(): boolean {
    const { start } = this
    this.start = undefined
    return start !== undefined
  }

  /** Asks for a start. @param mayExceed see {@link import('../ephemeral/shared-pace.ts').PaceQuestion} */
  ask(mayExceed: boolean): void {
    const { pace, limits, now, wake } = this.options
    this.isAsking = true
    this.again = undefined
    const requests = this.requests()
    pace.ask({ ...limits, ...requests, mayExceed }).then(
      (answer) => {
        this.isAsking = false
        // An answer that the host is paused counts nothing.
        this.knownBusy =
          answer.kind === 'paused' ? undefined : requests.busy + (answer.kind === 'start' ? 1 : 0)
        wake(this.pausedBy(answer, requests.busy))
      },
      () => {
        this.isAsking = false
        this.knownBusy = undefined
        this.awayUntil = now() + AWAY_MS
        wake(0)
      },
    )
  }

  /** Tells the other nodes how many requests are under way here, unless they know. */
  tell(): void {
    const requests = this.requests()
    if (requests.busy === this.knownBusy) return
    this.knownBusy = requests.busy
    this.options.pace.tell(requests, 0)
  }

  /** Tells the other nodes that the host asked for no more requests. @param ms for how long */
  pause(ms: number): void {
    this.start = undefined
    const requests = this.requests()
    this.knownBusy = requests.busy
    this.options.pace.tell(requests, ms)
  }

  private pausedBy(answer: PaceAnswer, busy: number): number {
    const at = this.options.now() + answer.ms
    if (answer.kind === 'start') this.start = { at, isExtra: answer.isExtra }
    if (answer.kind === 'full') this.again = { at, busy }
    return answer.kind === 'paused' ? answer.ms : 0
  }

  private requests() {
    const { limits, busy, now } = this.options
    const [oldest] = busy
    const oldestMs = oldest ? Math.max(0, now() - oldest.since) : 0
    return { key: limits.key, busy: busy.size + (this.start ? 1 : 0), oldestMs }
  }
}
