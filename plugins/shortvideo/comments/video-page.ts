/**
 * The comments in the page of a post, in a browser.
 *
 * @module
 */
import {
  at,
  type BrowserPage,
  type Context,
  integerOrNull,
  Restricted,
  SourceChanged,
  textOrNull,
} from 'gleaner/plugin'
import { inFreshPage } from '../browser/fresh.ts'
import { missingIn } from '../browser/obstacles.ts'
import { PageList } from '../browser/page-list.ts'
import { openState } from '../browser/state.ts'
import type { ReadPart } from '../list-part.ts'
import type { Post } from '../site.ts'
import { stateError } from '../statuses.ts'
import { type Comment, type CommentPart, commentsIn } from './comment.ts'
import { LIST, listQuery } from './plain-list.ts'

const SCOPE = 'webapp.video-detail'
const REQUESTS = /\/api\/comment\/list\/(?:\?|$)/
const ICON = '[data-e2e="comment-icon"]'
/** The timeout for the icon, in seconds: some pages show their comments without it. */
const ICON_S = 3
/** Selects the tab with the comments: after a click on the icon, they may be one of several tabs. */
const TAB = `[...document.querySelectorAll('[role="tab"], [class*="TabItem"], span[data-testid="tux-web-text"]')].find((tab) => /^\\s*comments\\b/i.test(tab.textContent))?.click()`

/** @param count the number of comments to ask for at once */
export function videoPage(
  context: Pick<Context, 'page' | 'pause' | 'note'>,
  { id, page: url }: Post,
  count: number,
): ReadPart<CommentPart> {
  const inPage = inFreshPage(context, async (page) => {
    const answers = page.answers(REQUESTS)
    const { state } = await openState(page, url, SCOPE)
    if (state === undefined) throw await missingIn(page, `the page has no ${SCOPE}`)
    const list = new PageList<Comment, CommentPart>({
      context,
      page,
      answers,
      show: () => show(page),
      shortest: (from) => `${LIST}?${new URLSearchParams(listQuery(id, count, from))}`,
      partOf: (json, from) => commentsIn(context, json, from),
    })
    return { shown: shownIn(state), list }
  })
  return (from) =>
    inPage(async ({ shown, list }) => {
      const { comments, hasList } = shown
      if (!hasList) return { from, rows: [], next: null, more: false, total: comments }
      const part = await list.at(from)
      if (!part) return null
      const isHidden = from === 0 && part.rows.length === 0
      return { ...part, total: part.total ?? comments, more: isHidden ? true : part.more }
    })
}

/** Shows the comments. The panel then requests several parts at once. */
async function show(page: BrowserPage): Promise<void> {
  await page.click(ICON, { timeoutS: ICON_S })
  await page.evaluate(TAB)
}

/** The number of comments of the page's post, and whether it has a list. @throws {SourceError} if it is not visible */
export function shownIn(detail: unknown): { readonly comments: number | null; readonly hasList: boolean } {
  const item = at(detail, 'itemInfo', 'itemStruct')
  const status = integerOrNull(at(detail, 'statusCode')) ?? 0
  if (status !== 0) throw stateError(status, textOrNull(at(detail, 'statusMsg')))
  if (typeof item !== 'object' || item === null) throw new SourceChanged('the page has no itemStruct')
  if (at(item, 'video') === undefined && at(item, 'isContentClassified') === true)
    throw new Restricted('the post is classified as sensitive')
  const comments =
    integerOrNull(at(item, 'statsV2', 'commentCount')) ?? integerOrNull(at(item, 'stats', 'commentCount'))
  // Any value other than 0 means that the author has turned comments off.
  const isOpen = (integerOrNull(at(item, 'itemCommentStatus')) ?? 0) === 0
  return { comments, hasList: isOpen && comments !== 0 }
}
