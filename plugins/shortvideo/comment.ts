/**
 * Comments as the site's own list has them (`/api/comment/list/`), of the web of 2026 and of the app of 2021 alike.
 *
 * @module
 */
import {
  at,
  entriesAt,
  idOrNull,
  integerOrNull,
  linkOrNull,
  Nullable,
  SourceChanged,
  type Static,
  Time,
  Type,
  textOrNull,
  timeOf,
} from 'gleaner/plugin'
import type { Rows } from './collect.ts'
import { AuthorFields, appAuthorOf } from './person.ts'

const fields = {
  comment_id: Type.String(),
  video_id: Nullable(Type.String()),
  text: Nullable(Type.String({ description: 'Null where the comment is a picture alone.' })),
  created_at: Nullable(Time()),
  like_count: Nullable(Type.Integer()),
  reply_count: Nullable(Type.Integer()),
  language: Nullable(Type.String()),
  author: Type.Object(AuthorFields),
  is_pinned: Type.Boolean(),
  liked_by_author: Type.Boolean(),
  author_label: Nullable(Type.String({ description: 'What the author is to the video, e.g. Creator.' })),
  image_urls: Type.Array(Type.String()),
  mentions: Type.Array(Type.Object({ username: Nullable(Type.String()), user_id: Type.String() })),
  parent_comment_id: Nullable(Type.String()),
  share_url: Nullable(Type.String()),
}

const Reply = Type.Object({ ...fields, replies_preview: Type.Null() })
export const Comment = Type.Object({
  ...fields,
  replies_preview: Nullable(
    Type.Array(Reply, { description: 'The first replies, where the source shows some.' }),
  ),
})
export type Comment = Static<typeof Comment>

/**
 * One answer of the list.
 *
 * @throws {SourceChanged} when it is none
 */
export function commentsOf(json: unknown): Rows<Comment> & { readonly total: number | null } {
  const status = at(json, 'status_code') ?? at(json, 'statusCode')
  const list = at(json, 'comments')
  if (status !== undefined && status !== 0)
    throw new SourceChanged(`status ${status}: ${textOrNull(at(json, 'status_msg')) ?? 'without words'}`)
  // Null, or left out, when there are none; then at least the position is told.
  if (!Array.isArray(list) && at(json, 'has_more') === undefined && at(json, 'cursor') === undefined)
    throw new SourceChanged('the answer has no comments')
  const more = at(json, 'has_more') === 1 || at(json, 'has_more') === true
  return {
    rows: entriesAt(list).map((comment) => ({ ...commentOf(comment), replies_preview: repliesOf(comment) })),
    next: more ? integerOrNull(at(json, 'cursor')) : null,
    total: integerOrNull(at(json, 'total')),
  }
}

function repliesOf(comment: unknown): Comment['replies_preview'] {
  const replies = at(comment, 'reply_comment')
  if (!Array.isArray(replies)) return null
  return replies.map((reply) => ({ ...commentOf(reply), replies_preview: null }))
}

function commentOf(comment: unknown): Omit<Comment, 'replies_preview'> {
  const comment_id = idOrNull(at(comment, 'cid'))
  if (comment_id === null) throw new SourceChanged('a comment has no id')
  const parent = idOrNull(at(comment, 'reply_id'))
  const language = textOrNull(at(comment, 'comment_language'))
  return {
    comment_id,
    video_id: idOrNull(at(comment, 'aweme_id')),
    text: textOrNull(at(comment, 'text')),
    created_at: timeOf(at(comment, 'create_time')),
    like_count: integerOrNull(at(comment, 'digg_count')),
    reply_count: integerOrNull(at(comment, 'reply_comment_total')),
    // "un" is the source's word for undetermined.
    language: language === 'un' ? null : language,
    author: appAuthorOf(at(comment, 'user')),
    is_pinned: at(comment, 'author_pin') === true,
    liked_by_author: at(comment, 'is_author_digged') === true,
    author_label: textOrNull(at(comment, 'label_text')) ?? textOrNull(at(comment, 'label_list', 0, 'text')),
    image_urls: entriesAt(comment, 'image_list').flatMap((image) => imageOf(image) ?? []),
    mentions: entriesAt(comment, 'text_extra').flatMap(mentionOf),
    parent_comment_id: parent === '0' ? null : parent,
    share_url: linkOrNull(at(comment, 'share_info', 'url')),
  }
}

const imageOf = (image: unknown): string | null =>
  linkOrNull(at(image, 'origin_url', 'url_list', 0)) ?? linkOrNull(at(image, 'crop_url', 'url_list', 0))

/** Other entries of the same list are hashtags. */
function mentionOf(extra: unknown): { username: string | null; user_id: string }[] {
  const user_id = idOrNull(at(extra, 'user_id'))
  if (user_id === null || user_id === '0') return []
  const username = textOrNull(at(extra, 'user_unique_id')) ?? textOrNull(at(extra, 'unique_id'))
  return [{ username, user_id }]
}
