/**
 * Videos as the share lists of 2020 wrote them (`itemListData`).
 *
 * @module
 */
import { at, entriesAt, idOrNull, integerOrNull, linkOrNull, textOrNull, timeOf } from 'gleaner/plugin'
import { ORIGIN } from './site.ts'
import { distinct, type Video, videoIdIn } from './video.ts'

/** @throws {SourceChanged} when it has no id */
export function shareVideoOf(entry: unknown): Video {
  const item = at(entry, 'itemInfos')
  const author = at(entry, 'authorInfos')
  const stats = at(entry, 'authorStats')
  const meta = at(item, 'video', 'videoMeta')
  const video_id = videoIdIn(idOrNull(at(item, 'id')))
  const username = textOrNull(at(author, 'uniqueId'))
  return {
    video_id,
    url: `${ORIGIN}/@${username ?? '_'}/video/${video_id}`,
    description: textOrNull(at(item, 'text')),
    created_at: timeOf(at(item, 'createTime')),
    duration_seconds: integerOrNull(at(meta, 'duration')),
    width: integerOrNull(at(meta, 'width')),
    height: integerOrNull(at(meta, 'height')),
    cover_url: linkOrNull(at(item, 'covers', 0)) ?? linkOrNull(at(item, 'coversOrigin', 0)),
    play_count: integerOrNull(at(item, 'playCount')),
    like_count: integerOrNull(at(item, 'diggCount')),
    comment_count: integerOrNull(at(item, 'commentCount')),
    share_count: integerOrNull(at(item, 'shareCount')),
    collect_count: null,
    author: {
      id: idOrNull(at(author, 'userId')),
      username,
      nickname: textOrNull(at(author, 'nickName')),
      sec_uid: textOrNull(at(author, 'secUid')),
      avatar_url: linkOrNull(at(author, 'covers', 0)),
      verified: at(author, 'verified') === true,
    },
    author_stats:
      typeof stats === 'object' && stats !== null
        ? {
            follower_count: integerOrNull(at(stats, 'followerCount')),
            following_count: integerOrNull(at(stats, 'followingCount')),
            like_count: integerOrNull(at(stats, 'heartCount')),
            video_count: integerOrNull(at(stats, 'videoCount')),
          }
        : null,
    music: musicOf(at(entry, 'musicInfos')),
    hashtags: distinct([
      ...entriesAt(entry, 'textExtra').map((one) => textOrNull(at(one, 'HashtagName'))),
      ...entriesAt(entry, 'challengeInfoList').map((one) => textOrNull(at(one, 'challengeName'))),
    ]),
    mentions: [],
    is_ad: false,
    is_pinned: false,
    image_urls: null,
  }
}

function musicOf(music: unknown): Video['music'] {
  if (typeof music !== 'object' || music === null) return null
  return {
    id: idOrNull(at(music, 'musicId')),
    title: textOrNull(at(music, 'musicName')),
    author: textOrNull(at(music, 'authorName')),
    original: at(music, 'original') === true,
    duration: null,
  }
}
