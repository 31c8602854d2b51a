/**
 * A list that a page asks its site for part by part while it is scrolled: each part at an offset, as the site counts.
 *
 * @module
 */
import { type Answers, at, Blocked, type BrowserPage, integerOrNull, type Reply } from 'gleaner/plugin'
import { askIn, jsonOf } from './block-pages.ts'
import { ORIGIN } from './site.ts'

/** Parts of the address that the site's script adds itself, made for that one request. */
const SIGNATURES = ['X-Bogus', 'X-Gnarly', 'msToken', '_signature']
/** The first part comes with the page, the following ones when it is scrolled. */
const FIRST_S = 8
const NEXT_S = 4
/** So often it is scrolled before the next part is asked for in its place. */
const SCROLLS = 2

/** One part: what was answered, from which offset on. */
export type Part = { readonly from: number; readonly json: unknown }

export type FeedOptions = {
  readonly page: BrowserPage
  /** to the list's requests, from before the page was opened */
  readonly answers: Answers
  /** brings the list forth, or its next part */
  readonly show: (isFirst: boolean) => Promise<void>
  /** path and query of the first part, for a page that does not ask for it itself */
  readonly first: string
  /** the first part, where the page has it in its state */
  readonly embedded?: unknown
}

export class Feed {
  private last: { readonly url: string; readonly part: Part } | undefined
  /** the page itself stands elsewhere: every further part is asked for like the one before */
  private jumping = false

  constructor(private readonly options: FeedOptions) {
    const { embedded, first } = options
    if (embedded !== undefined)
      this.last = { url: new URL(first, ORIGIN).href, part: { from: 0, json: embedded } }
  }

  /** Whether a part has come. */
  get hasBegun(): boolean {
    return this.last !== undefined
  }

  /**
   * The part at an offset, or the one that the offset lies in; for an offset behind the end, the last part.
   *
   * @returns null when the page does not come to it
   * @throws {SourceError} as `jsonOf` does
   */
  async at(offset: number): Promise<Part | null> {
    let part = this.last?.part ?? (await this.next())
    if (part && part.from < offset && !isLast(part) && (this.jumping || endOf(part) < offset)) {
      const jumped = await this.jump(offset)
      if (jumped || this.jumping) return jumped
    }
    while (part && !covers(part, offset) && !isLast(part)) part = await this.next()
    return part
  }

  private async next(): Promise<Part | null> {
    const { last } = this
    const { answers, show } = this.options
    for (let tries = 0; tries < SCROLLS; tries++) {
      await show(last === undefined && tries === 0)
      const reply = await answers.next({ timeoutS: last ? NEXT_S : FIRST_S })
      if (reply) return this.take(reply)
    }
    const end = last ? endOf(last.part) : 0
    return last && end === last.part.from ? null : this.jump(end)
  }

  private async take(reply: Reply): Promise<Part> {
    const from = integerOrNull(new URL(reply.url).searchParams.get('cursor')) ?? 0
    const part = { from, json: jsonOf(await reply.text()) }
    this.last = { url: reply.url, part }
    return part
  }

  /** Asks for a part as the page would. Null when that is not let in. @throws {Blocked} when not even the first part is */
  private async jump(offset: number): Promise<Part | null> {
    const { page, first } = this.options
    const url = new URL(this.last?.url ?? first, ORIGIN)
    for (const name of SIGNATURES) url.searchParams.delete(name)
    url.searchParams.set('cursor', String(offset))
    const body = await askIn(page, url)
    if (body === '' && !this.last) throw new Blocked('an empty response')
    if (body === null || body === '') return null
    const part = { from: offset, json: jsonOf(body) }
    this.last = { url: url.href, part }
    this.jumping = true
    return part
  }
}

const covers = (part: Part, offset: number): boolean =>
  part.from === offset || (part.from < offset && offset < endOf(part))

/** Where the part behind this one begins. */
function endOf({ from, json }: Part): number {
  const cursor = integerOrNull(at(json, 'cursor'))
  return cursor !== null && cursor > from ? cursor : from
}

/** Whether the site says that nothing is behind this part. */
const isLast = ({ json }: Part): boolean =>
  [at(json, 'has_more'), at(json, 'hasMore')].some((more) => more === 0 || more === false)
