/**
 * `shortvideo.hashtag`: a hashtag and its videos.
 *
 * @module
 */
import {
  Cursor,
  defineTask,
  type Issue,
  Limit,
  Nullable,
  paged,
  routes,
  summaryOf,
  Type,
} from 'gleaner/plugin'
import { plainJson } from '../plain/requests.ts'
import { completing, embedPage } from './embed-page.ts'
import { DETAIL, detailQuery, Hashtag, hashtagOf, NAME } from './hashtag.ts'
import { tagPage } from './tag-page.ts'
import { Video } from './video.ts'
import { type Row, videoList } from './video-list.ts'

export const hashtag = defineTask({
  key: 'shortvideo.hashtag',
  path: '/v1/shortvideo/hashtag',
  title: 'Videos of a hashtag',
  description:
    'A TikTok hashtag with its counts, and its public videos, as far as the site shows them to visitors.',
  apiNotes: 'When `has_more` is true and `next_cursor` is set, there are more.',
  access:
    'Visitors see the first ten videos of a hashtag, with likes and lengths as long as the site gives them, and more where the page shows more without an account. A login can add the videos that the site lists for members only.',
  price: 5,
  input: Type.Object({
    hashtag: Type.String({ minLength: 1, maxLength: 200, description: 'With or without leading #.' }),
    cursor: Cursor({ max: 10_000_000, words: 'a zero-based offset as a string', insidePage: true }),
    max_videos: Limit(500),
  }),
  refine: hashtagIssues,
  summary: ({ hashtag = '', cursor }) =>
    summaryOf(`#${hashtag.replace(/^#/, '')}`, cursor && `from ${cursor}`),
  item: Video,
  extra: {
    hashtag: Nullable(Hashtag),
    has_more: Type.Boolean({
      default: false,
      description: 'Whether the source has more videos. Without a `next_cursor`, visitors cannot read them.',
    }),
  },
  example: { hashtag: 'lamps', max_videos: 30 },
  canary: [
    { hashtag: 'funny', max_videos: 5 },
    { hashtag: 'olympics', max_videos: 5 },
  ],
  needs: { browser: true, login: 'optional' },
  async *run(context, input) {
    const name = input.hashtag.replace(/^#/, '')
    const shared = !context.signedIn
    let hashtag: Hashtag | undefined
    const embed = embedPage(context, name)
    const page = tagPage(context, name, () => hashtag)
    const find = routes<string, Hashtag>(context, [
      {
        name: 'detail',
        read: async () => hashtagOf(await plainJson(context, DETAIL, detailQuery(name))),
        shared,
      },
      { name: 'embed-tag', read: embed.hashtag, shared },
      { name: 'tag-page', read: page.hashtag, shared },
    ])
    hashtag = await find(name)
    const { read, isCutOff } = videoList(context, embed, page, hashtag)
    const complete = completing(context)
    const rows = paged<Row>({
      context,
      cursor: input.cursor,
      first: '0',
      limit: input.max_videos,
      noun: 'video',
      read,
      key: ({ video }) => video.video_id,
    })
    for (;;) {
      const { value, done } = await rows.next()
      if (done) return { next_cursor: value, has_more: value !== null || isCutOff(), hashtag: hashtag }
      yield value.isEmbedded ? await complete(value.video) : value.video
    }
  },
})

const HASHTAG = new RegExp(`^#?${NAME}$`, 'u')

function hashtagIssues({ hashtag }: { readonly hashtag?: string | undefined }): Issue[] {
  if (hashtag === undefined || HASHTAG.test(hashtag)) return []
  const detail = 'must be one hashtag: letters, digits, _ and emoji, with or without a leading #'
  return [{ pointer: '/hashtag', code: 'no-hashtag', detail }]
}
