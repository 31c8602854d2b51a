/**
 * Videos in the forms of the site's embed pages.
 *
 * @module
 */
import { at, from, Nullable, reader, textOrNull, timeOf } from 'gleaner/plugin'
import { NAME } from './hashtag.ts'
import {
  Author,
  distinct,
  images,
  link,
  Music,
  names,
  pageOf,
  partOf,
  Stats,
  size,
  Video,
  videoId,
} from './video.ts'

const WORD = new RegExp(`#(${NAME})`, 'gu')

/** The time in the upper 32 bits of a post's number, up to a minute before the real one; null for other ids. */
function timeIn(id: unknown): string | null {
  const text = typeof id === 'number' ? String(id) : textOrNull(id)
  const seconds = text !== null && /^\d{1,20}$/.test(text) ? Number(BigInt(text) >> 32n) : 0
  return seconds > 0 ? timeOf(seconds) : null
}

const rowAuthor = reader(Author, { username: from.text('authorUniqueId') })

/** Reads a row of a hashtag's embed page, which has no likes, no length and no author beside the name. */
export const embeddedRowOf = reader(Video, {
  video_id: videoId('id'),
  url: from.value(Video.properties.url, (row) => pageOf(at(row, 'authorUniqueId'), at(row, 'id'))),
  description: from.text('desc'),
  created_at: from.value(
    Video.properties.created_at,
    (row) => timeOf(at(row, 'createTime')) ?? timeIn(at(row, 'id')),
  ),
  width: size('width'),
  height: size('height'),
  cover_url: link('coverUrl', 'originCoverUrl'),
  play_count: from.integer('playCount'),
  author: from.value(Author, (row) => rowAuthor(row)),
  hashtags: from.value(Video.properties.hashtags, (row) =>
    distinct([...(textOrNull(at(row, 'desc')) ?? '').matchAll(WORD)].map(([, word = '']) => word)),
  ),
})

const postAuthor = reader(Author, {
  id: from.id('userId'),
  username: from.text('uniqueId'),
  nickname: from.text('nickName'),
  sec_uid: from.text('secUid'),
  avatar_url: link('covers.0'),
  verified: from.is('verified'),
})
const postStats = reader(Stats, {
  follower_count: from.integer('followerCount'),
  following_count: from.integer('followingCount'),
  like_count: from.integer('heartCount'),
  video_count: from.integer('videoCount'),
})
const postMusic = reader(Music, {
  id: from.id('musicId'),
  title: from.text('musicName'),
  author: from.text('authorName'),
  original: from.is('original'),
})

/** Reads the content of a post's embed page (`videoData`). */
export const embeddedPostOf = reader(Video, {
  video_id: videoId('itemInfos.id'),
  url: from.value(Video.properties.url, (post) =>
    pageOf(at(post, 'authorInfos', 'uniqueId'), at(post, 'itemInfos', 'id')),
  ),
  description: from.text('itemInfos.text'),
  created_at: from.time('itemInfos.createTime'),
  duration_seconds: size('itemInfos.video.videoMeta.duration'),
  width: size('itemInfos.video.videoMeta.width'),
  height: size('itemInfos.video.videoMeta.height'),
  cover_url: link('itemInfos.covers.0', 'itemInfos.coversOrigin.0'),
  play_count: from.integer('itemInfos.playCount'),
  like_count: from.integer('itemInfos.diggCount'),
  comment_count: from.integer('itemInfos.commentCount'),
  share_count: from.integer('itemInfos.shareCount'),
  author: from.value(Author, (post) => postAuthor(at(post, 'authorInfos'))),
  author_stats: from.value(Nullable(Stats), partOf('authorStats', postStats)),
  music: from.value(Nullable(Music), partOf('musicInfos', postMusic)),
  hashtags: names(['textExtra', 'HashtagName'], ['challengeInfoList', 'challengeName']),
  is_ad: from.is('itemInfos.isAd'),
  image_urls: images('imagePostInfo.images'),
})

/** A row of a hashtag's embed page, with what the post's own embed page adds to it. */
export function withPost(row: Video, post: Video): Video {
  const added = Object.entries(post).filter(([, value]) => value !== null)
  const hashtags = post.hashtags.length > 0 ? post.hashtags : row.hashtags
  const author = post.author.username === null ? row.author : post.author
  return { ...row, ...Object.fromEntries(added), video_id: row.video_id, hashtags, author }
}
