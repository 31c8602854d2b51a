/**
 * A list that a page requests part by part. What the page does not request is requested from inside it.
 *
 * @module
 */
import {
  type Answers,
  Blocked,
  type BrowserPage,
  type Context,
  integerOrNull,
  LoginNeeded,
  type Reply,
  type SourceError,
} from 'gleaner/plugin'
import type { Part } from '../list-part.ts'
import { jsonOf } from '../refusals.ts'
import { askIn } from './ask.ts'
import { clear, missingIn } from './obstacles.ts'

/** Timeouts in seconds: for the first part, which takes the page longest, and for the parts after it. */
const FIRST_S = 8
const NEXT_S = 4
/** After this many scrolls without a response, the next part is requested from inside the page. */
const SCROLLS = 2
/** After this many parts in a row that lead no further, the page is taken to repeat itself forever. */
const MOST_REPEATS = 3
/** The time between two requests from inside the page, in milliseconds. */
const ASK_MS = 2000

export type PageListOptions<P> = {
  readonly context: Pick<Context, 'pause'>
  readonly page: BrowserPage
  /** responses to the list's requests, collected since before the page was opened */
  readonly answers: Answers
  /** makes the page show the list; default: it does so by itself */
  readonly show?: () => Promise<void>
  /** makes the page request the next part; default: nothing does */
  readonly scroll?: () => Promise<void>
  /** path and query of the part at a position, in the shortest form: only that needs no signature */
  readonly shortest: (from: number) => string
  readonly partOf: (json: unknown, from: number) => P
}

export class PageList<Row, P extends Part<Row>> {
  private readonly parts: P[] = []
  private isShown = false
  private isCleared = false
  private hasDialog = false
  /** after a request from inside it, the page itself is at another position */
  private isAsked = false

  constructor(private readonly options: PageListOptions<P>) {}

  /** Adds a part that the page contains. */
  add(part: P): void {
    this.parts.push(part)
  }

  /** Waits for the first part. @returns whether the page has one */
  async hasBegun(): Promise<boolean> {
    if (this.parts.length === 0 && !this.isShown) await this.following()
    return this.parts.length > 0
  }

  /**
   * The part that begins at a position or contains it; for a position beyond the end, the last part.
   *
   * @returns null when the site does not let this visitor read the part
   * @throws {SourceError} when it shows no part at all
   */
  async at(from: number): Promise<P | null> {
    for (let repeats = 0; repeats <= MOST_REPEATS; ) {
      const part = this.parts.findLast((each) => covers(each, from))
      if (part) return part
      const last = this.parts.at(-1)
      if (last?.more === false && this.options.scroll) return last
      const following = await this.following(from)
      if (!following) return this.ask(from)
      repeats = last && endOf(following) <= endOf(last) ? repeats + 1 : 0
    }
    return null
  }

  /** The next part that the page requests; null when it requests none. */
  private async following(from = 0): Promise<P | null> {
    const { show, scroll, answers } = this.options
    const isFirst = this.parts.length === 0
    // A list that does not scroll never reaches a position beyond its first parts.
    if (this.isAsked || (isFirst && (this.isShown || (from > 0 && !scroll)))) return null
    const act = isFirst ? show : scroll
    this.isShown = true
    for (let tries = 0; tries < SCROLLS; tries++) {
      await act?.()
      const reply = await answers.next({ timeoutS: isFirst && tries === 0 ? FIRST_S : NEXT_S })
      const part = reply && (await this.take(reply))
      if (part) return part
      if (!(await this.clear()) && (isFirst || !scroll)) return null
    }
    return null
  }

  /** The part in a response; null for one that is refused. */
  private async take(reply: Reply): Promise<P | null> {
    const body = reply.status < 400 ? await reply.text() : ''
    if (body.trim() === '') return null
    const from = integerOrNull(new URL(reply.url).searchParams.get('cursor')) ?? 0
    try {
      return this.keep(this.options.partOf(jsonOf(body), from))
    } catch (error) {
      if (isRefusal(error) && this.parts.length > 0) return null
      throw error
    }
  }

  private keep(part: P): P {
    this.parts.push(part)
    return part
  }

  /** Removes what lies over the page, once. @returns whether the page may go on now */
  private async clear(): Promise<boolean> {
    if (this.isCleared) return false
    const { hasDialog, isCleared } = await clear(this.options.page)
    this.hasDialog = hasDialog
    this.isCleared = isCleared
    return isCleared
  }

  /** Requests a part from inside the page. */
  private async ask(from: number): Promise<P | null> {
    const { context, page, shortest, partOf } = this.options
    if (this.isAsked) await context.pause(ASK_MS)
    try {
      const body = await askIn(page, shortest(from))
      if (body === null) return this.endWith(await missingIn(page, 'the page never asked for its list'))
      const part = this.keep(partOf(jsonOf(body), from))
      this.isAsked = true
      return part
    } catch (error) {
      if (isRefusal(error)) return this.endWith(error)
      throw error
    }
  }

  /** Ends a list that has begun where the site refuses more. @throws a list that has not begun: the refusal */
  private endWith(error: SourceError): null {
    if (this.parts.length > 0) return null
    throw this.hasDialog ? new LoginNeeded('Log in to TikTok') : error
  }
}

const isRefusal = (error: unknown): error is SourceError =>
  error instanceof Blocked || error instanceof LoginNeeded

const covers = <Row>(part: Part<Row>, from: number): boolean =>
  part.from === from || (part.from < from && from < endOf(part))

/** The position after a part. */
const endOf = <Row>({ from, next }: Part<Row>): number => next ?? from
