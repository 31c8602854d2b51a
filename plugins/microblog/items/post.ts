/**
 * A post as an item, read from the site's responses. Each field is read from its place in the form that members get
 * (`legacy`) or in the form of the client that signed-out visitors get since 2026.
 *
 * @module
 */
import { at, field, idOrNull, Link, Nullable, reader, type Static, Type, textOrNull } from 'gleaner/plugin'
import { postUrl } from '../site.ts'
import { Card, cardOf } from './card.ts'
import { Media, mediaIn, mediaOf } from './media.ts'
import { decodeEntities, entitiesOf, linksOf, siteTime, targetsOf, textsOf } from './texts.ts'
import { Author, authorOf } from './user.ts'

const author = (post: unknown): Author => {
  const author = authorOf(at(post, 'core', 'user_results', 'result'))
  return { ...author, id: author.id ?? idOrNull(at(post, 'legacy', 'user_id_str')) }
}
const id = field.required(field.id(['rest_id', 'legacy.id_str']), 'a post has no id')
const idOf = reader(Type.Object({ id }))
/** A flag that is null for posts read from a rendered page, if the page does not show it. */
const flag = (read: (post: unknown) => boolean) => field.value(Nullable(Type.Boolean()), read)
const count = (name: string) => field.integer([`legacy.${name}`, `counts.${name}`])

/** The post that a post quotes or reposts: an empty object if it is not visible, undefined or null if there is none. */
const quoteIn = (post: unknown): unknown =>
  at(post, 'quoted_status_result') ?? at(post, 'quoted_tweet_results')
const originalIn = (post: unknown): unknown =>
  at(post, 'legacy', 'retweeted_status_result') ?? at(post, 'legacy', 'retweeted_status_results')

const repliedTo = field.id(['legacy.in_reply_to_status_id_str', 'reply_to_results.rest_id'])
const repliedName = field.text([
  'legacy.in_reply_to_screen_name',
  'reply_to_user_results.result.core.screen_name',
])
const replyOf = reader(Type.Object({ id: repliedTo, name: repliedName }))

const Fields = {
  id,
  url: field.value(Link(), (post) => postUrl(author(post).screen_name, idOf(post).id)),
  text: field.value(
    Nullable(Type.String({ description: 'The whole text, without the addresses of attached media.' })),
    wholeText,
  ),
  lang: field.text('legacy.lang'),
  created_at: field.time(['legacy.created_at', 'details.created_at_ms'], undefined, siteTime),
  author: field.value(Author, author),
  reply_count: count('reply_count'),
  retweet_count: count('retweet_count'),
  quote_count: count('quote_count'),
  favorite_count: count('favorite_count'),
  bookmark_count: count('bookmark_count'),
  view_count: field.integer('views.count'),
  is_reply: flag((post) => Object.values(replyOf(post)).some((part) => part !== null)),
  in_reply_to_status_id: repliedTo,
  in_reply_to_screen_name: repliedName,
  conversation_id: field.id('legacy.conversation_id_str'),
  is_quote: flag(
    (post) => at(post, 'legacy', 'is_quote_status') === true || Boolean(at(post, 'quoted_tweet_results')),
  ),
  is_retweet: flag((post) => Boolean(originalIn(post))),
  hashtags: field.value(Type.Array(Type.String(), { description: 'Without #.' }), (post) =>
    textsOf(entitiesOf(post, 'hashtags', 'details', 'hashtag_entities'), 'text'),
  ),
  user_mentions: field.value(Type.Array(Type.String(), { description: 'Names without @.' }), (post) =>
    textsOf(entitiesOf(post, 'user_mentions', 'mention_entities'), 'screen_name'),
  ),
  urls: field.value(Type.Array(Link(), { description: 'The targets of the links in the text.' }), (post) =>
    targetsOf(linksOf(post)),
  ),
  media: field.value(Type.Array(Media), mediaOf),
  card: field.value(Nullable(Card), cardOf),
  possibly_sensitive: flag((post) => at(post, 'legacy', 'possibly_sensitive') === true),
  source: field.plain('source', 'The app that it was written with.'),
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
 * @returns null for a post that is not visible: withheld, deleted, of a suspended account, for subscribers only, or
 *   without content
 * @throws {SourceChanged} for a post without an id
 */
export function postOf(result: unknown): Post | null {
  const post = retweetedOf(result)
  const retweeted = retweetedOf(at(originalIn(visiblePost(result)), 'result'))
  if (!post || !retweeted) return post
  return {
    ...post,
    text: repostText(post.text, retweeted.text),
    // The site truncates the text of a repost, and with it the entities.
    hashtags: union(post.hashtags, retweeted.hashtags),
    user_mentions: union(post.user_mentions, retweeted.user_mentions),
    urls: union(post.urls, retweeted.urls),
    media: post.media.length > 0 ? post.media : retweeted.media,
    retweeted,
  }
}

/** Whether a result is a post that the site sends without its content. */
export function isBare(result: unknown): boolean {
  const post = visiblePost(result)
  return post !== undefined && textIn(post) === undefined
}

function retweetedOf(result: unknown): Retweeted | null {
  const post = quotedOf(result)
  return post && { ...post, quoted: quotedOf(at(quoteIn(visiblePost(result)), 'result')) }
}

function quotedOf(result: unknown): Quoted | null {
  const post = visiblePost(result)
  return post === undefined || isBare(result) ? null : readQuoted(post)
}

/**
 * The post in a result, without the wrapper that some have; undefined for a tombstone, an empty result and the like.
 */
function visiblePost(result: unknown): unknown {
  const post = at(result, '__typename') === 'TweetWithVisibilityResults' ? at(result, 'tweet') : result
  const kind = at(post, '__typename')
  const isPost = kind === undefined ? Boolean(at(post, 'rest_id')) : kind === 'Tweet'
  return isPost ? post : undefined
}

/** The text of a post: of the long form if it exists, because the usual text is then truncated. */
function textIn(post: unknown): string | undefined {
  const texts = [
    at(post, 'note_tweet', 'note_tweet_results', 'result', 'text'),
    at(post, 'legacy', 'full_text'),
    at(post, 'details', 'full_text'),
  ]
  const strings = texts.filter((text) => typeof text === 'string')
  return strings.find((text) => text.trim() !== '') ?? strings[0]
}

function wholeText(post: unknown): string | null {
  const attached = textsOf(mediaIn(post), 'url')
  return textOrNull(
    decodeEntities(attached.reduce((rest, url) => rest.replaceAll(url, ''), textIn(post) ?? '')),
  )
}

/** The prefix of a repost's text, followed by the whole text of the original post. */
function repostText(shortText: string | null, whole: string | null): string | null {
  const [before] = /^RT @\w+: /.exec(shortText ?? '') ?? []
  return before === undefined || whole === null ? (shortText ?? whole) : before + whole
}

const union = (one: readonly string[], other: readonly string[]): string[] => [...new Set([...one, ...other])]
