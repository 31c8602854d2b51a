/**
 * Reads a list to its end or a limit: from the responses that the page gets or, if none of them can be read, from the
 * rendered page.
 *
 * @module
 */
import {
  type Answers,
  type BrowserPage,
  type Context,
  type PageOf,
  paged,
  SourceChanged,
} from 'gleaner/plugin'
import type { Kind } from './answer.ts'
import { documentFailure, emptyPage, READ_STATUSES } from './failures.ts'
import { Feed, type FeedOptions } from './feed.ts'
import { rendered } from './rendered.ts'

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
  const feed = new Feed({ ...options, page, answers: await open(page, options) })
  const first = await firstOf(feed)
  if (first === null || first instanceof SourceChanged) {
    if (yield* rendered({ page, context, kind, limit })) return null
    throw first ?? emptyPage(await page.html(), 'the page never asked for its list')
  }
  return yield* paged({
    cursor: undefined,
    first: '',
    limit,
    key: kind.key,
    context,
    noun: kind.noun,
    read: async (position) => (position === '' ? first : feed.next()),
  })
}

/** Opens the page. @returns the responses to the list's requests */
async function open<Row>(page: BrowserPage, options: CollectOptions<Row>): Promise<Answers> {
  const answers = page.answers(options.answers)
  const { status } = await page.goto(options.path, { until: 'domcontentloaded', accept: READ_STATUSES })
  const html = await page.html()
  const failure = documentFailure(status, html)
  if (failure) throw failure
  // A page without a script will never request anything.
  if (!/<script\b/i.test(html)) throw emptyPage(html, 'the page has no script')
  await options.show?.(page)
  return answers
}

/** The first part, or the error that prevents reading it. The caller may then read the rendered page. */
async function firstOf<Row>(feed: Feed<Row>): Promise<PageOf<Row> | SourceChanged | null> {
  try {
    return await feed.next()
  } catch (error) {
    if (error instanceof SourceChanged) return error
    throw error
  }
}
