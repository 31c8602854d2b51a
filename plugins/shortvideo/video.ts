/**
 * Videos as items: the fields that every way of writing them is brought to.
 *
 * @module
 */
import { Nullable, SourceChanged, type Static, Time, Type } from 'gleaner/plugin'
import { AuthorFields } from './person.ts'

const Count = () => Nullable(Type.Integer())

export const Video = Type.Object({
  video_id: Type.String(),
  url: Nullable(Type.String()),
  description: Nullable(Type.String()),
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
  author: Type.Object({ ...AuthorFields, verified: Type.Boolean() }),
  author_stats: Nullable(
    Type.Object({
      follower_count: Count(),
      following_count: Count(),
      like_count: Count(),
      video_count: Count(),
    }),
  ),
  music: Nullable(
    Type.Object({
      id: Nullable(Type.String()),
      title: Nullable(Type.String()),
      author: Nullable(Type.String()),
      original: Type.Boolean(),
      duration: Count(),
    }),
  ),
  hashtags: Type.Array(Type.String()),
  mentions: Type.Array(Type.String()),
  is_ad: Type.Boolean(),
  is_pinned: Type.Boolean(),
  image_urls: Nullable(Type.Array(Type.String(), { description: 'Of a photo post; null for a video.' })),
})
export type Video = Static<typeof Video>

/** The id of an entry. @throws {SourceChanged} when it has none: an entry that can't be told from others is no item */
export function videoIdIn(id: string | null): string {
  if (id === null) throw new SourceChanged('a video has no id')
  return id
}

/** Names without repeats, whatever case they are written in, in their order. */
export function distinct(names: readonly (string | null)[]): string[] {
  const seen = new Map<string, string>()
  for (const name of names)
    if (name !== null && !seen.has(name.toLowerCase())) seen.set(name.toLowerCase(), name)
  return [...seen.values()]
}
