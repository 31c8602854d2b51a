/**
 * A comment as an item, read from listings (kind `t1`).
 *
 * @module
 */
import { field, reader, type Static, Type } from 'gleaner/plugin'
import { PLAIN } from './post.ts'
import { authorOf, bodyOf, flag, identityOf, permalinkOf } from './values.ts'

export const Comment = Type.Object({
  type: Type.Literal('comment'),
  ...identityOf('t1'),
  author: field.text('author', 'Null when the account was deleted.', authorOf),
  body: field.text('body', `Markdown; ${PLAIN}`, bodyOf),
  score: field.integer('score'),
  created_at: field.time('created_utc'),
  edited_at: field.time('edited'),
  permalink: field.link('permalink', 'Its own page.', permalinkOf),
  parent_id: field.text('parent_id', 'The fullname of the comment or post that it answers.'),
  post_id: field.text('link_id', 'The fullname of the post.'),
  post_title: field.text('link_title'),
  community: field.text('subreddit'),
  is_submitter: flag('is_submitter', 'Its author wrote the post too.'),
  distinguished: field.text('distinguished', 'The role it was written in, such as moderator.'),
  stickied: flag('stickied'),
  over_18: flag('over_18'),
})
export type Comment = Static<typeof Comment>

/** Reads the `data` of a listing's child, with the site's origin. @throws {SourceChanged} when it has no id */
export const commentOf = reader(Comment)
