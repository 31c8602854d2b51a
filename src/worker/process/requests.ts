/**
 * The requests of one run: each acquires a slot from the source's rate limiter before it is made.
 *
 * @module
 */
import { clock } from '../../async/clock.ts'
import type { RateLimiter, Slot } from '../../net/rate-limiter.ts'
import type { Source } from '../../plugin.ts'
import type { Answer } from './protocol.ts'

/** The source that a run reads. All runs of the source share its rate limit. */
export type PacedSource = Pick<Source, 'name' | 'pace'>

export class RunRequests {
  private readonly asked = new Map<number, Slot>()

  /**
   * @param account the run's account: accounts take turns
   * @param until milliseconds since 1970: when the run is out of time
   * @param send sends answers to the child
   */
  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly source: PacedSource,
    private readonly account: string,
    private readonly until: number,
    private readonly send: (answer: Answer) => void,
  ) {}

  /**
   * Requests a slot. The answer is sent as soon as the source's rate limit permits the request.
   *
   * @returns false if the id already has a slot, which only a forged message can ask for
   */
  acquire(id: number, host: string): boolean {
    if (this.asked.has(id)) return false
    const { name, pace } = this.source
    const pausedMs = this.rateLimiter.pausedMs(name, host)
    // A run that is out of time for another reason is about to be stopped anyway.
    if (pausedMs > 0 && clock.now() + pausedMs >= this.until) {
      this.send({ type: 'acquired', id, paused: true })
      return true
    }
    const go = () => this.send({ type: 'acquired', id, paused: false })
    this.asked.set(id, this.rateLimiter.ask(name, host, pace, this.account, go))
    return true
  }

  /** @param pauseMs how long the host asked for no requests, in milliseconds */
  release(id: number, pauseMs: number): void {
    this.asked.get(id)?.release(pauseMs)
    this.asked.delete(id)
  }

  /** The run has ended: releases the slots of all its requests. */
  releaseAll(): void {
    for (const slot of this.asked.values()) slot.release()
    this.asked.clear()
  }
}
