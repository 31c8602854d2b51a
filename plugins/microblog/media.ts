/**
 * Photos, videos and animated images of a post, and the card of a link or a poll.
 *
 * @module
 */
import {
  at,
  entriesAt,
  from,
  integerOrNull,
  Link,
  linkOrNull,
  Nullable,
  numberOrNull,
  reader,
  type Static,
  Type,
  textOrNull,
} from 'gleaner/plugin'

export const Media = Type.Object({
  type: from.text('type', 'photo, video or animated_gif.'),
  url: from.value(
    Nullable(Link({ description: 'For a video, the MP4 with the highest bit rate.' })),
    (one) => bestVideo(one) ?? linkOrNull(at(one, 'media_url_https')),
  ),
  width: from.integer('original_info.width'),
  height: from.integer('original_info.height'),
  alt_text: from.text('ext_alt_text'),
  duration_ms: from.integer('video_info.duration_millis'),
})
export type Media = Static<typeof Media>
const mediumOf = reader(Media)

/** The media of a post. @param legacy the post's `legacy` object */
export function mediaOf(legacy: unknown): Media[] {
  const extended = entriesAt(legacy, 'extended_entities', 'media')
  const media = extended.length > 0 ? extended : entriesAt(legacy, 'entities', 'media')
  return media.map((one) => mediumOf(one))
}

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

export const Card = Type.Object({
  name: Type.String({
    description: 'The kind of card, such as summary_large_image or poll2choice_text_only.',
  }),
  title: Nullable(Type.String()),
  description: Nullable(Type.String()),
  domain: Nullable(Type.String()),
  url: Nullable(Link({ description: 'The target of the card.' })),
  image_url: Nullable(Link()),
  choices: Type.Array(Type.Object({ label: Type.String(), votes: Nullable(Type.Integer()) }), {
    description: 'The choices of a poll.',
  }),
})
export type Card = Static<typeof Card>

/** Keys of images, largest first. */
const IMAGES = [
  'photo_image_full_size_original',
  'summary_photo_image_original',
  'thumbnail_image_original',
  'player_image_original',
]

/**
 * The card of a post; null when it has none. The card's URLs are shortened; the post's links contain the full URLs.
 */
export function cardOf(post: unknown): Card | null {
  const name = textOrNull(at(post, 'card', 'legacy', 'name'))
  if (name === null) return null
  const values = new Map(
    entriesAt(post, 'card', 'legacy', 'binding_values').map((one) => [at(one, 'key'), at(one, 'value')]),
  )
  const text = (key: string): string | null => textOrNull(at(values.get(key), 'string_value'))
  const image = IMAGES.map((key) => linkOrNull(at(values.get(key), 'image_value', 'url'))).find(Boolean)
  return {
    name: name.replace(/^\d+:/, ''),
    title: text('title'),
    description: text('description'),
    domain: text('vanity_url') ?? text('domain'),
    url: expanded(post, linkOrNull(text('card_url')) ?? linkOrNull(at(post, 'card', 'legacy', 'url'))),
    image_url: image ?? null,
    choices: [1, 2, 3, 4].flatMap((n) => {
      const label = text(`choice${n}_label`)
      return label === null ? [] : [{ label, votes: integerOrNull(text(`choice${n}_count`)) }]
    }),
  }
}

/** The target of a short URL, if the post's links contain it; otherwise the short URL. */
function expanded(post: unknown, short: string | null): string | null {
  const links = [
    ...entriesAt(post, 'legacy', 'entities', 'urls'),
    ...entriesAt(post, 'note_tweet', 'note_tweet_results', 'result', 'entity_set', 'urls'),
  ]
  const link = links.find((one) => at(one, 'url') === short)
  return linkOrNull(at(link, 'expanded_url')) ?? short
}
