/**
 * Reads a list to its end or a limit: from the responses that the page gets or, if none of them can be read, from the
 * rendered page.
 *
 * @module
 */
import { type BrowserPage, type Context, type PageOf, paged, routes, Unavailable } from 'gleaner/plugin'
import type { Kind } from '../kinds.ts'
import { renderedList } from '../rendered/list.ts'
import { documentFailure, READ_STATUSES, silent } from './document.ts'
import { Feed, type FeedOptions } from './feed.ts'

export type CollectOptions<Row> = {
  readonly context: Context
  readonly kind: Kind<Row>
  readonly limit: number | undefined
  readonly path: string
  /** matches the URLs of the list's requests */
  readonly answers: RegExp
  readonly isOwn: FeedOptions<Row>['isOwn']
  /** makes the opened page show the list */
  readonly show?: (page: BrowserPage) => Promise<void>
}

/** The waits before a page whose list was refused for the moment is loaded again. */
const WAITS_MS = [2000, 4000]

/**
 * Yields rows as they arrive.
 *
 * @returns the site's position of the next part; null at the end of the list, and for a list read from the rendered
 *   page
 * @throws {LoginNeeded} when the site does not accept the login
 * @throws {SourceChanged} when the page neither gets a list nor shows one
 */
export async function* collect<Row>(options: CollectOptions<Row>): AsyncGenerator<Row, string | null, void> {
  const { context, limit, kind } = options
  const page = await context.page()
  const answers = page.answers(options.answers)
  await open(page, options)
  const newFeed = () => new Feed({ ...options, page, answers })
  let feed = newFeed()
  let isRendered = false
  const listOnPage = renderedList({ page, context, kind })
  const read = routes<string, PageOf<Row> | null>(context, [
    {
      name: 'answers',
      shared: false,
      async read(position) {
        if (position !== '') return feed.next()
        let failure: Unavailable | undefined
        for (let attempt = 0; ; attempt++) {
          try {
            const part = await feed.next()
            if (part) return part
            throw failure ?? silent(await page.html())
          } catch (error) {
            if (!(error instanceof Unavailable) || error.isFinal) throw error
            failure = error
            const ms = WAITS_MS[attempt]
            if (ms === undefined || !(await context.pause(ms))) throw error
          }
          await open(page, options)
          feed = newFeed()
        }
      },
    },
    {
      name: 'rendered',
      shared: false,
      usable: kind.rendered !== undefined,
      async read() {
        const part = await listOnPage()
        isRendered = true
        return part
      },
    },
  ])
  const next = yield* paged({
    cursor: undefined,
    first: '',
    limit,
    key: kind.key,
    context,
    noun: kind.noun,
    read,
  })
  return isRendered ? null : next
}

/** Opens the page. @throws {SourceError} for a document that will never ask for its list */
async function open<Row>(page: BrowserPage, { path, show }: CollectOptions<Row>): Promise<void> {
  const { status } = await page.goto(path, { until: 'domcontentloaded', accept: READ_STATUSES })
  const failure = documentFailure(status, await page.html())
  if (failure) throw failure
  await show?.(page)
}
