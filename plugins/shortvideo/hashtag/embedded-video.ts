/**
 * Videos in the forms of the site's embed pages.
 *
 * @module
 */
import { at, field, Nullable, reader, textOrNull, timeOf } from 'gleaner/plugin'
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

const rowAuthor = reader(Author, { username: field.text('authorUniqueId') })

/** Reads a row of a hashtag's embed page, which has no likes, no length and no author beside the name. */
export const embeddedRowOf = reader(Video, {
  video_id: videoId('id'),
  url: field.value(Video.properties.url, (row) => pageOf(at(row, 'authorUniqueId'), at(row, 'id'))),
  description: field.text('desc'),
  created_at: field.value(
    Video.properties.created_at,
    (row) => timeOf(at(row, 'createTime')) ?? timeIn(at(row, 'id')),
  ),
  width: size('width'),
  height: size('height'),
  cover_url: link('coverUrl', 'originCoverUrl'),
  play_count: field.integer('playCount'),
  author: field.value(Author, (row) => rowAuthor(row)),
  hashtags: field.value(Video.properties.hashtags, (row) =>
    distinct([...(textOrNull(at(row, 'desc')) ?? '').matchAll(WORD)].map(([, word = '']) => word)),
  ),
})

const postAuthor = reader(Author, {
  id: field.id('userId'),
  username: field.text('uniqueId'),
  nickname: field.text('nickName'),
  sec_uid: field.text('secUid'),
  avatar_url: link('covers.0'),
  verified: field.is('verified'),
})
const postStats = reader(Stats, {
  follower_count: field.integer('followerCount'),
  following_count: field.integer('followingCount'),
  like_count: field.integer('heartCount'),
  video_count: field.integer('videoCount'),
})
const postMusic = reader(Music, {
  id: field.id('musicId'),
  title: field.text('musicName'),
  author: field.text('authorName'),
  original: field.is('original'),
})

/** Reads the content of a post's embed page (`videoData`). */
export const embeddedPostOf = reader(Video, {
  video_id: videoId('itemInfos.id'),
  url: field.value(Video.properties.url, (post) =>
    pageOf(at(post, 'authorInfos', 'uniqueId'), at(post, 'itemInfos', 'id')),
  ),
  description: field.text('itemInfos.text'),
  created_at: field.time('itemInfos.createTime'),
  duration_seconds: size('itemInfos.video.videoMeta.duration'),
  width: size('itemInfos.video.videoMeta.width'),
  height: size('itemInfos.video.videoMeta.height'),
  cover_url: link('itemInfos.covers.0', 'itemInfos.coversOrigin.0'),
  play_count: field.integer('itemInfos.playCount'),
  like_count: field.integer('itemInfos.diggCount'),
  comment_count: field.integer('itemInfos.commentCount'),
  share_count: field.integer('itemInfos.shareCount'),
  author: field.value(Author, (post) => postAuthor(at(post, 'authorInfos'))),
  author_stats: field.value(Nullable(Stats), partOf('authorStats', postStats)),
  music: field.value(Nullable(Music), partOf('musicInfos', postMusic)),
  hashtags: names(['textExtra', 'HashtagName'], ['challengeInfoList', 'challengeName']),
  is_ad: field.is('itemInfos.isAd'),
  image_urls: images('imagePostInfo.images'),
})

/** A row of a hashtag's embed page, with what the post's own embed page adds to it. */
export function withPost(row: Video, post: Video): Video {
  const values = Object.entries(post).filter(([, value]) => value !== null)
  const hashtags = post.hashtags.length > 0 ? post.hashtags : row.hashtags
  const author = post.author.username === null ? row.author : post.author
  return { ...row, ...Object.fromEntries(values), video_id: row.video_id, hashtags, author }
}
