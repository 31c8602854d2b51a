/**
 * Posts in the form of an export, independent of the form of the response.
 *
 * @module
 */
import { SourceChanged } from 'gleaner/plugin'
import { captionOf, HASHTAG, MENTION, tagsIn } from './caption.ts'
import { idOf, shortcodeOf } from './shortcode.ts'

export type Kind = 'image' | 'video'

/** An image or video of a post. `file`, `bytes` and `sha256` are set once it is in the archive. */
export type Media = {
  /** from 1 */
  readonly index: number
  readonly kind: Kind
  readonly source_id: string | null
  readonly width: number | null
  readonly height: number | null
  readonly duration_seconds: number | null
  readonly source_url: string | null
  readonly file: string | null
  readonly bytes: number | null
  readonly sha256: string | null
  /** why it is missing or replaced */
  readonly error: string | null
}

/** The facts of an image or video, from a response. */
export type MediaFacts = Pick<Media, 'kind' | 'source_id' | 'width' | 'height' | 'duration_seconds'> & {
  readonly image_url: string | null
  readonly video_url: string | null
}

export type Post = {
  readonly post_id: string
  readonly shortcode: string
  readonly url: string
  readonly type: Kind | 'carousel'
  readonly product_type: string | null
  readonly taken_at: string | null
  readonly caption: string | null
  readonly hashtags: readonly string[]
  readonly mentions: readonly string[]
  readonly like_count: number | null
  readonly comment_count: number | null
  readonly view_count: number | null
  readonly owner: { readonly id: string | null; readonly username: string | null }
  readonly coauthors: readonly string[]
  readonly tagged_users: readonly string[]
  readonly location: { readonly id: string | null; readonly name: string | null } | null
  readonly accessibility_caption: string | null
  readonly is_pinned: boolean
  readonly media: readonly Media[]
}

/** The facts of a post, from a response. {@link postOf} derives the other fields. */
export type PostFacts = Omit<
  Post,
  'post_id' | 'shortcode' | 'url' | 'caption' | 'hashtags' | 'mentions' | 'media'
> & {
  readonly id: string | null
  readonly code: unknown
  readonly caption: unknown
  readonly media: readonly MediaFacts[]
  /** why media of the post are missing */
  readonly fault?: string
}

/** A post with additional data for the export. */
export type ReadPost = {
  readonly post: Post
  /** the poster of a single video */
  readonly cover: string | null
  /** as the source wrote it */
  readonly raw: unknown
}

/**
 * A post, from the facts in a response.
 *
 * @param origin the origin of the public site
 * @throws {SourceChanged} when it has neither id nor shortcode
 */
export function postOf(
  { id, code, media, fault, ...facts }: PostFacts,
  raw: unknown,
  origin: string,
): ReadPost {
  const validCode = typeof code === 'string' && /^[\w-]{1,64}$/.test(code) ? code : null
  const shortcode = validCode ?? (id === null ? null : shortcodeOf(id))
  const post_id = id ?? (validCode === null ? null : idOf(validCode))
  if (shortcode === null || post_id === null) throw new SourceChanged('a post has no id')
  const caption = captionOf(facts.caption)
  const { type, product_type } = facts
  return {
    post: {
      post_id,
      shortcode,
      url: `${origin}/${product_type === 'clips' ? 'reel' : 'p'}/${shortcode}/`,
      type,
      product_type,
      taken_at: facts.taken_at,
      caption,
      hashtags: tagsIn(caption, HASHTAG),
      mentions: tagsIn(caption, MENTION),
      like_count: facts.like_count,
      comment_count: facts.comment_count,
      view_count: facts.view_count,
      owner: facts.owner,
      coauthors: facts.coauthors,
      tagged_users: facts.tagged_users,
      location: facts.location,
      accessibility_caption: facts.accessibility_caption,
      is_pinned: facts.is_pinned,
      media: media.map((one, i) => mediaOf(one, i + 1, fault ?? null)),
    },
    cover: type === 'video' && media[0]?.video_url ? media[0].image_url : null,
    raw,
  }
}

/** The media of a carousel. If the source does not list its parts, the cover is used instead. */
export const carouselOf = (
  parts: readonly MediaFacts[],
  own: MediaFacts,
): Pick<PostFacts, 'media' | 'fault'> =>
  parts.length > 0
    ? { media: parts }
    : {
        media: [{ ...own, kind: 'image', video_url: null }],
        fault: 'the source did not list the parts of this carousel: this is its cover',
      }

/** A medium of a post. A video without a URL is replaced by its poster. */
function mediaOf({ image_url, video_url, ...facts }: MediaFacts, index: number, fault: string | null): Media {
  const isLost = facts.kind === 'video' && video_url === null
  return {
    index,
    ...facts,
    source_url: facts.kind === 'video' ? (video_url ?? image_url) : image_url,
    file: null,
    bytes: null,
    sha256: null,
    error: fault ?? (isLost ? 'the source gave no URL of the video: this is its poster' : null),
  }
}
