/**
 * Videos as the app's lists of 2021 write them (`aweme`).
 *
 * @module
 */
import { at, entriesAt, idOrNull, integerOrNull, linkOrNull, textOrNull, timeOf } from 'gleaner/plugin'
import { appAuthorOf } from './person.ts'
import { distinct, type Video, videoIdIn } from './video.ts'

/** @throws {SourceChanged} when it has no id */
export function appVideoOf(aweme: unknown): Video {
  const video = at(aweme, 'video')
  const extra = entriesAt(aweme, 'text_extra')
  const count = (name: string) => integerOrNull(at(aweme, 'statistics', name))
  const ms = integerOrNull(at(video, 'duration'))
  return {
    video_id: videoIdIn(idOrNull(at(aweme, 'aweme_id'))),
    url: linkOrNull(at(aweme, 'share_url'))?.replace(/\?.*$/s, '') ?? null,
    description: textOrNull(at(aweme, 'desc')),
    created_at: timeOf(at(aweme, 'create_time')),
    duration_seconds: ms === null ? null : Math.round(ms / 1000),
    width: integerOrNull(at(video, 'play_addr', 'width')),
    height: integerOrNull(at(video, 'play_addr', 'height')),
    cover_url:
      linkOrNull(at(video, 'cover', 'url_list', 0)) ?? linkOrNull(at(video, 'origin_cover', 'url_list', 0)),
    play_count: count('play_count'),
    like_count: count('digg_count'),
    comment_count: count('comment_count'),
    share_count: count('share_count'),
    collect_count: count('collect_count'),
    author: { ...appAuthorOf(at(aweme, 'author')), verified: verified(at(aweme, 'author')) },
    author_stats: null,
    music: musicOf(at(aweme, 'music')),
    hashtags: distinct([
      ...extra.map((one) => textOrNull(at(one, 'hashtag_name'))),
      ...entriesAt(aweme, 'cha_list').map((one) => textOrNull(at(one, 'cha_name'))),
    ]),
    mentions: [],
    is_ad: at(aweme, 'is_ads') === true,
    is_pinned: at(aweme, 'is_top') === 1,
    image_urls: null,
  }
}

/** The words that stand beside a checked account's name; an account without any is not checked. */
const verified = (author: unknown): boolean =>
  [at(author, 'custom_verify'), at(author, 'enterprise_verify_reason')].some(
    (word) => textOrNull(word) !== null,
  )

function musicOf(music: unknown): Video['music'] {
  if (typeof music !== 'object' || music === null) return null
  return {
    // `id` is a number beyond 2^53.
    id: textOrNull(at(music, 'id_str')) ?? textOrNull(at(music, 'mid')),
    title: textOrNull(at(music, 'title')),
    author: textOrNull(at(music, 'author')),
    original: (at(music, 'is_original_sound') ?? at(music, 'is_original')) === true,
    duration: integerOrNull(at(music, 'duration')),
  }
}
