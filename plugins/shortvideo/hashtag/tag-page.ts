/**
 * The page of a hashtag, in a browser.
 *
 * @module
 */
import {
  type Answers,
  type BrowserPage,
  type Context,
  entriesAt,
  NotFound,
  SourceError,
} from 'gleaner/plugin'
import { askIn } from '../browser/ask.ts'
import { inFreshPage } from '../browser/fresh.ts'
import { missingIn } from '../browser/obstacles.ts'
import { PageList } from '../browser/page-list.ts'
import { openState } from '../browser/state.ts'
import type { Part, ReadPart } from '../list-part.ts'
import { jsonOf } from '../refusals.ts'
import { bareHashtag, DETAIL, detailQuery, type Hashtag, hashtagIn, hashtagOf, tagUrl } from './hashtag.ts'
import type { Video } from './video.ts'
import { videosIn } from './web-video.ts'

const SCOPE = 'webapp.challenge-detail'
const DETAILS = /\/api\/challenge\/detail\/(?:\?|$)/
const LISTS = /\/api\/challenge\/item_list\/(?:\?|$)/
/** Whether the page was rendered with its videos. It then requests no list. */
const RENDERED = `Boolean(document.querySelector('[data-e2e="challenge-item"]'))`
/** The page has two variants, by chance. It is loaded this often to get the one that requests its list. */
const MOST_LOADS = 3
/** Whether the page says so in its visible text: its scripts may contain the words for any hashtag. */
const IS_UNKNOWN = `/Couldn.t find this hashtag/i.test(document.body?.innerText ?? '')`
/** An element inside the page scrolls, not the window. */
const END = `[...document.querySelectorAll('[data-e2e="challenge-item"]')].at(-1)?.scrollIntoView()`

export type TagPage = {
  readonly hashtag: () => Promise<Hashtag>
  readonly videos: ReadPart<Part<Video>>
}

type TagView = {
  readonly page: BrowserPage
  readonly details: Answers
  readonly list: PageList<Video, Part<Video>>
  /** by the page's state */
  readonly hashtag: Hashtag | null
  /** the number of the hashtag, as far as the page names it */
  readonly id: string | undefined
}

/** Opens the page when it is first needed. @param hashtagSoFar the hashtag, if other routes have it */
export function tagPage(
  context: Pick<Context, 'page' | 'pause' | 'note'>,
  name: string,
  hashtagSoFar: () => Hashtag | undefined,
): TagPage {
  const inPage = inFreshPage(context, open)

  async function open(page: BrowserPage): Promise<TagView> {
    const details = page.answers(DETAILS)
    const answers = page.answers(LISTS)
    for (let load = 1; ; load++) {
      const { state, html } = await openState(page, tagUrl(name), SCOPE)
      const hashtag = hashtagIn(state)
      if (!hashtag && !hashtagSoFar()) await mustBeKnown(page)
      const id = hashtag?.hashtag_id ?? /challenge\/detail\/(\d+)/.exec(html)?.[1]
      const list = new PageList<Video, Part<Video>>({
        context,
        page,
        answers,
        scroll: () => scroll(page),
        shortest: (from) =>
          `/api/challenge/item_list/?${listQuery(hashtagSoFar()?.hashtag_id ?? id ?? '', from)}`,
        partOf: (json, from) => videosIn(context, json, from),
      })
      if (entriesAt(state, 'itemList').length > 0) list.add(embeddedIn(state))
      const hasBegun = await list.hasBegun()
      if (!hasBegun && load < MOST_LOADS && (await page.evaluate(RENDERED)) === true) continue
      return { page, details, list, hashtag, id }
    }
  }

  /** The first part of the list, from the state. It goes on, unless the state says that it does not. */
  function embeddedIn(state: unknown): Part<Video> {
    const part = videosIn(context, { hasMore: true, ...(state as object) }, 0)
    return { ...part, next: part.next ?? part.rows.length }
  }

  /** The hashtag of a page whose state has none: from the page's own request, or from ours in its place. */
  async function requestHashtag({ page, details, id }: TagView): Promise<Hashtag> {
    const reply = await details.next({ timeoutS: 1 })
    try {
      const query = new URLSearchParams(detailQuery(name))
      const body = reply && reply.status < 400 ? await reply.text() : await askIn(page, `${DETAIL}?${query}`)
      if (body !== null) return hashtagOf(jsonOf(body))
    } catch (error) {
      if (!(error instanceof SourceError) || error.isFinal || error instanceof NotFound) throw error
    }
    if (id !== undefined) return bareHashtag(id, name.toLowerCase())
    // A script may have written these words since the page was opened.
    await mustBeKnown(page)
    throw await missingIn(page, 'the page names no hashtag')
  }

  return {
    hashtag: () => inPage(async (view) => view.hashtag ?? requestHashtag(view)),
    videos: (from) => inPage(({ list }) => list.at(from)),
  }
}

async function mustBeKnown(page: BrowserPage): Promise<void> {
  if ((await page.evaluate(IS_UNKNOWN)) === true) throw new NotFound("Couldn't find this hashtag")
}

const listQuery = (id: string, from: number) =>
  new URLSearchParams({ aid: '1988', challengeID: id, count: '30', cursor: String(from) })

/** Scrolls the page for the next part. It requests the first part as it loads. */
async function scroll(page: BrowserPage): Promise<void> {
  await page.evaluate(END)
  if (!(await page.scroll({ selector: 'main' }))) await page.scroll()
}
