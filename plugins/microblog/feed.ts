/**
 * A list that a page requests part by part as it is scrolled.
 *
 * @module
 */
import {
  type Answers,
  at,
  type BrowserPage,
  type PageOf,
  RateLimited,
  type Reply,
  textOrNull,
  Unavailable,
} from 'gleaner/plugin'
import { type Answer, answerOf, type Kind } from './answer.ts'
import { listJson } from './failures.ts'

/** Timeouts in seconds: for the first part, which the page requests as it loads, and for the parts after a scroll. */
const FIRST_S = 12
const NEXT_S = 1
/**
 * After this many scrolls without a response, the list counts as complete. The number is high because a page ignores
 * scrolling until it has rendered its last part.
 */
const SCROLLS = 10
/** After this many responses that do not continue the list, the page is requesting something else. */
const MOST_ASIDE = 50

const END = 'window.scrollTo(0, document.documentElement.scrollHeight)'

export type FeedOptions<Row> = {
  readonly page: Pick<BrowserPage, 'evaluate' | 'scroll'>
  /** responses to the list's requests, collected since before the page was opened */
  readonly answers: Answers
  readonly kind: Kind<Row>
  /** whether a response belongs to this list: the page may show other lists too */
  readonly isOwn: (variables: unknown, json: unknown) => boolean
}

export class Feed<Row> {
  /** positions that were read, '' for the first part; `tops`: positions of entries newer than the list */
  private readonly read = new Set<string>()
  private readonly tops = new Set<string>()
  private readonly seen = new Set<string>()
  private failure: Unavailable | undefined

  constructor(private readonly options: FeedOptions<Row>) {}

  /**
   * The next part of the list.
   *
   * @returns null when the page makes no more requests
   * @throws {SourceError} the errors of `listJson` and `answerOf`; an error of the site only if no valid response
   *   follows
   * @throws {RateLimited} when the site sends a message instead of posts: the daily limit of posts is reached
   */
  async next(): Promise<PageOf<Row> | null> {
    const { answers } = this.options
    const isFirst = this.read.size === 0
    let scrolls = 0
    for (let aside = 0; aside < MOST_ASIDE; ) {
      if (!isFirst || scrolls > 0) await this.scroll()
      const reply = await answers.next({ timeoutS: isFirst && scrolls === 0 ? FIRST_S : NEXT_S })
      if (reply) {
        const part = await this.take(reply)
        if (part) return part
        aside++
      } else if (++scrolls === SCROLLS) break
    }
    if (this.failure) throw this.failure
    return null
  }

  private async scroll(): Promise<void> {
    const { page } = this.options
    await page.evaluate(END)
    await page.scroll()
  }

  /** Reads a response. @returns undefined when it does not continue the list */
  private async take(reply: Reply): Promise<PageOf<Row> | undefined> {
    const { kind, isOwn } = this.options
    const variables = variablesOf(reply.url)
    const position = variables === undefined ? undefined : (textOrNull(at(variables, 'cursor')) ?? '')
    if (position !== undefined && (this.read.has(position) || this.tops.has(position))) return undefined
    const json = await this.jsonOf(reply)
    if (json === undefined || !isOwn(variables, json)) return undefined
    const answer = answerOf(json, kind)
    const isNew = this.isNew(answer)
    // A request with its position in the body may be a request for newer entries.
    if (position === undefined && this.read.size > 0 && !isNew && !answer.isLast) return undefined
    if (answer.prompt !== null && answer.rows.length === 0 && answer.unseen === 0)
      throw new RateLimited(answer.prompt)
    this.failure = undefined
    this.read.add(position ?? `?${this.read.size}`)
    if (answer.top !== null) this.tops.add(answer.top)
    for (const row of answer.rows) this.seen.add(kind.key(row))
    return { rows: answer.rows, next: isNew && !answer.isLast ? answer.bottom : null }
  }

  /** Undefined after an error of the site: the site's script then retries by itself. */
  private async jsonOf(reply: Reply): Promise<unknown> {
    try {
      return await listJson(reply)
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      this.failure = error
      return undefined
    }
  }

  private isNew({ rows, unseen }: Answer<Row>): boolean {
    return unseen > 0 || rows.some((row) => !this.seen.has(this.options.kind.key(row)))
  }
}

/** The variables of a request; undefined when they are in its body. */
function variablesOf(url: string): unknown {
  const text = new URL(url).searchParams.get('variables')
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
