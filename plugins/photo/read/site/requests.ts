/**
 * The requests of one run, at a pace that the site bears.
 *
 * @module
 */
import { type Context, type FetchOptions, jsonIn, SourceChanged } from 'gleaner/plugin'
import { type Answer, isLimit, redirectRefusal } from './refusals.ts'

/** Statuses whose body says what they mean. */
const REASON_STATUSES = [400, 401, 403, 404, 429]
/** Statuses that say nothing about the input. */
const ERRORS = { 410: SourceChanged, 413: SourceChanged, 414: SourceChanged, 422: SourceChanged }
/** How long a member's run waits at a limit before it asks again, in milliseconds. */
const WAITS = [60_000, 120_000]
/** The least time between two requests of a member, in milliseconds. */
const GAP_MS = 2000

/** A request of {@link Requests.ask}: the options of `fetch`, and the least time since a member's last request. */
export type RequestOptions = FetchOptions & { readonly gapMs?: number }

export class Requests {
  /** when a member's last request was made, in milliseconds since 1970 */
  private last = Number.NEGATIVE_INFINITY

  constructor(readonly context: Context) {}

  /**
   * Makes a request. At a limit, a member's run waits and asks again.
   *
   * @param read reads the answer; it throws a refusal
   */
  async ask<T>(
    path: string,
    { gapMs = GAP_MS, ...options }: RequestOptions,
    read: (answer: Answer) => T,
  ): Promise<T> {
    const { context } = this
    const waits = context.signedIn ? [...WAITS] : []
    for (;;) {
      if (context.signedIn) await this.rest(gapMs)
      try {
        return read(await this.answer(path, options))
      } catch (cause) {
        const error = redirectRefusal(cause, context.signedIn)
        const ms = isLimit(error) ? waits.shift() : undefined
        if (ms === undefined || !(await context.pause(ms))) throw error
        this.last = Number.NEGATIVE_INFINITY
      }
    }
  }

  private async answer(path: string, options: FetchOptions): Promise<Answer> {
    const reply = await this.context.fetch(path, { ...options, accept: REASON_STATUSES, errors: ERRORS })
    const text = await reply.text()
    return { status: reply.status, text, json: jsonIn(text, { prefix: 'for (;;);', exact: true }) }
  }

  /** Waits until a member may make the next request. */
  private async rest(gapMs: number): Promise<void> {
    const { context } = this
    const ms = this.last + gapMs - context.now()
    if (ms > 0) await context.pause(ms)
    context.signal.throwIfAborted()
    this.last = context.now()
  }
}
