/**
 * A comment as an item, read from listings (kind `t1`).
 *
 * @module
 */
import { from, reader, type Static, Type } from 'gleaner/plugin'
import { PLAIN } from './post.ts'
import { authorOf, bodyOf, flag, identityOf, permalinkOf } from './values.ts'

export const Comment = Type.Object({
  type: Type.Literal('comment'),
  ...identityOf('t1'),
  author: from.text('author', 'Null when the account was deleted.', authorOf),
  body: from.text('body', `Markdown; ${PLAIN}`, bodyOf),
  score: from.integer('score'),
  created_at: from.time('created_utc'),
  edited_at: from.time('edited'),
  permalink: from.link('permalink', 'Its own page.', permalinkOf),
  parent_id: from.text('parent_id', 'The fullname of the comment or post that it answers.'),
  post_id: from.text('link_id', 'The fullname of the post.'),
  post_title: from.text('link_title'),
  community: from.text('subreddit'),
  is_submitter: flag('is_submitter', 'Its author wrote the post too.'),
  distinguished: from.text('distinguished', 'The role it was written in, such as moderator.'),
  stickied: flag('stickied'),
  over_18: flag('over_18'),
})
export type Comment = Static<typeof Comment>

/** Reads the `data` of a listing's child, with the site's origin. @throws {SourceChanged} when it has no id */
export const commentOf = reader(Comment)
