/**
 * `shortvideo.comments`: the comments of a video.
 *
 * @module
 */
import {
  at,
  type BrowserPage,
  Cursor,
  defineTask,
  integerOrNull,
  Limit,
  NotFound,
  Nullable,
  Private,
  Restricted,
  SourceChanged,
  Type,
  textOrNull,
} from 'gleaner/plugin'
import { missingIn } from './block-pages.ts'
import { collect } from './collect.ts'
import { Comment, commentsOf } from './comment.ts'
import { Feed } from './feed.ts'
import { videoIdOf, videoIssues, videoPageOf } from './site.ts'
import { openState } from './state.ts'

const LIST = /\/api\/comment\/list\/(?:\?|$)/
const ICON = '[data-e2e="comment-icon"]'
/** The timeout for the icon, in seconds: some pages show their comments without it. */
const ICON_S = 3
/** Selects the tab with the comments: after a click on the icon, they may be one of several tabs. */
const TAB = `[...document.querySelectorAll('[role="tab"], [class*="TabItem"]')].find((tab) => /^\\s*comments\\b/i.test(tab.textContent))?.click()`
/** Scrolls the last comment into view, whichever element scrolls the list. */
const LAST = `[...document.querySelectorAll('[data-e2e^="comment-level-1"], [class*="DivCommentItem"]')].at(-1)?.scrollIntoView()`

export const comments = defineTask({
  key: 'shortvideo.comments',
  path: '/v1/shortvideo/comments',
  title: 'Comments of a video',
  description:
    'Public comments of one TikTok video or photo post, as far as the site shows them to visitors. When `has_more` is true and `next_cursor` is set, there are more. Replies are limited to `reply_count` and `replies_preview`.',
  price: 5,
  input: Type.Object({
    url: Type.Optional(Type.String({ maxLength: 2000, description: 'The public address of the video.' })),
    username: Type.Optional(
      Type.String({
        pattern: '^@?[A-Za-z0-9._]{1,64}$',
        'x-must-be': 'a user name, with or without @',
        description: 'Required with `video_id` when `url` is not sent.',
      }),
    ),
    video_id: Type.Optional(
      Type.String({
        pattern: '^\\d{1,20}$',
        'x-must-be': 'the number of a video as a string',
        description: 'Required with `username` when `url` is not sent.',
      }),
    ),
    cursor: Cursor({ max: 10_000_000, words: 'a zero-based offset as a string', insidePage: true }),
    max_comments: Limit(500),
  }),
  refine: videoIssues,
  item: Comment,
  extra: {
    video_id: Nullable(Type.String()),
    total: Nullable(
      Type.Integer({
        description: 'The total number of comments including replies, as the source counts them.',
      }),
    ),
    has_more: Type.Boolean({
      default: false,
      description:
        'Whether the source has more comments. Without a `next_cursor`, visitors cannot read them.',
    }),
  },
  example: { url: 'https://www.tiktok.com/@lamplighter/video/7300000000000000001', max_comments: 30 },
  needs: { browser: true },
  async *run(context, input) {
    const video = videoPageOf(input)
    if (!video) throw new TypeError('refine lets nothing else pass')
    let total: number | null = null
    let video_id = video.id
    const collected = yield* collect({
      context,
      cursor: input.cursor,
      limit: input.max_comments,
      key: ({ comment_id }) => comment_id,
      noun: 'comments',
      rowsOf(json) {
        const list = commentsOf(json)
        total = list.total ?? total
        return list
      },
      async open(page) {
        const answers = page.answers(LIST)
        const { state, url } = await openState(page, video.url, 'webapp.video-detail')
        video_id ??= videoIdOf(new URL(url).pathname)
        if (video_id === null) throw new NotFound('the link does not lead to a video')
        if (state === undefined) throw await missingIn(page, 'the page has no webapp.video-detail')
        const shown = videoOf(state)
        total ??= shown.comments
        const first = `/api/comment/list/?aid=1988&app_name=tiktok_web&aweme_id=${video_id}&count=20&cursor=0`
        return shown.hasList
          ? new Feed({ page, answers, first, show: (isFirst) => show(page, isFirst) })
          : null
      },
    })
    return { ...collected, video_id, total }
  },
})

async function show(page: BrowserPage, isFirst: boolean): Promise<void> {
  if (isFirst) await page.click(ICON, { timeoutS: ICON_S })
  await page.evaluate(TAB)
  if (isFirst) return
  await page.evaluate(LAST)
  await page.scroll()
}

/** The number of comments of the page's video, and whether it has a list. @throws {SourceError} if it is not visible */
export function videoOf(detail: unknown): { readonly comments: number | null; readonly hasList: boolean } {
  const status = integerOrNull(at(detail, 'statusCode')) ?? 0
  const words = `${status}: ${textOrNull(at(detail, 'statusMsg')) ?? 'no video'}`
  if (status === 10216 || status === 10222) throw new Private(words)
  if (status !== 0) throw new NotFound(words)
  const item = at(detail, 'itemInfo', 'itemStruct')
  if (typeof item !== 'object' || item === null) throw new SourceChanged('the page has no itemStruct')
  if (at(item, 'video') === undefined && at(item, 'isContentClassified') === true)
    throw new Restricted('the video is classified as sensitive')
  const comments =
    integerOrNull(at(item, 'statsV2', 'commentCount')) ?? integerOrNull(at(item, 'stats', 'commentCount'))
  // Any value other than 0 means that the author has turned comments off.
  const open = (integerOrNull(at(item, 'itemCommentStatus')) ?? 0) === 0
  return { comments, hasList: open && comments !== 0 }
}
