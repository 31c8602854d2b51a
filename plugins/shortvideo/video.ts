/**
 * Videos as items, read from the three forms in which the source has written them.
 *
 * @module
 */
import {
  at,
  entriesAt,
  from,
  integerOrNull,
  linkOrNull,
  Nullable,
  reader,
  type Static,
  Time,
  Type,
  textOrNull,
} from 'gleaner/plugin'
import { ORIGIN } from './site.ts'

const Count = () => Nullable(Type.Integer())
const Text = () => Nullable(Type.String())

/** The fields of an account in the form of comments and of the app's responses. */
export const AuthorFields = {
  id: from.id('uid'),
  username: from.text('unique_id'),
  nickname: from.text('nickname'),
  sec_uid: from.text('sec_uid'),
  avatar_url: from.text('avatar_thumb.url_list.0', 'Signed: it expires.', (value) => linkOrNull(value)),
}

const Author = Type.Object({ ...AuthorFields, verified: Type.Boolean() })
const Stats = Type.Object({
  follower_count: Count(),
  following_count: Count(),
  like_count: Count(),
  video_count: Count(),
})
const Music = Type.Object({
  id: Text(),
  title: Text(),
  author: Text(),
  original: Type.Boolean(),
  duration: Count(),
})

export const Video = Type.Object({
  video_id: Type.String(),
  url: Text(),
  description: Text(),
  created_at: Nullable(Time()),
  duration_seconds: Count(),
  width: Count(),
  height: Count(),
  cover_url: Nullable(Type.String({ description: 'Signed: it expires.' })),
  play_count: Count(),
  like_count: Count(),
  comment_count: Count(),
  share_count: Count(),
  collect_count: Count(),
  author: Author,
  author_stats: Nullable(Stats),
  music: Nullable(Music),
  hashtags: Type.Array(Type.String()),
  mentions: Type.Array(Type.String()),
  is_ad: Type.Boolean(),
  is_pinned: Type.Boolean(),
  image_urls: Nullable(Type.Array(Type.String(), { description: 'Of a photo post; null for a video.' })),
})
export type Video = Static<typeof Video>

/** The id of a video, which is required. */
const videoId = (way: string) => from.required(from.id(way), 'a video has no id')
const link = (...ways: string[]) => from.text(ways, undefined, (value) => linkOrNull(value))

/** Reads a nested object; null when the row has none. */
const partOf =
  <T>(way: string, read: (part: unknown) => T) =>
  (row: unknown): T | null => {
    const part = at(row, way)
    return typeof part === 'object' && part !== null ? read(part) : null
  }

/** The names in several lists, in order. Names that differ only in case count as duplicates. */
const names = (...lists: readonly (readonly [list: string, name: string, type?: number])[]) =>
  from.value(Type.Array(Type.String()), (row) => {
    const seen = new Map<string, string>()
    for (const [list, name, type] of lists)
      for (const entry of entriesAt(row, list)) {
        const text = type === undefined || at(entry, 'type') === type ? textOrNull(at(entry, name)) : null
        if (text !== null && !seen.has(text.toLowerCase())) seen.set(text.toLowerCase(), text)
      }
    return [...seen.values()]
  })

/** A count: the exact text in `…V2` if present, otherwise the rounded number. */
const count = (stats: string, ...fields: string[]) =>
  from.integer(fields.flatMap((name) => [`${stats}V2.${name}`, `${stats}.${name}`]))

const webStats = reader(Stats, {
  follower_count: count('authorStats', 'followerCount'),
  following_count: count('authorStats', 'followingCount'),
  like_count: count('authorStats', 'heartCount', 'heart'),
  video_count: count('authorStats', 'videoCount'),
})
const webAuthor = reader(Author, {
  id: from.id(['author.id', 'authorId']),
  username: from.text(['author.uniqueId', 'author']),
  nickname: from.text('author.nickname'),
  sec_uid: from.text('author.secUid'),
  avatar_url: link('author.avatarThumb'),
  verified: from.is('author.verified'),
})
const webMusic = reader(Music, {
  id: from.id('id'),
  title: from.text('title'),
  author: from.text('authorName'),
  original: from.is('original'),
  duration: from.integer('duration'),
})

