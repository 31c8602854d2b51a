/**
 * A post as an item, read from listings (kind `t3`).
 *
 * @module
 */
import { field, reader, type Static, Type } from 'gleaner/plugin'
import { Media, mediaOf } from './media.ts'
import { authorOf, bodyOf, flag, identityOf, linkOf, permalinkOf, prefixOf } from './values.ts'

/** How the parts of pages show texts. */
export const PLAIN = 'for visitors plain text, which the site may shorten.'

export const Post = Type.Object({
  type: Type.Literal('post'),
  ...identityOf('t3'),
  title: field.text('title'),
  author: field.text('author', 'Null when the account was deleted.', authorOf),
  author_id: field.text('author_fullname', 'The fullname of the account.'),
  community: field.text('subreddit'),
  community_prefixed: field.text(
    ['subreddit_name_prefixed', 'subreddit'],
    "r/name, or u/name for a user's own community.",
    prefixOf,
  ),
  url: field.link(
    ['url_overridden_by_dest', 'url'],
    'The link of the post; for a text, the page of the post.',
    linkOf,
  ),
  permalink: field.link('permalink', 'Its own page.', permalinkOf),
  domain: field.text('domain'),
  selftext: field.text('selftext', `Markdown; ${PLAIN}`, bodyOf),
  score: field.integer('score'),
  upvote_ratio: field.number('upvote_ratio'),
  num_comments: field.integer('num_comments'),
  num_crossposts: field.integer('num_crossposts'),
  created_at: field.time('created_utc'),
  // The source writes false for posts that were not edited, and true for old edits without a known time.
  edited_at: field.time('edited'),
  flair: field.text('link_flair_text'),
  post_hint: field.text('post_hint', 'The kind of link, according to the site, such as image.'),
  is_self: flag('is_self', 'It is a text, not a link.'),
  is_video: flag('is_video'),
  is_gallery: flag('is_gallery'),
  over_18: flag('over_18'),
  spoiler: flag('spoiler'),
  stickied: flag('stickied'),
  locked: flag('locked'),
  archived: flag('archived'),
  distinguished: field.text('distinguished', 'The role it was written in, such as moderator.'),
  // Values such as `self` and `nsfw` stand for the site's own placeholder images.
  thumbnail: field.link('thumbnail', undefined, linkOf),
  media: field.value(Type.Array(Media), mediaOf),
  crosspost_parent: field.text('crosspost_parent', 'The fullname of the original post.'),
  removed_by_category: field.text('removed_by_category'),
})
export type Post = Static<typeof Post>

/** Reads the `data` of a listing's child, with the site's origin. @throws {SourceChanged} when it has no id */
export const postOf = reader(Post)
