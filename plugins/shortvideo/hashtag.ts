/**
 * `shortvideo.hashtag`: a hashtag and its videos.
 *
 * @module
 */
import {
  type Answers,
  at,
  type BrowserPage,
  Cursor,
  defineTask,
  entriesAt,
  type Issue,
  integerOrNull,
  Limit,
  Nullable,
  Type,
} from 'gleaner/plugin'
import { askIn, jsonOf, missingIn } from './block-pages.ts'
import { Hashtag, hashtagOf, tagUrl, videosOf } from './challenge.ts'
import { collect } from './collect.ts'
import { Feed } from './feed.ts'
import { ORIGIN } from './site.ts'
import { openState } from './state.ts'
import { Video } from './video.ts'

const DETAIL = /\/api\/challenge\/detail\/(?:\?|$)/
const LIST = /\/api\/challenge\/item_list\/(?:\?|$)/
const END = 'window.scrollTo(0, document.documentElement.scrollHeight)'
/** The timeout for the page's request for its hashtag, in seconds. Pages whose state contains the hashtag make none. */
const DETAIL_S = 8

export const hashtag = defineTask({
  key: 'shortvideo.hashtag',
  path: '/v1/shortvideo/hashtag',
  title: 'Videos of a hashtag',
  description:
    'A TikTok hashtag with its counts, and its public videos, as far as the site shows them to visitors. When `has_more` is true and `next_cursor` is set, there are more.',
  price: 5,
  input: Type.Object({
    hashtag: Type.String({ minLength: 1, maxLength: 200, description: 'With or without leading #.' }),
    cursor: Cursor({ max: 10_000_000, words: 'a zero-based offset as a string', insidePage: true }),
    max_videos: Limit(500),
  }),
  refine: hashtagIssues,
  item: Video,
  extra: {
    hashtag: Nullable(Hashtag),
    has_more: Type.Boolean({
      default: false,
      description: 'Whether the source has more videos. Without a `next_cursor`, visitors cannot read them.',
    }),
  },
  example: { hashtag: 'lamps', max_videos: 30 },
  needs: { browser: true },
  async *run(context, input) {
    const name = input.hashtag.replace(/^#/, '')
    let found: Hashtag | null = null
    const collected = yield* collect({
      context,
      cursor: input.cursor,
      limit: input.max_videos,
      key: ({ video_id }) => video_id,
      noun: 'videos',
      rowsOf: videosOf,
      async open(page) {
        const details = page.answers(DETAIL)
        const lists = page.answers(LIST)
        const { state } = await openState(page, tagUrl(name), 'webapp.challenge-detail')
        const tag = hashtagOf(state) ?? (await detailOf(page, details, name))
        found = tag
        const first = `/api/challenge/item_list/?aid=1988&app_name=tiktok_web&challengeID=${tag.hashtag_id}&count=30&cursor=0`
        return new Feed({
          page,
          answers: lists,
          first,
          embedded: embeddedIn(state),
          show: (isFirst) => show(page, isFirst),
        })
      },
    })
    return { ...collected, hashtag: found }
  },
})

/** The hashtag of a page whose state has none: from the page's own request or, if it makes none, from ours. */
async function detailOf(page: BrowserPage, details: Answers, name: string): Promise<Hashtag> {
  const reply = await details.next({ timeoutS: DETAIL_S })
  const query = new URLSearchParams({
    aid: '1988',
    app_name: 'tiktok_web',
    challengeName: name.toLowerCase(),
  })
  const url = new URL(`/api/challenge/detail/?${query}`, ORIGIN)
  const body = reply && reply.status < 400 ? await reply.text() : await askIn(page, url)
  const found = body === null ? null : hashtagOf(jsonOf(body))
  if (!found) throw await missingIn(page, 'the page names no hashtag')
  return found
}

/** The first part of the list, which some pages have in their state; undefined for other pages. */
function embeddedIn(state: unknown): unknown {
  const itemList = entriesAt(state, 'itemList')
  if (itemList.length === 0) return undefined
  return {
    itemList,
    hasMore: at(state, 'hasMore') ?? true,
    cursor: integerOrNull(at(state, 'cursor')) ?? itemList.length,
  }
}

/** Scrolls the page for the next part. It requests the first part as it loads. */
async function show(page: BrowserPage, isFirst: boolean): Promise<void> {
  if (isFirst) return
  await page.evaluate(END)
  await page.scroll()
}

/** Letters, digits, _ and emoji, with the joiners that some scripts and emoji contain. */
const HASHTAG =
  /^#?[\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}_\u200c\u200d]+$/u

function hashtagIssues({ hashtag }: { readonly hashtag?: string | undefined }): Issue[] {
  if (hashtag === undefined || HASHTAG.test(hashtag)) return []
  const detail = 'must be one hashtag: letters, digits, _ and emoji, with or without a leading #'
  return [{ pointer: '/hashtag', code: 'no-hashtag', detail }]
}
