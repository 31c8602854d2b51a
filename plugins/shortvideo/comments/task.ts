/**
 * `shortvideo.comments`: the comments of a video.
 *
 * @module
 */
import {
  Cursor,
  defineTask,
  Limit,
  Nullable,
  paged,
  refusalOf,
  routes,
  summaryOf,
  Type,
} from 'gleaner/plugin'
import { withTrueEnd } from '../list-part.ts'
import { linkedPost } from '../plain/short-link.ts'
import { nameOf, postIssues, postOf } from '../site.ts'
import { AMBIGUOUS, stateError } from '../statuses.ts'
import { Comment, type CommentPart } from './comment.ts'
import { plainList } from './plain-list.ts'
import { videoPage } from './video-page.ts'

/** The number of comments to ask for at once: for one page of the source, and for more. */
const PAGE = 20
const MOST = 50
const keyOf = ({ comment_id }: Comment): string => comment_id

export const comments = defineTask({
  key: 'shortvideo.comments',
  path: '/v1/shortvideo/comments',
  title: 'Comments of a video',
  description:
    'Public comments of one TikTok video or photo post, as far as the site shows them to visitors.',
  apiNotes:
    'When `has_more` is true and `next_cursor` is set, there are more. Replies are limited to `reply_count` and `replies_preview`.',
  access:
    'Visitors see the comments that the site shows without an account, for most posts some hundred to some thousand. A login adds posts and comments that the site shows to members only.',
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
  refine: postIssues,
  summary: ({ cursor, ...names }) => summaryOf(nameOf(names), cursor && `from ${cursor}`),
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
  // The video in the site's documentation of embeds, and the one with the most likes.
  canary: [
    { url: 'https://www.tiktok.com/@scout2015/video/6718335390845095173', max_comments: 5 },
    { url: 'https://www.tiktok.com/@bellapoarch/video/6862153058223197445', max_comments: 5 },
  ],
  needs: { browser: true, login: 'optional' },
  async *run(context, input) {
    const target = postOf(input)
    if (!target) throw new TypeError('refine lets nothing else pass')
    const post = 'link' in target ? await linkedPost(context, target.link) : target
    // A cursor inside a page must find the whole page again.
    const isOnePage = (input.max_comments ?? 0) <= PAGE && !input.cursor?.includes('+')
    const count = isOnePage ? PAGE : MOST
    const plain = plainList(context, post.id, count)
    const shared = !context.signedIn
    const read = routes<number, CommentPart | null>(
      context,
      [
        { name: 'list', read: withTrueEnd(plain.read, keyOf), shared },
        { name: 'video-page', read: withTrueEnd(videoPage(context, post, count), keyOf), shared },
      ],
      {
        later: 'any',
        end: (refusals) => (plain.isMissing() ? stateError(AMBIGUOUS, null) : refusalOf(refusals)),
      },
    )
    let total: number | null = null
    let isCutOff = false
    const next_cursor = yield* paged<Comment>({
      context,
      cursor: input.cursor,
      first: '0',
      limit: input.max_comments,
      noun: 'comment',
      key: keyOf,
      endsOnRepeat: true,
      async read(position) {
        const part = await read(Number(position))
        isCutOff = part === null || part.more === true
        if (!part) return null
        total = part.total ?? total
        const next = part.more === false ? null : part.next
        return { rows: part.rows, next: next === null ? null : String(next) }
      },
    })
    return { next_cursor, has_more: next_cursor !== null || isCutOff, video_id: post.id, total }
  },
})
