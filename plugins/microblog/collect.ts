/**
 * Reads such lists to their end or a limit: from the answers that the page gets, or, where none can be read, from what
 * it shows.
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
  /** the list's requests */
  readonly answers: RegExp
  readonly isOwn: FeedOptions<Row>['isOwn']
  /** brings the list forth, in a page that was opened */
  readonly show?: (page: BrowserPage) => Promise<void>
}

/**
 * Yields rows as they arrive.
 *
 * @returns the site's own position where the list goes on; null at its end, and for a page that was read as it is shown
 * @throws {LoginNeeded} when the site does not take the login
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

/** Opens the page. @returns the answers to the list's requests */
async function open<Row>(page: BrowserPage, options: CollectOptions<Row>): Promise<Answers> {
  const answers = page.answers(options.answers)
  const { status } = await page.goto(options.path, { until: 'domcontentloaded', accept: READ_STATUSES })
  const html = await page.html()
  const failure = documentFailure(status, html)
  if (failure) throw failure
  // Without a script it will never ask for anything.
  if (!/<script\b/i.test(html)) throw emptyPage(html, 'the page has no script')
  await options.show?.(page)
  return answers
}

/** The first part, or why it can't be read; what the page shows may help then. */
async function firstOf<Row>(feed: Feed<Row>): Promise<PageOf<Row> | SourceChanged | null> {
  try {
    return await feed.next()
  } catch (error) {
    if (error instanceof SourceChanged) return error
    throw error
  }
}
