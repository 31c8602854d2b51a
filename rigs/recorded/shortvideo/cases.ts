/** The recorded and made answers, as the site gives them now: by plain requests, or in a page. */

import type { Exchange } from 'gleaner/plugin/testing'
import { scopeOf } from '../../../plugins/shortvideo/browser/state.ts'
import { comments } from '../../../plugins/shortvideo/comments/task.ts'
import { embedHtml, tagPage, videoPage } from '../../../plugins/shortvideo/fixtures/sample.ts'
import { hashtag } from '../../../plugins/shortvideo/hashtag/task.ts'
import source from '../../../plugins/shortvideo/source.ts'
import { type RecordedCase, type RecordedCases, recordedIn } from '../recordings.ts'

/** Files without a case, each with the reason. */
export const WITHOUT_CASE: Readonly<Record<string, string>> = {
  'recorded/INDEX.json': 'the list of the recordings',
  'recorded/hashtag_detail_app_2021-08_olympian.json': 'the app’s addresses answer nobody but the app now',
  'recorded/hashtag_videos_app_2021-08_olympian_page.json': 'the same',
}

const WEB = 'recorded/comment_list_web_2026-02_page1.json'
const APP = 'recorded/comment_list_app_2021-08_following_page.json'
const VERIFY = 'recorded/error_verify_slide_captcha_2020-08.html'
const EMPTY = 'recorded/error_empty_body_http200.txt'
const PLAIN = 'made/comment_list_plain.made.json'
const END = 'made/comment_list_past_the_end.made.json'
const DETAIL = 'made/challenge_detail.made.json'
const EMBED_TAG = 'made/embed_tag.made.html'
const EMBED_POST = 'made/embed_v2.made.html'
const EMBED_PHOTO = 'made/embed_v2_photo.made.html'

/** A page that shows its comments without a click. */
const BY_ITSELF = { body: '', script: 'load()' }
const HTML = { 'content-type': 'text/html; charset=utf-8' }
const post = (video_id: string) => ({ username: 'a', video_id })
const lamps = '7703609545779030529'
const photos = '7703631020615510530'
const json = (text = 'null') => JSON.parse(text)
const list = (cursor: number, body = ''): Exchange => ({
  request: `/api/comment/list/?cursor=${cursor}`,
  body,
})
const page = (request: string, body = ''): Exchange => ({ request, headers: HTML, body })
const detail = (body = ''): Exchange => ({ request: '/api/challenge/detail/', body })
const videos = (content: unknown): Exchange => ({
  request: '/api/challenge/item_list/?cursor=0',
  json: content,
})
/** What the plain requests for a hashtag meet before its page is opened. */
const noEmbed: Exchange = { request: '/embed/tag/*', status: 403, body: 'Access Denied' }

