/**
 * A post as an item, read from the site's responses.
 *
 * @module
 */
import {
  at,
  from,
  idOrNull,
  Link,
  Nullable,
  reader,
  SourceChanged,
  type Static,
  Type,
  textOrNull,
} from 'gleaner/plugin'
import { Card, cardOf, Media, mediaOf } from './media.ts'
import { postUrl } from './site.ts'
import { decoded, expandedUrls, siteTime, textsOf } from './texts.ts'
import { Author, authorOf } from './user.ts'

const author = (post: unknown): Author => {
  const known = authorOf(at(post, 'core', 'user_results', 'result'))
  return { ...known, id: known.id ?? idOrNull(at(post, 'legacy', 'user_id_str')) }
}
const entities = (post: unknown): unknown => at(noteOf(post), 'entity_set') ?? at(post, 'legacy', 'entities')
const id = from.required(from.id(['rest_id', 'legacy.id_str']), 'a post has no id')
const idOf = reader(Type.Object({ id }))
/** A flag that is null for posts read from a rendered page, if the page does not show it. */
const flag = (read: (post: unknown) => boolean) => from.value(Nullable(Type.Boolean()), read)

const REPLIES = ['in_reply_to_status_id_str', 'in_reply_to_screen_name']

const Fields = {
  id,
  url: from.value(Link(), (post) => postUrl(author(post).screen_name, idOf(post).id)),
  text: from.value(
    Nullable(Type.String({ description: 'The whole text, without the addresses of attached media.' })),
    wholeText,
  ),
  lang: from.text('legacy.lang'),
  created_at: from.time('legacy.created_at', undefined, siteTime),
  author: from.value(Author, author),
  reply_count: from.integer('legacy.reply_count'),
  retweet_count: from.integer('legacy.retweet_count'),
  quote_count: from.integer('legacy.quote_count'),
  favorite_count: from.integer('legacy.favorite_count'),
  bookmark_count: from.integer('legacy.bookmark_count'),
  view_count: from.integer('views.count'),
  is_reply: flag((post) => REPLIES.some((name) => idOrNull(at(post, 'legacy', name)) !== null)),
  in_reply_to_status_id: from.id('legacy.in_reply_to_status_id_str'),
  in_reply_to_screen_name: from.text('legacy.in_reply_to_screen_name'),
  conversation_id: from.id('legacy.conversation_id_str'),
  is_quote: flag((post) => at(post, 'legacy', 'is_quote_status') === true),
  is_retweet: flag((post) => Boolean(at(post, 'legacy', 'retweeted_status_result'))),
  hashtags: from.value(Type.Array(Type.String(), { description: 'Without #.' }), (post) =>
    textsOf(entities(post), 'hashtags', 'text'),
  ),
  user_mentions: from.value(Type.Array(Type.String(), { description: 'Names without @.' }), (post) =>
    textsOf(entities(post), 'user_mentions', 'screen_name'),
  ),
  urls: from.value(Type.Array(Link(), { description: 'The targets of the links in the text.' }), (post) =>
    expandedUrls(entities(post)),
  ),
  media: from.value(Type.Array(Media), (post) => mediaOf(at(post, 'legacy'))),
  card: from.value(Nullable(Card), cardOf),
  possibly_sensitive: flag((post) => at(post, 'legacy', 'possibly_sensitive') === true),
  source: from.plain('source', 'The app that it was written with.'),
}

/** A quoted post. The site does not send the post that it quotes itself. */
export const Quoted = Type.Object({ ...Fields, quoted: Type.Null(), retweeted: Type.Null() })
export type Quoted = Static<typeof Quoted>
const readQuoted = reader(Quoted)

/** The original post of a repost. */
const Retweeted = Type.Object({ ...Fields, quoted: Nullable(Quoted), retweeted: Type.Null() })
type Retweeted = Static<typeof Retweeted>

export const Post = Type.Object({
  ...Fields,
  quoted: Nullable(Quoted),
  retweeted: Nullable(Retweeted),
})
export type Post = Static<typeof Post>

/**
 * The post of an entry, with the post that it quotes or reposts.
 *
 * @param result the `result` of `tweet_results`
 * @returns null for a post that is not visible: withheld, deleted, or of a suspended account
 * @throws {SourceChanged} for a post without id or content
 */
export function postOf(result: unknown): Post | null {
  const post = retweetedOf(result)
  const retweeted = retweetedOf(at(seen(result), 'legacy', 'retweeted_status_result', 'result'))
  if (!post || !retweeted) return post
  return {
    ...post,
    text: repostText(post.text, retweeted.text),
    // The site truncates the text of a repost, and with it the entities.
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
  if (post === undefined) return null
  idOf(post)
  if (typeof at(post, 'legacy', 'full_text') !== 'string') throw new SourceChanged('a post has no text')
  return readQuoted(post)
}

/**
 * The post in a result, without the wrapper that some have; undefined for a tombstone, an empty result and the like.
 */
function seen(result: unknown): unknown {
  const post = at(result, '__typename') === 'TweetWithVisibilityResults' ? at(result, 'tweet') : result
  const kind = at(post, '__typename')
  return kind === undefined ? at(post, 'rest_id') && post : kind === 'Tweet' ? post : undefined
}

function noteOf(post: unknown): unknown {
  return at(post, 'note_tweet', 'note_tweet_results', 'result')
}

/** The text of the long form if it exists, because the normal text is then truncated. */
function wholeText(post: unknown): string | null {
  const text = textOrNull(at(noteOf(post), 'text')) ?? textOrNull(at(post, 'legacy', 'full_text')) ?? ''
  const attached = [
    ...textsOf(at(post, 'legacy', 'extended_entities'), 'media', 'url'),
    ...textsOf(at(post, 'legacy', 'entities'), 'media', 'url'),
  ]
  return textOrNull(decoded(attached.reduce((rest, url) => rest.replaceAll(url, ''), text)))
}

/** The prefix of a repost's text, followed by the whole text of the original post. */
function repostText(cut: string | null, whole: string | null): string | null {
  const [before] = /^RT @\w+: /.exec(cut ?? '') ?? []
  return before === undefined || whole === null ? (cut ?? whole) : before + whole
}

const joined = (one: readonly string[], other: readonly string[]): string[] => [
  ...new Set([...one, ...other]),
]
