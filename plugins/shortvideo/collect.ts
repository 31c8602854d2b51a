/**
 * Reads a list to its end or a limit: in one page, or in a fresh page if the site took the first one for a bot.
 *
 * @module
 */
import { type BrowserPage, type Context, type PageOf, paged } from 'gleaner/plugin'
import { missingIn, Nothing } from './block-pages.ts'
import { type Feed, moreIn, type Part } from './feed.ts'

/** The number of contexts to try before an empty response counts as a block. */
const FRESH = 3

/** The rows of one part of a list, and the offset of the next part. */
export type Rows<Row> = { readonly rows: readonly Row[]; readonly next: number | null }

export type Collected = {
  /** null at the end, and when the site does not let visitors read beyond the cursor that was sent */
  readonly next_cursor: string | null
  /** whether the source has more rows, even if visitors cannot read them */
  readonly has_more: boolean
}

export type CollectOptions<Row> = {
  readonly context: Context
  readonly cursor: string | undefined
  readonly limit: number | undefined
  /** opens the page in a fresh context; null when there is legitimately no list */
  readonly open: (page: BrowserPage) => Promise<Feed | null>
  readonly rowsOf: (json: unknown) => Rows<Row>
  readonly key: (row: Row) => string
  /** the name of the rows in progress messages */
  readonly noun: string
}

/**
 * Yields rows as they arrive.
 *
 * @throws {SourceChanged} when the page never requests its list, and a request in its place fails too
 * @throws {Blocked} when three fresh contexts get empty responses, or a captcha covers the list
 */
export async function* collect<Row>(options: CollectOptions<Row>): AsyncGenerator<Row, Collected, void> {
  const parts = new Parts(options)
  const next_cursor = yield* paged<Row>({
    ...options,
    first: '0',
    read: (position) => parts.read(Number(position)),
  })
  return { next_cursor, has_more: parts.hasMore || next_cursor !== null }
}

class Parts<Row> {
  private feed: Feed | null | undefined
  private page: BrowserPage | undefined
  private begun = false
  private readonly seen = new Set<string>()
  /** whether the site says that the list continues, even if it does not let visitors read further */
  hasMore = false

  constructor(private readonly options: CollectOptions<Row>) {}

  async read(offset: number): Promise<PageOf<Row> | null> {
    const part = await this.part(offset)
    if (part === undefined) return { rows: [], next: null }
    if (part === null) {
      if (!this.begun && !this.feed?.hasBegun && this.page)
        throw await missingIn(this.page, 'the page never asked for its list')
      this.hasMore = true
      return null
    }
    this.begun = true
    const { rows, next } = this.options.rowsOf(part.json)
    this.hasMore = moreIn(part.json) ?? next !== null
    const keys = rows.map(this.options.key)
    // The site may repeat rows at advancing offsets forever.
    const isRepeat = keys.length > 0 && keys.every((key) => this.seen.has(key))
    for (const key of keys) this.seen.add(key)
    return {
      rows: rows.slice(Math.max(0, offset - part.from)),
      next: next === null || isRepeat ? null : String(next),
    }
  }

  /** The part at an offset. Undefined: there is no list. Null: the page does not reach the part. */
  private async part(offset: number): Promise<Part | null | undefined> {
    for (let attempt = 1; ; attempt++) {
      try {
        if (this.feed === undefined) {
          this.page = await this.options.context.page()
          this.feed = await this.options.open(this.page)
        }
        return this.feed === null ? undefined : await this.feed.at(offset)
      } catch (error) {
        if (!(error instanceof Nothing) || attempt === FRESH) throw error
        await this.page?.close()
        this.feed = undefined
      }
    }
  }
}