const all: RecordedCase[] = [
  {
    name: 'comments of the web of 2026',
    task: comments,
    input: post('7603296357641735445'),
    files: [WEB],
    exchanges: (body) => [list(0, body)],
  },
  {
    name: 'comments of the app of 2021, in the same form, from an offset on',
    task: comments,
    input: { ...post('6993829555089706245'), cursor: '20' },
    files: [APP],
    exchanges: (body) => [list(20, body)],
  },
  {
    name: 'replies of the app of 2021, as a preview below their comment',
    task: comments,
    input: post('6993829555089706245'),
    files: [APP, 'recorded/comment_reply_list_app_2021-08_page1.json'],
    exchanges(text, replies) {
      const answer = json(text)
      answer.comments[0].reply_comment = json(replies).comments
      return [list(0, JSON.stringify(answer))]
    },
  },
  {
    name: 'comments by a plain request, with an early has_more 0',
    task: comments,
    input: { ...post(lamps), max_comments: 30 },
    files: [PLAIN, END],
    exchanges: (first, end) => [list(0, first), list(20, end)],
  },
  {
    name: 'a post of photos without comments',
    task: comments,
    input: post(photos),
    files: [END, EMBED_PHOTO],
    exchanges: (none, embed) => [list(0, none), page(`/embed/v2/${photos}`, embed)],
  },
  {
    name: 'the state of a video page of 2025',
    task: comments,
    input: post('7571863205253778710'),
    files: ['recorded/video_page_2025-12_universal_data.html', EMPTY, WEB],
    exchanges: (html, refused, body) => [
      list(0, refused),
      videoPage(scopeOf(html ?? '', 'webapp.video-detail'), { id: '7571863205253778710', ...BY_ITSELF }),
      list(0, body),
    ],
  },
  {
    name: 'a page under a login dialog',
    task: comments,
    input: post(lamps),
    files: ['made/login_dialog_page.made.html', EMPTY],
    exchanges: (html, refused) => [list(0, refused), page('/*/video/*', html), list(0, refused)],
    ends: 'source-login-required',
  },
  {
    name: 'a post that is not available, by the embed page, with a page behind a script challenge',
    task: comments,
    input: post(lamps),
    files: [END, 'made/embed_v2_error.made.html', 'made/challenge_page.made.html'],
    exchanges: (none, embed, challenge) => [
      list(0, none),
      page(`/embed/v2/${lamps}`, embed),
      ...[1, 2].map(() => page('/*/video/*', challenge)),
    ],
    ends: 'not-found',
  },
  {
    name: 'a captcha, in plain requests and in the page',
    task: comments,
    input: post(lamps),
    files: [VERIFY],
    exchanges: (body) => [list(0, body), videoPage(undefined, { id: lamps }), list(0, body)],
    ends: 'source-blocked',
  },
  {
    name: 'an empty body, in plain requests and in the page',
    task: comments,
    input: post(lamps),
    files: [EMPTY],
    exchanges: (body) => [list(0, body), ...[1, 2].map(() => page('/*/video/*', body))],
    ends: 'source-blocked',
  },
  {
    name: 'a hashtag with its first videos and their posts',
    task: hashtag,
    input: { hashtag: 'lampfold' },
    files: [DETAIL, EMBED_TAG, EMBED_POST, EMBED_PHOTO],
    exchanges: (challenge, tag, one, two) => [
      detail(challenge),
      page('/embed/tag/lampfold', tag),
      page(`/embed/v2/${lamps}`, one),
      page(`/embed/v2/${photos}`, two),
    ],
  },
  {
    name: 'a hashtag’s page with its list in the state',
    task: hashtag,
    input: { hashtag: 'lampfold' },
    files: [EMPTY, 'made/tag_page_state_list.made.html'],
    exchanges: (refused, html) => [detail(refused), noEmbed, page('/tag/lampfold', html)],
  },
  {
    name: 'a hashtag of 2020, and a video of the web of 2025',
    task: hashtag,
    input: { hashtag: '#funny' },
    files: [
      'recorded/hashtag_challenge_with_stats_list_web_2020.json',
      'recorded/web_item_list_envelope_2025-10_user_posts.json',
    ],
    exchanges: (pairs, body) => [
      detail(JSON.stringify({ statusCode: 0, challengeInfo: json(pairs)[0] })),
      noEmbed,
      tagPage(undefined, { name: 'funny' }),
      videos(json(body)),
    ],
  },
  {
    name: 'videos of the web of 2026',
    task: hashtag,
    input: { hashtag: 'lampfold', cursor: '0', max_videos: 30 },
    files: [DETAIL, 'recorded/web_general_search_2026-02_item_structs.json'],
    exchanges(challenge, text) {
      const results: { type: number; item: unknown }[] = json(text).data
      const itemList = results.filter(({ type }) => type === 1).map(({ item }) => item)
      return [
        detail(challenge),
        noEmbed,
        tagPage(undefined, { name: 'lampfold' }),
        videos({ statusCode: 0, itemList, hasMore: false, cursor: '12' }),
      ]
    },
  },
  {
    name: 'posts of the share pages of 2020, whose form the embed pages have now',
    task: hashtag,
    input: { hashtag: 'funny', max_videos: 12 },
    files: [DETAIL, 'recorded/hashtag_videos_legacy_share_2020-06_funny_first12.json'],
    exchanges(challenge, text) {
      const posts: { itemInfos: { id: string; text: string }; authorInfos: { uniqueId: string } }[] =
        json(text)
      const videoList = posts.map(({ itemInfos, authorInfos }) => ({
        id: itemInfos.id,
        desc: itemInfos.text,
        authorUniqueId: authorInfos.uniqueId,
      }))
      const embedInfo = { id: '5424', title: 'funny', videoCount: '12' }
      return [
        detail(challenge),
        page('/embed/tag/funny', embedHtml('/embed/tag/funny', { embedInfo, videoList })),
        ...posts.map((videoData) => {
          const path = `/embed/v2/${videoData.itemInfos.id}`
          return page(path, embedHtml(path, { videoData }))
        }),
      ]
    },
  },
  ...['recorded/error_hashtag_not_found_statusCode10202.json', 'made/challenge_detail_unknown.made.json'].map(
    (file): RecordedCase => ({
      task: hashtag,
      input: { hashtag: '14_birthday' },
      files: [file],
      exchanges: (body) => [detail(body)],
      ends: 'not-found',
    }),
  ),
]

const folder = new URL('../../../../shared/sources/shortvideo/', import.meta.url)
const recordings = recordedIn(folder)
export const cases: RecordedCases = {
  source,
  recordings: { ...recordings, files: () => recordings.files().filter((file) => file !== 'README.md') },
  cases: all,
}