/** Reads the current form of the web site: `itemStruct`, in lists and in the state of pages. */
export const webVideoOf = reader(Video, {
  video_id: videoId('id'),
  url: from.value(
    Video.properties.url,
    (item) => `${ORIGIN}/@${webAuthor(item).username ?? '_'}/video/${at(item, 'id')}`,
  ),
  description: from.text('desc'),
  created_at: from.time('createTime'),
  duration_seconds: from.integer('video.duration'),
  width: from.integer('video.width'),
  height: from.integer('video.height'),
  cover_url: link('video.cover', 'video.originCover'),
  play_count: count('stats', 'playCount'),
  like_count: count('stats', 'diggCount'),
  comment_count: count('stats', 'commentCount'),
  share_count: count('stats', 'shareCount'),
  collect_count: count('stats', 'collectCount'),
  author: from.value(Author, (item) => webAuthor(item)),
  author_stats: from.value(Nullable(Stats), (item) =>
    (at(item, 'authorStats') ?? at(item, 'authorStatsV2') ?? null) === null ? null : webStats(item),
  ),
  music: from.value(Nullable(Music), partOf('music', webMusic)),
  hashtags: names(['textExtra', 'hashtagName', 1], ['challenges', 'title']),
  mentions: names(['textExtra', 'userUniqueId', 0]),
  is_ad: from.is('isAd'),
  is_pinned: from.is('isPinnedItem'),
  image_urls: from.value(Video.properties.image_urls, (item) => {
    const images = at(item, 'imagePost', 'images')
    if (!Array.isArray(images)) return null
    return images.flatMap((image) => linkOrNull(at(image, 'imageURL', 'urlList', 0)) ?? [])
  }),
})

const appAuthor = reader(Author, {
  ...AuthorFields,
  // The label beside a verified account's name. An account without a label is not verified.
  verified: from.value(Type.Boolean(), (author) =>
    ['custom_verify', 'enterprise_verify_reason'].some((name) => textOrNull(at(author, name)) !== null),
  ),
})
const appMusic = reader(Music, {
  // `id` is a number beyond 2^53.
  id: from.text(['id_str', 'mid']),
  title: from.text('title'),
  author: from.text('author'),
  original: from.value(
    Type.Boolean(),
    (music) => (at(music, 'is_original_sound') ?? at(music, 'is_original')) === true,
  ),
  duration: from.integer('duration'),
})

/** Reads the form of the app's lists of 2021 (`aweme`). */
export const appVideoOf = reader(Video, {
  video_id: videoId('aweme_id'),
  url: from.text('share_url', undefined, (url) => linkOrNull(url)?.replace(/\?.*$/s, '') ?? null),
  description: from.text('desc'),
  created_at: from.time('create_time'),
  duration_seconds: from.integer('video.duration', undefined, (duration) => {
    const ms = integerOrNull(duration)
    return ms === null ? null : Math.round(ms / 1000)
  }),
  width: from.integer('video.play_addr.width'),
  height: from.integer('video.play_addr.height'),
  cover_url: link('video.cover.url_list.0', 'video.origin_cover.url_list.0'),
  play_count: from.integer('statistics.play_count'),
  like_count: from.integer('statistics.digg_count'),
  comment_count: from.integer('statistics.comment_count'),
  share_count: from.integer('statistics.share_count'),
  collect_count: from.integer('statistics.collect_count'),
  author: from.value(Author, (aweme) => appAuthor(at(aweme, 'author'))),
  music: from.value(Nullable(Music), partOf('music', appMusic)),
  hashtags: names(['text_extra', 'hashtag_name'], ['cha_list', 'cha_name']),
  is_ad: from.is('is_ads'),
  is_pinned: from.value(Type.Boolean(), (aweme) => at(aweme, 'is_top') === 1),
})

const shareAuthor = reader(Author, {
  id: from.id('userId'),
  username: from.text('uniqueId'),
  nickname: from.text('nickName'),
  sec_uid: from.text('secUid'),
  avatar_url: link('covers.0'),
  verified: from.is('verified'),
})
const shareStats = reader(Stats, {
  follower_count: from.integer('followerCount'),
  following_count: from.integer('followingCount'),
  like_count: from.integer('heartCount'),
  video_count: from.integer('videoCount'),
})
const shareMusic = reader(Music, {
  id: from.id('musicId'),
  title: from.text('musicName'),
  author: from.text('authorName'),
  original: from.is('original'),
})

/** Reads the form of the share lists of 2020 (`itemListData`). */
export const shareVideoOf = reader(Video, {
  video_id: videoId('itemInfos.id'),
  url: from.value(
    Video.properties.url,
    (entry) =>
      `${ORIGIN}/@${textOrNull(at(entry, 'authorInfos', 'uniqueId')) ?? '_'}/video/${at(entry, 'itemInfos', 'id')}`,
  ),
  description: from.text('itemInfos.text'),
  created_at: from.time('itemInfos.createTime'),
  duration_seconds: from.integer('itemInfos.video.videoMeta.duration'),
  width: from.integer('itemInfos.video.videoMeta.width'),
  height: from.integer('itemInfos.video.videoMeta.height'),
  cover_url: link('itemInfos.covers.0', 'itemInfos.coversOrigin.0'),
  play_count: from.integer('itemInfos.playCount'),
  like_count: from.integer('itemInfos.diggCount'),
  comment_count: from.integer('itemInfos.commentCount'),
  share_count: from.integer('itemInfos.shareCount'),
  author: from.value(Author, (entry) => shareAuthor(at(entry, 'authorInfos'))),
  author_stats: from.value(Nullable(Stats), partOf('authorStats', shareStats)),
  music: from.value(Nullable(Music), partOf('musicInfos', shareMusic)),
  hashtags: names(['textExtra', 'HashtagName'], ['challengeInfoList', 'challengeName']),
})
