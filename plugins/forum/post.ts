/**
 * A post, as an item and as listings have it (kind `t3`).
 *
 * @module
 */
import {
  at,
  integerOrNull,
  Link,
  Nullable,
  numberOrNull,
  SourceChanged,
  type Static,
  Time,
  Type,
  textOrNull,
  timeOf,
} from 'gleaner/plugin'
import { Media, mediaOf } from './media.ts'
import { authorOf, bodyOf, identityOf, linkOf, permalinkOf, prefixed } from './texts.ts'

export const Post = Type.Object({
  type: Type.Literal('post'),
  id: Type.String(),
  fullname: Type.String({ description: 'The id with its kind, such as t3_abc12.' }),
  title: Nullable(Type.String()),
  author: Nullable(Type.String({ description: 'Null when the account is gone.' })),
  author_id: Nullable(Type.String({ description: 'The fullname of the account.' })),
  community: Nullable(Type.String()),
  community_prefixed: Nullable(Type.String({ description: 'r/name, or u/name for that of a user.' })),
  url: Nullable(Link({ description: 'What the post links to; its own page when it is a text.' })),
  permalink: Nullable(Link({ description: 'Its own page.' })),
  domain: Nullable(Type.String()),
  selftext: Nullable(Type.String({ description: 'Markdown.' })),
  score: Nullable(Type.Integer()),
  upvote_ratio: Nullable(Type.Number()),
  num_comments: Nullable(Type.Integer()),
  num_crossposts: Nullable(Type.Integer()),
  created_at: Nullable(Time()),
  edited_at: Nullable(Time()),
  flair: Nullable(Type.String()),
  post_hint: Nullable(Type.String({ description: 'What the site takes the link for, such as image.' })),
  is_self: Type.Boolean({ description: 'It is a text, not a link.' }),
  is_video: Type.Boolean(),
  is_gallery: Type.Boolean(),
  over_18: Type.Boolean(),
  spoiler: Type.Boolean(),
  stickied: Type.Boolean(),
  locked: Type.Boolean(),
  archived: Type.Boolean(),
  distinguished: Nullable(Type.String({ description: 'In which office it was written, such as moderator.' })),
  thumbnail: Nullable(Link()),
  media: Type.Array(Media),
  crosspost_parent: Nullable(Type.String({ description: 'The fullname of the post that it shows again.' })),
  removed_by_category: Nullable(Type.String()),
})
export type Post = Static<typeof Post>

/**
 * Reads a post.
 *
 * @param data of the child of a listing
 * @throws {SourceChanged} when it has no id
 */
export function postOf(data: unknown, origin: string): Post {
  const field = (name: string): unknown => at(data, name)
  const text = (name: string): string | null => textOrNull(at(data, name))
  const community = text('subreddit')
  return {
    type: 'post',
    ...identityOf(data, 't3'),
    title: text('title'),
    author: authorOf(field('author')),
    author_id: text('author_fullname'),
    community,
    community_prefixed: text('subreddit_name_prefixed') ?? (community === null ? null : prefixed(community)),
    url: linkOf(field('url_overridden_by_dest'), origin) ?? linkOf(field('url'), origin),
    permalink: permalinkOf(field('permalink'), origin),
    domain: text('domain'),
    selftext: bodyOf(field('selftext')),
    score: integerOrNull(field('score')),
    upvote_ratio: numberOrNull(field('upvote_ratio')),
    num_comments: integerOrNull(field('num_comments')),
    num_crossposts: integerOrNull(field('num_crossposts')),
    created_at: timeOf(field('created_utc')),
    // False when it was not, and true for old edits, of which the time is not known.
    edited_at: timeOf(field('edited')),
    flair: text('link_flair_text'),
    post_hint: text('post_hint'),
    is_self: field('is_self') === true,
    is_video: field('is_video') === true,
    is_gallery: field('is_gallery') === true,
    over_18: field('over_18') === true,
    spoiler: field('spoiler') === true,
    stickied: field('stickied') === true,
    locked: field('locked') === true,
    archived: field('archived') === true,
    distinguished: text('distinguished'),
    thumbnail: thumbnailOf(field('thumbnail')),
    media: mediaOf(data, origin),
    crosspost_parent: text('crosspost_parent'),
    removed_by_category: text('removed_by_category'),
  }
}

/** The same of a child of a listing that holds posts alone. */
export function postIn(child: unknown, origin: string): Post {
  if (at(child, 'kind') !== 't3') throw new SourceChanged('a listing of posts holds something else')
  return postOf(at(child, 'data'), origin)
}

/** Words such as `self` and `nsfw` stand for pictures of the site's own. */
const thumbnailOf = (value: unknown): string | null => {
  const text = textOrNull(value)
  return text !== null && /^https?:\/\//.test(text) ? text : null
}
