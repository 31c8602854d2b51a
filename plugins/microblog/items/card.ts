/**
 * The card of a post: of a link, a poll or an article.
 *
 * @module
 */
import {
  at,
  entriesAt,
  field,
  idOrNull,
  integerOrNull,
  Link,
  linkOrNull,
  Nullable,
  reader,
  type Static,
  Type,
  textOrNull,
} from 'gleaner/plugin'
import { linksOf } from './texts.ts'

export const Card = Type.Object({
  name: Type.String({
    description: 'The kind of card, such as summary_large_image, poll2choice_text_only or article.',
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

/** Keys of images, largest first; the last two are those of polls. */
const IMAGES = [
  'photo_image_full_size_original',
  'summary_photo_image_original',
  'thumbnail_image_original',
  'player_image_original',
  'image_original',
  'image',
]

/**
 * The card of a post; null when it has none. The card's URLs are shortened; the post's links contain the full URLs.
 */
export function cardOf(post: unknown): Card | null {
  const name = textOrNull(at(post, 'card', 'legacy', 'name'))
  if (name === null) return articleOf(at(post, 'article', 'article_results', 'result'))
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

const Article = Type.Object({
  title: field.text('title'),
  description: field.text('preview_text'),
  image_url: field.link('cover_media.media_info.original_img_url'),
})
const readArticle = reader(Article)

/** An article of the site, whose post has no text but a link to it. */
function articleOf(article: unknown): Card | null {
  const id = idOrNull(at(article, 'rest_id'))
  if (id === null) return null
  const url = `https://x.com/i/article/${encodeURIComponent(id)}`
  return { name: 'article', ...readArticle(article), domain: null, url, choices: [] }
}

/** The target of a short URL, if the post's links contain it; otherwise the short URL. */
function expanded(post: unknown, short: string | null): string | null {
  const link = [...linksOf(post), ...entriesAt(post, 'legacy', 'entities', 'urls')].find(
    (one) => at(one, 'url') === short,
  )
  return linkOrNull(at(link, 'expanded_url')) ?? short
}
