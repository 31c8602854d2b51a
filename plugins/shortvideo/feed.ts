/**
 * A list that a page requests part by part as it is scrolled. Each part begins at an offset, by the site's count.
 *
 * @module
 */
import {
  type Answers,
  at,
  Blocked,
  type BrowserPage,
  flagOrNull,
  integerOrNull,
  LoginNeeded,
  type Reply,
} from 'gleaner/plugin'
import { askIn, jsonOf } from './block-pages.ts'
import { ORIGIN } from './site.ts'

/** Query parameters that the site's script computes and adds to each request. */
const SIGNATURES = ['X-Bogus', 'X-Gnarly', 'msToken', '_signature']
/** Timeouts in seconds: for the first part, which the page requests as it loads, and for the parts after a scroll. */
const FIRST_S = 8
const NEXT_S = 4
/** After this many scrolls without a response, the next part is requested on behalf of the page. */
const SCROLLS = 2
/** After this many parts in a row that lead no further, the page is taken to repeat itself forever. */
const MOST_REPEATS = 3

/** One part of the list: the offset of its first row, and the response. */
export type Part = { readonly from: number; readonly json: unknown }

export type FeedOptions = {
  readonly page: BrowserPage
  /** responses to the list's requests, collected since before the page was opened */
  readonly answers: Answers
  /** makes the page show the list, or its next part */
  readonly show: (isFirst: boolean) => Promise<void>
  /** path and query of the first part, for a page that does not request it itself */
  readonly first: string
  /** the first part, if the page's state contains it */
  readonly embedded?: unknown
}

export class Feed {
  private last: { readonly url: string; readonly part: Part } | undefined
  /** true after a jump: the page itself is at another offset, so all further parts must be requested in its place */
  private jumping = false

  constructor(private readonly options: FeedOptions) {
    const { embedded, first } = options
    if (embedded !== undefined)
      this.last = { url: new URL(first, ORIGIN).href, part: { from: 0, json: embedded } }
  }

  /** Whether a part has arrived. */
  get hasBegun(): boolean {
    return this.last !== undefined
  }

  /**
   * The part that begins at an offset or contains it; for an offset beyond the end, the last part.
   *
   * @returns null when the page does not reach the offset
   * @throws {SourceError} the errors of `jsonOf`
   */
  async at(offset: number): Promise<Part | null> {
    let part = this.last?.part ?? (await this.next())
    if (part && part.from < offset && !isLast(part) && (this.jumping || endOf(part) < offset)) {
      const jumped = await this.jump(offset)
      if (jumped || this.jumping) return jumped
    }
    for (let repeats = 0; part && !covers(part, offset) && !isLast(part); ) {
      const following = await this.next()
      repeats = following && endOf(following) <= endOf(part) ? repeats + 1 : 0
      if (repeats > MOST_REPEATS) return null
      part = following
    }
    return part
  }

  private async next(): Promise<Part | null> {
    const { last } = this
    const { answers, show } = this.options
    for (let tries = 0; tries < SCROLLS; tries++) {
      await show(last === undefined && tries === 0)
      const reply = await answers.next({ timeoutS: last ? NEXT_S : FIRST_S })
      if (reply && reply.status < 400) return this.take(reply)
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

  /**
   * Requests a part as the page would.
   *
   * @returns null when there is no response, and when visitors may not read this part
   * @throws {SourceError} for other statuses, and when the response for the first part is empty
   */
  private async jump(offset: number): Promise<Part | null> {
    const { page, first } = this.options
    const url = new URL(this.last?.url ?? first, ORIGIN)
    for (const name of SIGNATURES) url.searchParams.delete(name)
    url.searchParams.set('cursor', String(offset))
    const body = await askIn(page, url).catch((error: unknown) => {
      if (this.last && (error instanceof Blocked || error instanceof LoginNeeded)) return null
      throw error
    })
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

/** The offset of the part after this one. */
function endOf({ from, json }: Part): number {
  const cursor = integerOrNull(at(json, 'cursor'))
  return cursor !== null && cursor > from ? cursor : from
}

/** Whether the site says that the list continues after this part; null when it does not say. */
export function moreIn(json: unknown): boolean | null {
  const said = at(json, 'has_more') ?? at(json, 'hasMore')
  const number = integerOrNull(said)
  return number === null ? flagOrNull(said) : number !== 0
}

const isLast = ({ json }: Part): boolean => moreIn(json) === false
