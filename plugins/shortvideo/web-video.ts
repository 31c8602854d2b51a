/**
 * Videos as the web site writes them today: `itemStruct`, in lists and in the state of pages.
 *
 * @module
 */
import { at, entriesAt, idOrNull, integerOrNull, linkOrNull, textOrNull, timeOf } from 'gleaner/plugin'
import { ORIGIN } from './site.ts'
import { distinct, type Video, videoIdIn } from './video.ts'

/** @throws {SourceChanged} when it has no id */
export function webVideoOf(item: unknown): Video {
  const video_id = videoIdIn(idOrNull(at(item, 'id')))
  const username = textOrNull(at(item, 'author', 'uniqueId')) ?? textOrNull(at(item, 'author'))
  const video = at(item, 'video')
  const extra = entriesAt(item, 'textExtra')
  return {
    video_id,
    url: `${ORIGIN}/@${username ?? '_'}/video/${video_id}`,
    description: textOrNull(at(item, 'desc')),
    created_at: timeOf(at(item, 'createTime')),
    duration_seconds: integerOrNull(at(video, 'duration')),
    width: integerOrNull(at(video, 'width')),
    height: integerOrNull(at(video, 'height')),
    cover_url: linkOrNull(at(video, 'cover')) ?? linkOrNull(at(video, 'originCover')),
    play_count: countOf(item, 'stats', 'playCount'),
    like_count: countOf(item, 'stats', 'diggCount'),
    comment_count: countOf(item, 'stats', 'commentCount'),
    share_count: countOf(item, 'stats', 'shareCount'),
    collect_count: countOf(item, 'stats', 'collectCount'),
    author: {
      id: idOrNull(at(item, 'author', 'id')) ?? idOrNull(at(item, 'authorId')),
      username,
      nickname: textOrNull(at(item, 'author', 'nickname')),
      sec_uid: textOrNull(at(item, 'author', 'secUid')),
      avatar_url: linkOrNull(at(item, 'author', 'avatarThumb')),
      verified: at(item, 'author', 'verified') === true,
    },
    author_stats: authorStatsOf(item),
    music: musicOf(at(item, 'music')),
    hashtags: distinct([
      ...extra.filter((one) => at(one, 'type') === 1).map((one) => textOrNull(at(one, 'hashtagName'))),
      ...entriesAt(item, 'challenges').map((one) => textOrNull(at(one, 'title'))),
    ]),
    mentions: distinct(
      extra.filter((one) => at(one, 'type') === 0).map((one) => textOrNull(at(one, 'userUniqueId'))),
    ),
    is_ad: at(item, 'isAd') === true,
    is_pinned: at(item, 'isPinnedItem') === true,
    image_urls: imagesOf(at(item, 'imagePost', 'images')),
  }
}

/** A count from the exact texts of `…V2` where they are, else from the rounded numbers. */
function countOf(item: unknown, stats: 'stats' | 'authorStats', name: string): number | null {
  return integerOrNull(at(item, `${stats}V2`, name)) ?? integerOrNull(at(item, stats, name))
}

function authorStatsOf(item: unknown): Video['author_stats'] {
  if (at(item, 'authorStats') === undefined && at(item, 'authorStatsV2') === undefined) return null
  return {
    follower_count: countOf(item, 'authorStats', 'followerCount'),
    following_count: countOf(item, 'authorStats', 'followingCount'),
    like_count: countOf(item, 'authorStats', 'heartCount') ?? countOf(item, 'authorStats', 'heart'),
    video_count: countOf(item, 'authorStats', 'videoCount'),
  }
}

function musicOf(music: unknown): Video['music'] {
  if (typeof music !== 'object' || music === null) return null
  return {
    id: idOrNull(at(music, 'id')),
    title: textOrNull(at(music, 'title')),
    author: textOrNull(at(music, 'authorName')),
    original: at(music, 'original') === true,
    duration: integerOrNull(at(music, 'duration')),
  }
}

function imagesOf(images: unknown): string[] | null {
  if (!Array.isArray(images)) return null
  return images.flatMap((image) => linkOrNull(at(image, 'imageURL', 'urlList', 0)) ?? [])
}
