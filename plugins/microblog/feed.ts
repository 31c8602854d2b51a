/**
 * A list that a page asks its site for part by part while it is scrolled.
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

/** The first part comes with the page, the following ones when it is scrolled, in seconds. */
const FIRST_S = 12
const NEXT_S = 1
/**
 * So often it is scrolled without an answer before it counts as one that asks for no more. Often, since a page that has
 * not shown its last part yet does not heed it.
 */
const SCROLLS = 10
/** A page that is answered so often without getting on asks for something else. */
const MOST_ASIDE = 50

const END = 'window.scrollTo(0, document.documentElement.scrollHeight)'

export type FeedOptions<Row> = {
  readonly page: Pick<BrowserPage, 'evaluate' | 'scroll'>
  /** to the list's requests, from before the page was opened */
  readonly answers: Answers
  readonly kind: Kind<Row>
  /** whether an answer is one of this list: the page may show others too */
  readonly isOwn: (variables: unknown, json: unknown) => boolean
}

export class Feed<Row> {
  /** Positions whose answers were read, '' for the first; and those of what is newer than the list. */
  private readonly read = new Set<string>()
  private readonly tops = new Set<string>()
  private readonly seen = new Set<string>()
  private failure: Unavailable | undefined

  constructor(private readonly options: FeedOptions<Row>) {}

  /**
   * The next part of the list.
   *
   * @returns null when the page asks for no more
   * @throws {SourceError} as `listJson` and `answerOf` do; errors of the site only when nothing better follows
   * @throws {RateLimited} when the site shows words in place of posts: one may read so many a day
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

  /** Undefined for an answer that does not go on with the list. */
  private async take(reply: Reply): Promise<PageOf<Row> | undefined> {
    const { kind, isOwn } = this.options
    const variables = variablesOf(reply.url)
    const position = variables === undefined ? undefined : (textOrNull(at(variables, 'cursor')) ?? '')
    if (position !== undefined && (this.read.has(position) || this.tops.has(position))) return undefined
    const json = await this.jsonOf(reply)
    if (json === undefined || !isOwn(variables, json)) return undefined
    const answer = answerOf(json, kind)
    const isNew = this.isNew(answer)
    // A request that has its position in its body may be one for what is newer.
    if (position === undefined && this.read.size > 0 && !isNew && !answer.isLast) return undefined
    if (answer.prompt !== null && answer.rows.length === 0 && answer.unseen === 0)
      throw new RateLimited(answer.prompt)
    this.failure = undefined
    this.read.add(position ?? `?${this.read.size}`)
    if (answer.top !== null) this.tops.add(answer.top)
    for (const row of answer.rows) this.seen.add(kind.key(row))
    return { rows: answer.rows, next: isNew && !answer.isLast ? answer.bottom : null }
  }

  /** The site's script asks again when the site has failed. */
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

/** What a request asks for; undefined where it says so in its body. */
function variablesOf(url: string): unknown {
  const text = new URL(url).searchParams.get('variables')
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
