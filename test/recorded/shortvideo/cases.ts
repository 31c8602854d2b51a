/** The recorded answers, each behind a sample page that requests it like the site's own page. */

import { comments } from '../../../plugins/shortvideo/comments.ts'
import { documentOf, listAt, listPath } from '../../../plugins/shortvideo/fixtures/sample.ts'
import { hashtag } from '../../../plugins/shortvideo/hashtag.ts'
import source from '../../../plugins/shortvideo/source.ts'
import { type RecordedCase, type RecordedCases, recordedIn } from '../recordings.ts'

const video = { url: 'https://www.tiktok.com/@a/video/7603296357641735445' }
const tag = { hashtag: 'olympian' }
const state = (html: string): string =>
  /<script[^>]*__UNIVERSAL_DATA_FOR_REHYDRATION__[^>]*>([\s\S]*?)<\/script>/.exec(html)?.[1] ?? ''
const json = (text = 'null') => JSON.parse(text)
const web = 'comment_list_web_2026-02_page1.json'

const list: RecordedCase[] = [
  {
    task: comments,
    input: video,
    files: [web],
    exchanges: (list) => [documentOf('comments'), listAt('comments', 0, json(list))],
  },
  {
    name: 'comments of the app of 2021, from an offset on',
    task: comments,
    input: { ...video, cursor: '20' },
    files: [web, 'comment_list_app_2021-08_following_page.json'],
    exchanges: (first, list) => [
      documentOf('comments'),
      listAt('comments', 0, json(first)),
      listAt('comments', 20, json(list)),
    ],
  },
  {
    name: 'replies of the app of 2021, as a preview below their comment',
    task: comments,
    input: video,
    files: ['comment_list_app_2021-08_following_page.json', 'comment_reply_list_app_2021-08_page1.json'],
    exchanges(text, replies) {
      const list = json(text)
      list.comments[0].reply_comment = json(replies).comments
      return [documentOf('comments'), listAt('comments', 0, list)]
    },
  },
  {
    name: 'the state of a video page of 2025',
    task: comments,
    input: { username: '@x', video_id: '7571863205253778710' },
    files: ['video_page_2025-12_universal_data.html', web],
    exchanges: (page = '', list) => [documentOf('comments', state(page)), listAt('comments', 0, json(list))],
  },
  {
    task: comments,
    input: video,
    files: ['error_empty_body_http200.txt'],
    exchanges: (body = '') =>
      [1, 2, 3].flatMap(() => [documentOf('comments'), { request: listPath('comments'), body }]),
    ends: 'source-blocked',
  },
  {
    task: comments,
    input: video,
    files: ['error_verify_slide_captcha_2020-08.html'],
    exchanges: (body = '') => [documentOf('comments'), { request: listPath('comments'), body }],
    ends: 'source-blocked',
  },
  {
    name: 'videos of the web of 2025',
    task: hashtag,
    input: { hashtag: '#funny' },
    files: [
      'hashtag_challenge_with_stats_list_web_2020.json',
      'web_item_list_envelope_2025-10_user_posts.json',
    ],
    exchanges: (pairs, list) => [
      documentOf('hashtag', { statusCode: 0, challengeInfo: json(pairs)[0] }),
      listAt('hashtag', 0, json(list)),
    ],
  },
  {
    name: 'videos of the web of 2026',
    task: hashtag,
    input: tag,
    files: ['web_general_search_2026-02_item_structs.json'],
    exchanges(text) {
      const found: { type: number; item: unknown }[] = json(text).data
      const itemList = found.filter(({ type }) => type === 1).map(({ item }) => item)
      return [
        documentOf('hashtag'),
        listAt('hashtag', 0, { statusCode: 0, itemList, hasMore: false, cursor: '12' }),
      ]
    },
  },
  {
    name: 'a hashtag and videos of the app of 2021',
    task: hashtag,
    input: tag,
    files: ['hashtag_detail_app_2021-08_olympian.json', 'hashtag_videos_app_2021-08_olympian_page.json'],
    exchanges: (detail, list) => [documentOf('hashtag', json(detail)), listAt('hashtag', 0, json(list))],
  },
  {
    name: 'videos of the share pages of 2020',
    task: hashtag,
    input: { hashtag: 'funny' },
    files: ['hashtag_videos_legacy_share_2020-06_funny_first12.json'],
    exchanges: (list) => [
      documentOf('hashtag'),
      listAt('hashtag', 0, { statusCode: 0, itemListData: json(list), hasMore: false }),
    ],
  },
  {
    task: hashtag,
    input: { hashtag: '14_birthday' },
    files: ['error_hashtag_not_found_statusCode10202.json'],
    exchanges: (detail) => [
      documentOf('hashtag', json(detail)),
      listAt('hashtag', 0, { statusCode: 0, hasMore: false }),
    ],
    ends: 'not-found',
  },
]

const folder = new URL('../../../../shared/sources/shortvideo/recorded/', import.meta.url)
export const cases: RecordedCases = { source, recordings: recordedIn(folder), cases: list }
