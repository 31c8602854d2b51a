/**
 * Videos in the form of the site's own lists (`itemStruct`).
 *
 * @module
 */
import { at, type Context, entriesAt, field, Nullable, reader, readRows, SourceChanged } from 'gleaner/plugin'
import { followingIn, type Part } from '../list-part.ts'
import { listError } from '../statuses.ts'
import { UNKNOWN } from './hashtag.ts'
import { Author, images, link, Music, names, pageOf, partOf, Stats, size, Video, videoId } from './video.ts'

/** A count: the exact text in `…V2` if present, otherwise the rounded number. */
const count = (stats: string, ...fields: string[]) =>
  field.integer(fields.flatMap((name) => [`${stats}V2.${name}`, `${stats}.${name}`]))

const webStats = reader(Stats, {
  follower_count: count('authorStats', 'followerCount'),
  following_count: count('authorStats', 'followingCount'),
  like_count: count('authorStats', 'heartCount', 'heart'),
  video_count: count('authorStats', 'videoCount'),
})
const webAuthor = reader(Author, {
  id: field.id('author.id'),
  username: field.text('author.uniqueId'),
  nickname: field.text('author.nickname'),
  sec_uid: field.text('author.secUid'),
  avatar_url: link('author.avatarThumb'),
  verified: field.is('author.verified'),
})
const webMusic = reader(Music, {
  id: field.id('id'),
  title: field.text('title'),
  author: field.text('authorName'),
  original: field.is('original'),
  duration: field.integer('duration'),
})

const webVideoOf = reader(Video, {
  video_id: videoId('id'),
  url: field.value(Video.properties.url, (item) => pageOf(at(item, 'author', 'uniqueId'), at(item, 'id'))),
  description: field.text('desc'),
  created_at: field.time('createTime'),
  duration_seconds: size('video.duration'),
  width: size('video.width'),
  height: size('video.height'),
  cover_url: link('video.cover', 'video.originCover'),
  play_count: count('stats', 'playCount'),
  like_count: count('stats', 'diggCount'),
  comment_count: count('stats', 'commentCount'),
  share_count: count('stats', 'shareCount'),
  collect_count: count('stats', 'collectCount'),
  author: field.value(Author, (item) => webAuthor(item)),
  author_stats: field.value(Nullable(Stats), (item) =>
    (at(item, 'authorStats') ?? at(item, 'authorStatsV2') ?? null) === null ? null : webStats(item),
  ),
  music: field.value(Nullable(Music), partOf('music', webMusic)),
  hashtags: names(['textExtra', 'hashtagName', 1], ['challenges', 'title']),
  mentions: names(['textExtra', 'userUniqueId', 0]),
  is_ad: field.is('isAd'),
  is_pinned: field.is('isPinnedItem'),
  image_urls: images('imagePost.images'),
})

/**
 * Reads a response or a part of a page's state with a part of a hashtag's list.
 *
 * @param first the position of its first video
 * @throws {SourceError} the error of its status
 * @throws {SourceChanged} for any other response
 */
export function videosIn(context: Pick<Context, 'note'>, json: unknown, first: number): Part<Video> {
  const error = listError(json, UNKNOWN)
  if (error) throw error
  const following = followingIn(json, first)
  // An empty list may be omitted, but the rest of the envelope is present.
  if (!Array.isArray(at(json, 'itemList')) && following.more === null)
    throw new SourceChanged('the response has no list of videos')
  return {
    from: first,
    rows: readRows(context, entriesAt(json, 'itemList'), (item) => webVideoOf(item)),
    ...following,
  }
}
