/**
 * A list that a page requests part by part as it is scrolled.
 *
 * @module
 */
import {
  type Answers,
  at,
  type BrowserPage,
  type Context,
  type PageOf,
  RateLimited,
  type Reply,
  textOrNull,
  Unavailable,
} from 'gleaner/plugin'
import type { Kind } from '../kinds.ts'
import { type Answer, answerOf } from './answer.ts'
import { listJson } from './refusals.ts'

/** Timeouts in seconds: for the first part, which the page requests as it loads, and for the parts after a scroll. */
const FIRST_S = 12
const NEXT_S = 1
/** The rest between two parts, which keeps the account within the site's limit of 50 requests in 15 minutes. */
const REST_MS = 2000
/**
 * After this many scrolls without a response, the page asks no more. The number is high because a page ignores scrolling
 * until it has rendered its last part; a part without rows, or an error, takes no time to render.
 */
const SCROLLS = 10
const SCROLLS_AFTER_NOTHING = 3
/** The site filters adverts and withheld posts: only this many parts without new rows in a row are the end. */
const MOST_EMPTY = 3
/** After this many responses that do not continue the list, the page is requesting something else. */
const MOST_ASIDE = 50

const END = 'window.scrollTo(0, document.documentElement.scrollHeight)'

export type FeedOptions<Row> = {
  readonly context: Pick<Context, 'note' | 'pause'>
  readonly page: Pick<BrowserPage, 'evaluate' | 'scroll'>
  /** responses to the list's requests, collected since before the page was opened */
  readonly answers: Answers
  readonly kind: Kind<Row>
  /** whether a response belongs to this list: the page may show other lists too */
  readonly isOwn: (variables: unknown, json: unknown) => boolean
}

export class Feed<Row> {
  /** positions that were asked for, '' for the first part */
  private readonly requestedPositions = new Set<string>()
  /** positions that parts ended with, and positions of entries newer than the list */
  private readonly bottoms = new Set<string>()
  private readonly tops = new Set<string>()
  private readonly seenIds = new Set<string>()
  private hasBegun = false
  /** the number of parts without new rows since the last one with */
  private empty = 0
  private failure: Unavailable | undefined

  constructor(private readonly options: FeedOptions<Row>) {}

  /**
   * The next part of the list that has new rows.
   *
   * @returns a part without rows and `next` at the end of the list; null when the page makes no more requests
   * @throws {SourceError} the errors of `listJson` and `answerOf`; an error that may pass only if no valid response
   *   follows
   * @throws {RateLimited} when the site sends a message instead of posts: the daily limit of posts is reached
   */
  async next(): Promise<PageOf<Row> | null> {
    const { answers, context } = this.options
    if (this.hasBegun && !(await context.pause(REST_MS))) return null
    let scrolls = 0
    for (let aside = 0; aside < MOST_ASIDE; ) {
      const isLoading = !this.hasBegun && scrolls === 0 && !this.failure
      if (!isLoading) await this.scroll()
      const reply = await answers.next({ timeoutS: isLoading ? FIRST_S : NEXT_S })
      if (reply) {
        const part = await this.take(reply)
        if (part) return part
        aside++
      } else if (++scrolls >= this.mostScrolls()) break
    }
    if (this.failure) throw this.failure
    return this.empty > 0 ? END_OF_LIST : null
  }

  private async scroll(): Promise<void> {
    const { page } = this.options
    await page.evaluate(END)
    await page.scroll()
  }

  private mostScrolls(): number {
    return this.failure || this.empty > 0 ? SCROLLS_AFTER_NOTHING : SCROLLS
  }

  /** Reads a response. @returns undefined when it does not continue the list, or has no new rows */
  private async take(reply: Reply): Promise<PageOf<Row> | undefined> {
    const { context, kind, isOwn } = this.options
    const variables = variablesOf(reply.url)
    const position = variables === undefined ? undefined : (textOrNull(at(variables, 'cursor')) ?? '')
    if (position !== undefined && (this.requestedPositions.has(position) || this.tops.has(position)))
      return undefined
    const json = await this.jsonOf(reply)
    if (json === undefined || !isOwn(variables, json)) return undefined
    const answer = answerOf(context, json, kind)
    if (answer.prompt !== null) throw new RateLimited(answer.prompt)
    this.failure = undefined
    this.hasBegun = true
    if (position !== undefined) this.requestedPositions.add(position)
    return this.continued(answer, position)
  }

  /** @param position undefined when it is in the request's body: the response may then be one with newer entries */
  private continued({ rows, bottom, top, isLast }: Answer<Row>, position: string | undefined) {
    const { key } = this.options.kind
    const isRepeated = bottom === null || this.bottoms.has(bottom)
    const isNew = rows.some((row) => !this.seenIds.has(key(row)))
    if (position === undefined && isRepeated && bottom !== null && isNew) return undefined
    if (bottom !== null) this.bottoms.add(bottom)
    if (top !== null) this.tops.add(top)
    for (const row of rows) this.seenIds.add(key(row))
    const next = isLast || isRepeated ? null : bottom
    this.empty = isNew ? 0 : this.empty + 1
    if (isNew) return { rows, next }
    const isOver = isLast || (position !== undefined && (isRepeated || rows.length > 0))
    return isOver || this.empty === MOST_EMPTY ? END_OF_LIST : undefined
  }

  /** Undefined after an error that may pass: the site's script then retries by itself. */
  private async jsonOf(reply: Reply): Promise<unknown> {
    try {
      return await listJson(reply)
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      this.failure = error
      return undefined
    }
  }
}

const END_OF_LIST = { rows: [], next: null } as const

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
