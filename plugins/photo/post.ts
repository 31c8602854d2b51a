/**
 * Posts as an export has them, whatever answer they come from.
 *
 * @module
 */
import { SourceChanged } from 'gleaner/plugin'

export type Kind = 'image' | 'video'

/** One picture or video of a post. `file`, `bytes` and `sha256`: once it is in the archive. */
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
  /** why it is missing, or not what it should be */
  readonly error: string | null
}

/** What an answer says of a picture or video. */
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

/** What an answer says of a post; what follows from it is left to {@link postOf}. */
export type PostFacts = Omit<
  Post,
  'post_id' | 'shortcode' | 'url' | 'caption' | 'hashtags' | 'mentions' | 'media'
> & {
  readonly id: string | null
  readonly code: unknown
  readonly caption: unknown
  readonly media: readonly MediaFacts[]
  /** why there are fewer media than the post has */
  readonly fault?: string
}

/** A post with what only an export needs. */
export type ReadPost = {
  readonly post: Post
  /** the poster of a single video */
  readonly cover: string | null
  /** as the source wrote it */
  readonly raw: unknown
}

/**
 * A post, from what an answer says of it.
 *
 * @param origin of the public site
 * @throws {SourceChanged} when it has neither id nor shortcode
 */
export function postOf(
  { id, code, media, fault, ...facts }: PostFacts,
  raw: unknown,
  origin: string,
): ReadPost {
  const known = typeof code === 'string' && /^[\w-]{1,64}$/.test(code) ? code : null
  const shortcode = known ?? (id === null ? null : shortcodeOf(id))
  const post_id = id ?? (known === null ? null : idOf(known))
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

/** The media of a carousel; where the source does not name its parts, its cover stands for them. */
export const carouselOf = (
  parts: readonly MediaFacts[],
  own: MediaFacts,
): Pick<PostFacts, 'media' | 'fault'> =>
  parts.length > 0
    ? { media: parts }
    : {
        media: [{ ...own, kind: 'image', video_url: null }],
        fault: 'the source did not name the parts of this carousel: this is its cover',
      }

/** A video without an address is there with its poster. */
function mediaOf({ image_url, video_url, ...facts }: MediaFacts, index: number, fault: string | null): Media {
  const isLost = facts.kind === 'video' && video_url === null
  return {
    index,
    ...facts,
    source_url: facts.kind === 'video' ? (video_url ?? image_url) : image_url,
    file: null,
    bytes: null,
    sha256: null,
    error: fault ?? (isLost ? 'the source gave no address of the video: this is its poster' : null),
  }
}

/** A caption as it was written, blanks and all. */
const captionOf = (text: unknown): string | null =>
  typeof text === 'string' && text.trim() !== '' ? text.toWellFormed() : null

/** Not behind a letter (an e-mail address) or `&` (an entity). */
const HASHTAG = /(?<![\p{L}\p{N}_&/])#([\p{L}\p{M}\p{N}_]+)/gu
const MENTION = /(?<![\p{L}\p{N}_.&/])@([A-Za-z0-9_](?:[A-Za-z0-9._]{0,28}[A-Za-z0-9_])?)/gu

/** Hashtags or mentions without their sign, each once, in their order. */
function tagsIn(caption: string | null, sign: RegExp): string[] {
  const found = new Map<string, string>()
  for (const [, tag = ''] of caption?.matchAll(sign) ?? []) {
    const key = tag.toLowerCase()
    if (!found.has(key)) found.set(key, tag)
  }
  return [...found.values()]
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** A shortcode is the id in base 64. */
export function shortcodeOf(id: string): string {
  let code = ''
  for (let left = BigInt(id); left > 0n; left /= 64n) code = `${ALPHABET[Number(left % 64n)]}${code}`
  return code || 'A'
}

/** The id that a shortcode stands for. A longer one, of a private post, has a key behind its id. */
export function idOf(shortcode: string): string {
  let id = 0n
  for (const character of shortcode.slice(0, 11)) id = id * 64n + BigInt(ALPHABET.indexOf(character))
  return String(id)
}
