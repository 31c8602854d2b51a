/**
 * Photos, videos and animated images of a post.
 *
 * @module
 */
import {
  at,
  entriesAt,
  field,
  Link,
  linkOrNull,
  Nullable,
  numberOrNull,
  reader,
  type Static,
  Type,
} from 'gleaner/plugin'

export const Media = Type.Object({
  type: field.text('type', 'photo, video or animated_gif.'),
  url: field.value(
    Nullable(Link({ description: 'For a video, the MP4 with the highest bit rate.' })),
    (one) => bestVideo(one) ?? linkOrNull(at(one, 'media_url_https')),
  ),
  width: field.integer('original_info.width'),
  height: field.integer('original_info.height'),
  alt_text: field.text('ext_alt_text'),
  duration_ms: field.integer('video_info.duration_millis'),
})
export type Media = Static<typeof Media>
const mediumOf = reader(Media)

/** The lists of a post that may hold its media, the most complete one first. */
const LISTS = [['legacy', 'extended_entities', 'media'], ['legacy', 'entities', 'media'], ['media_entities2']]

/** The media of a post as the site sends them. */
export const mediaIn = (post: unknown): readonly unknown[] =>
  LISTS.map((way) => entriesAt(post, ...way)).find((list) => list.length > 0) ?? []

export const mediaOf = (post: unknown): Media[] => mediaIn(post).map((one) => mediumOf(one))

/** The MP4 variant with the highest bit rate. An animated image has one variant, with bit rate 0. */
function bestVideo(one: unknown): string | null {
  const videos = entriesAt(one, 'video_info', 'variants')
    .filter((variant) => at(variant, 'content_type') === 'video/mp4')
    .map((variant) => ({
      url: linkOrNull(at(variant, 'url')),
      rate: numberOrNull(at(variant, 'bitrate')) ?? 0,
    }))
    .sort((a, b) => b.rate - a.rate)
  return videos[0]?.url ?? null
}
