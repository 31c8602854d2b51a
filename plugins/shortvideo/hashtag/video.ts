/**
 * Videos as items, and what the readers of their forms share.
 *
 * @module
 */
import {
  at,
  entriesAt,
  field,
  integerOrNull,
  linkOrNull,
  Nullable,
  type Static,
  Time,
  Type,
  textOrNull,
} from 'gleaner/plugin'
import { ORIGIN } from '../site.ts'

const Count = () => Nullable(Type.Integer())
const Text = () => Nullable(Type.String())

export const Author = Type.Object({
  id: Text(),
  username: Text(),
  nickname: Text(),
  sec_uid: Text(),
  avatar_url: Nullable(Type.String({ description: 'Signed: it expires.' })),
  verified: Type.Boolean(),
})
export const Stats = Type.Object({
  follower_count: Count(),
  following_count: Count(),
  like_count: Count(),
  video_count: Count(),
})
export const Music = Type.Object({
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
export const videoId = (path: string) => field.required(field.id(path), 'a video has no id')
export const link = (...paths: string[]) => field.text(paths, undefined, (value) => linkOrNull(value))

/** A length or size. Photo posts have 0. */
export const size = (path: string) => field.integer(path, undefined, (value) => integerOrNull(value) || null)

/** The images of a photo post; null for a video. */
export const images = (path: string) =>
  field.value(Video.properties.image_urls, (row) => {
    const list = at(row, ...path.split('.'))
    if (!Array.isArray(list)) return null
    return list.flatMap((image) => linkOrNull(at(image, 'imageURL', 'urlList', 0)) ?? [])
  })

/** The public page of a post. */
export const pageOf = (username: unknown, id: unknown): string =>
  `${ORIGIN}/@${textOrNull(username) ?? '_'}/video/${id}`

/** Reads a nested object; null when the row has none. */
export const partOf =
  <T>(path: string, read: (part: unknown) => T) =>
  (row: unknown): T | null => {
    const part = at(row, path)
    return typeof part === 'object' && part !== null ? read(part) : null
  }

/** Names in their order. Those that differ only in case count as duplicates. */
export const distinct = (names: readonly string[]): string[] => {
  const byLowerCase = new Map<string, string>()
  for (const name of names) byLowerCase.set(name.toLowerCase(), byLowerCase.get(name.toLowerCase()) ?? name)
  return [...byLowerCase.values()]
}

/** The distinct names in several lists. */
export const names = (...lists: readonly (readonly [list: string, name: string, type?: number])[]) =>
  field.value(Type.Array(Type.String()), (row) =>
    distinct(
      lists.flatMap(([list, name, type]) =>
        entriesAt(row, list)
          .filter((entry) => type === undefined || at(entry, 'type') === type)
          .flatMap((entry) => textOrNull(at(entry, name)) ?? []),
      ),
    ),
  )
