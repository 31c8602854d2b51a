/**
 * Images and videos of a post.
 *
 * @module
 */
import {
  at,
  Choice,
  entriesAt,
  integerOrNull,
  Link,
  Nullable,
  numberOrNull,
  type Static,
  Type,
  textOrNull,
} from 'gleaner/plugin'
import { linkOf } from './values.ts'

export const Media = Type.Object({
  type: Choice(['image', 'animated_image', 'video', 'embed'], undefined, {
    description: '`embed` is a video or page of another site; its `url` is the page.',
  }),
  url: Link(),
  width: Nullable(Type.Integer({ description: 'In pixels.' })),
  height: Nullable(Type.Integer({ description: 'In pixels.' })),
  duration: Nullable(Type.Number({ description: 'In seconds.' })),
})
export type Media = Static<typeof Media>

/** The media in the post's order. A crosspost has the media of the original post. @param post `data` of the post */
export function mediaOf(post: unknown, origin: string): Media[] {
  const own = ownMedia(post, origin)
  return own.length > 0 ? own : ownMedia(at(post, 'crosspost_parent_list', 0), origin)
}

function ownMedia(post: unknown, origin: string): Media[] {
  const media = at(post, 'secure_media') ?? at(post, 'media')
  const gallery = galleryOf(post, origin)
  if (gallery.length > 0) return gallery
  const video = at(media, 'reddit_video')
  if (video) return mediumAt('video', linkOf(at(video, 'fallback_url'), origin), video)
  const embed = at(media, 'oembed')
  if (embed) return mediumAt('embed', linkOf(at(embed, 'url') ?? at(post, 'url'), origin), embed)
  return imageOf(post, origin)
}

/** The images of a gallery that the site has finished processing, in the gallery's order. */
function galleryOf(post: unknown, origin: string): Media[] {
  return entriesAt(post, 'gallery_data', 'items').flatMap((item) => {
    const entry = at(post, 'media_metadata', textOrNull(at(item, 'media_id')) ?? '')
    if (at(entry, 'status') !== 'valid') return []
    const full = at(entry, 's')
    const url = at(full, 'u') ?? at(full, 'gif') ?? at(full, 'mp4')
    const type = at(entry, 'e') === 'AnimatedImage' ? 'animated_image' : 'image'
    return mediumAt(type, linkOf(url, origin), { width: at(full, 'x'), height: at(full, 'y') })
  })
}

/** The image of a post that links to an image. The preview of any other linked page does not belong to the post. */
function imageOf(post: unknown, origin: string): Media[] {
  const link = linkOf(at(post, 'url_overridden_by_dest') ?? at(post, 'url'), origin)
  const hasImageName = link !== null && /\.(?:jpe?g|png|gif|webp)$/i.test(new URL(link).pathname)
  if (at(post, 'post_hint') !== 'image' && !hasImageName) return []
  const preview = at(post, 'preview', 'images', 0)
  const animated = at(preview, 'variants', 'gif', 'source')
  const full = animated ?? at(preview, 'source')
  return mediumAt(animated ? 'animated_image' : 'image', linkOf(at(full, 'url'), origin) ?? link, full)
}

function mediumAt(type: Media['type'], url: string | null, measures: unknown): Media[] {
  if (url === null) return []
  const width = integerOrNull(at(measures, 'width'))
  const height = integerOrNull(at(measures, 'height'))
  return [{ type, url, width, height, duration: numberOrNull(at(measures, 'duration')) }]
}
