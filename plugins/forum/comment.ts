/**
 * A comment, as an item and as listings have it (kind `t1`).
 *
 * @module
 */
import {
  at,
  integerOrNull,
  Link,
  Nullable,
  type Static,
  Time,
  Type,
  textOrNull,
  timeOf,
} from 'gleaner/plugin'
import { authorOf, bodyOf, identityOf, permalinkOf } from './texts.ts'

export const Comment = Type.Object({
  type: Type.Literal('comment'),
  id: Type.String(),
  fullname: Type.String({ description: 'The id with its kind, such as t1_abc12.' }),
  author: Nullable(Type.String({ description: 'Null when the account is gone.' })),
  body: Nullable(Type.String({ description: 'Markdown.' })),
  score: Nullable(Type.Integer()),
  created_at: Nullable(Time()),
  edited_at: Nullable(Time()),
  permalink: Nullable(Link({ description: 'Its own page.' })),
  parent_id: Nullable(Type.String({ description: 'The fullname of the comment or post that it answers.' })),
  post_id: Nullable(Type.String({ description: 'The fullname of the post.' })),
  post_title: Nullable(Type.String()),
  community: Nullable(Type.String()),
  is_submitter: Type.Boolean({ description: 'Its author wrote the post too.' }),
  distinguished: Nullable(Type.String({ description: 'In which office it was written, such as moderator.' })),
  stickied: Type.Boolean(),
  over_18: Type.Boolean(),
})
export type Comment = Static<typeof Comment>

/**
 * Reads a comment.
 *
 * @param data of the child of a listing
 * @throws {SourceChanged} when it has no id
 */
export function commentOf(data: unknown, origin: string): Comment {
  const field = (name: string): unknown => at(data, name)
  const text = (name: string): string | null => textOrNull(at(data, name))
  return {
    type: 'comment',
    ...identityOf(data, 't1'),
    author: authorOf(field('author')),
    body: bodyOf(field('body')),
    score: integerOrNull(field('score')),
    created_at: timeOf(field('created_utc')),
    edited_at: timeOf(field('edited')),
    permalink: permalinkOf(field('permalink'), origin),
    parent_id: text('parent_id'),
    post_id: text('link_id'),
    post_title: text('link_title'),
    community: text('subreddit'),
    is_submitter: field('is_submitter') === true,
    distinguished: text('distinguished'),
    stickied: field('stickied') === true,
    over_18: field('over_18') === true,
  }
}
