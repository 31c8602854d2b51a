/**
 * A post, as an item and as the site's answers have it.
 *
 * @module
 */
import {
  at,
  idOrNull,
  integerOrNull,
  Link,
  Nullable,
  SourceChanged,
  type Static,
  Time,
  Type,
  textOrNull,
} from 'gleaner/plugin'
import { Card, cardOf, Media, mediaOf } from './media.ts'
import { postUrl } from './site.ts'
import { decoded, expandedUrls, linkText, siteTime, textsOf } from './texts.ts'
import { Author, authorOf } from './user.ts'

const Fields = {
  id: Type.String(),
  url: Link(),
  text: Nullable(Type.String({ description: 'The whole text, without the addresses of attached media.' })),
  lang: Nullable(Type.String()),
  created_at: Nullable(Time()),
  author: Author,
  reply_count: Nullable(Type.Integer()),
  retweet_count: Nullable(Type.Integer()),
  quote_count: Nullable(Type.Integer()),
  favorite_count: Nullable(Type.Integer()),
  bookmark_count: Nullable(Type.Integer()),
  view_count: Nullable(Type.Integer()),
  is_reply: Nullable(Type.Boolean()),
  in_reply_to_status_id: Nullable(Type.String()),
  in_reply_to_screen_name: Nullable(Type.String()),
  conversation_id: Nullable(Type.String()),
  is_quote: Nullable(Type.Boolean()),
  is_retweet: Nullable(Type.Boolean()),
  hashtags: Type.Array(Type.String(), { description: 'Without #.' }),
  user_mentions: Type.Array(Type.String(), { description: 'Names without @.' }),
  urls: Type.Array(Link(), { description: 'Where the links in the text lead.' }),
  media: Type.Array(Media),
  card: Nullable(Card),
  possibly_sensitive: Nullable(Type.Boolean()),
  source: Nullable(Type.String({ description: 'The app that it was written with.' })),
}

/** A quoted post: what it quotes itself, the site does not tell. */
const Quoted = Type.Object({ ...Fields, quoted: Type.Null(), retweeted: Type.Null() })
type Quoted = Static<typeof Quoted>

/** What a repost shows again. */
const Retweeted = Type.Object({ ...Fields, quoted: Nullable(Quoted), retweeted: Type.Null() })
type Retweeted = Static<typeof Retweeted>

export const Post = Type.Object({
  ...Fields,
  quoted: Nullable(Quoted),
  retweeted: Nullable(Retweeted),
})
export type Post = Static<typeof Post>

/**
 * A post of an entry, with what it quotes or shows again.
 *
 * @param result of `tweet_results`
 * @returns null for one that can't be seen: withheld, deleted, of a suspended account
 * @throws {SourceChanged} for a post without id or content
 */
export function postOf(result: unknown): Post | null {
  const post = retweetedOf(result)
  const retweeted = retweetedOf(at(seen(result), 'legacy', 'retweeted_status_result', 'result'))
  if (!post || !retweeted) return post
  return {
    ...post,
    text: repostText(post.text, retweeted.text),
    // Of a repost the site cuts the text off, and what is told of it.
    hashtags: joined(post.hashtags, retweeted.hashtags),
    user_mentions: joined(post.user_mentions, retweeted.user_mentions),
    urls: joined(post.urls, retweeted.urls),
    media: post.media.length > 0 ? post.media : retweeted.media,
    retweeted,
  }
}

function retweetedOf(result: unknown): Retweeted | null {
  const post = quotedOf(result)
  return post && { ...post, quoted: quotedOf(at(seen(result), 'quoted_status_result', 'result')) }
}

function quotedOf(result: unknown): Quoted | null {
  const post = seen(result)
  return post === undefined ? null : { ...fieldsOf(post), quoted: null, retweeted: null }
}

/** The post in a result, out of the wrapper that some have; undefined for a tombstone, an empty result and the like. */
function seen(result: unknown): unknown {
  const post = at(result, '__typename') === 'TweetWithVisibilityResults' ? at(result, 'tweet') : result
  const kind = at(post, '__typename')
  return kind === undefined ? at(post, 'rest_id') && post : kind === 'Tweet' ? post : undefined
}

function fieldsOf(post: unknown): Omit<Quoted, 'quoted' | 'retweeted'> {
  const legacy = at(post, 'legacy')
  const id = idOrNull(at(post, 'rest_id')) ?? idOrNull(at(legacy, 'id_str'))
  if (id === null) throw new SourceChanged('a post has no id')
  if (typeof at(legacy, 'full_text') !== 'string') throw new SourceChanged('a post has no text')
  const author = authorOf(at(post, 'core', 'user_results', 'result'))
  const count = (name: string): number | null => integerOrNull(at(legacy, name))
  const repliedTo = textOrNull(at(legacy, 'in_reply_to_screen_name'))
  const repliedId = idOrNull(at(legacy, 'in_reply_to_status_id_str'))
  return {
    id,
    url: postUrl(author.screen_name, id),
    text: textOf(post),
    lang: textOrNull(at(legacy, 'lang')),
    created_at: siteTime(at(legacy, 'created_at')),
    author: { ...author, id: author.id ?? idOrNull(at(legacy, 'user_id_str')) },
    reply_count: count('reply_count'),
    retweet_count: count('retweet_count'),
    quote_count: count('quote_count'),
    favorite_count: count('favorite_count'),
    bookmark_count: count('bookmark_count'),
    view_count: integerOrNull(at(post, 'views', 'count')),
    is_reply: repliedId !== null || repliedTo !== null,
    in_reply_to_status_id: repliedId,
    in_reply_to_screen_name: repliedTo,
    conversation_id: idOrNull(at(legacy, 'conversation_id_str')),
    is_quote: at(legacy, 'is_quote_status') === true,
    is_retweet: at(legacy, 'retweeted_status_result') !== undefined,
    ...entitiesOf(post),
    media: mediaOf(legacy),
    card: cardOf(post),
    possibly_sensitive: at(legacy, 'possibly_sensitive') === true,
    source: linkText(at(post, 'source')),
  }
}

const noteOf = (post: unknown): unknown => at(post, 'note_tweet', 'note_tweet_results', 'result')

/** The long form where there is one: the other is cut off then. */
function textOf(post: unknown): string | null {
  const text = textOrNull(at(noteOf(post), 'text')) ?? textOrNull(at(post, 'legacy', 'full_text')) ?? ''
  const attached = [
    ...textsOf(at(post, 'legacy', 'extended_entities'), 'media', 'url'),
    ...textsOf(at(post, 'legacy', 'entities'), 'media', 'url'),
  ]
  return textOrNull(decoded(attached.reduce((rest, url) => rest.replaceAll(url, ''), text)))
}

function entitiesOf(post: unknown): Pick<Quoted, 'hashtags' | 'user_mentions' | 'urls'> {
  const entities = at(noteOf(post), 'entity_set') ?? at(post, 'legacy', 'entities')
  return {
    hashtags: textsOf(entities, 'hashtags', 'text'),
    user_mentions: textsOf(entities, 'user_mentions', 'screen_name'),
    urls: expandedUrls(entities),
  }
}

/** What stands before a repost's text, and the whole text of what it shows again. */
function repostText(cut: string | null, whole: string | null): string | null {
  const [before] = /^RT @\w+: /.exec(cut ?? '') ?? []
  return before === undefined || whole === null ? (cut ?? whole) : before + whole
}

const joined = (one: readonly string[], other: readonly string[]): string[] => [
  ...new Set([...one, ...other]),
]
