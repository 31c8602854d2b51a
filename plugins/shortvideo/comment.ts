/**
 * Reads comments from the site's own list (`/api/comment/list/`). The web of 2026 and the app of 2021 use the same
 * form.
 *
 * @module
 */
import {
  at,
  entriesAt,
  from,
  idOrNull,
  integerOrNull,
  linkOrNull,
  Nullable,
  reader,
  SourceChanged,
  type Static,
  Type,
  textOrNull,
} from 'gleaner/plugin'
import type { Rows } from './collect.ts'
import { moreIn } from './feed.ts'
import { AuthorFields } from './video.ts'

const Author = Type.Object(AuthorFields)
const authorOf = reader(Author)
const Mention = Type.Object({
  username: from.text(['user_unique_id', 'unique_id']),
  user_id: from.required(from.id('user_id'), 'a mention has no id'),
})
const mentionOf = reader(Mention)
const isMention = (extra: unknown): boolean => !['0', null].includes(idOrNull(at(extra, 'user_id')))

const fields = {
  comment_id: from.required(from.id('cid'), 'a comment has no id'),
  video_id: from.id('aweme_id'),
  text: from.text('text', 'Null for a comment that is only an image.'),
  created_at: from.time('create_time'),
  like_count: from.integer('digg_count'),
  reply_count: from.integer('reply_comment_total'),
  // "un" is the source's code for undetermined.
  language: from.text('comment_language', undefined, (language) =>
    language === 'un' ? null : textOrNull(language),
  ),
  author: from.value(Author, (comment) => authorOf(at(comment, 'user'))),
  is_pinned: from.is('author_pin'),
  liked_by_author: from.is('is_author_digged'),
  author_label: from.text(['label_text', 'label_list.0.text'], 'The role of the author, e.g. Creator.'),
  image_urls: from.value(Type.Array(Type.String()), (comment) =>
    entriesAt(comment, 'image_list').flatMap((image) => imageOf(image).url ?? []),
  ),
  // Other entries of the same list are hashtags.
  mentions: from.value(Type.Array(Mention), (comment) =>
    entriesAt(comment, 'text_extra')
      .filter(isMention)
      .map((extra) => mentionOf(extra)),
  ),
  parent_comment_id: from.text('reply_id', undefined, (id) => (String(id) === '0' ? null : idOrNull(id))),
  share_url: from.text('share_info.url', undefined, (url) => linkOrNull(url)),
}
const imageOf = reader(Type.Object({ url: from.link(['origin_url.url_list.0', 'crop_url.url_list.0']) }))

const Reply = Type.Object({ ...fields, replies_preview: Type.Null() })
const replyOf = reader(Reply)
export const Comment = Type.Object({
  ...fields,
  replies_preview: from.value(
    Nullable(Type.Array(Reply, { description: 'The first replies, where the source shows some.' })),
    (comment) => {
      const replies = at(comment, 'reply_comment')
      return Array.isArray(replies) ? replies.map((reply) => replyOf(reply)) : null
    },
  ),
})
export type Comment = Static<typeof Comment>
const commentOf = reader(Comment)

/**
 * Reads a response with a part of the list.
 *
 * @throws {SourceChanged} for any other response
 */
export function commentsOf(json: unknown): Rows<Comment> & { readonly total: number | null } {
  const status = integerOrNull(at(json, 'status_code') ?? at(json, 'statusCode')) ?? 0
  const list = at(json, 'comments')
  if (status !== 0)
    throw new SourceChanged(`status ${status}: ${textOrNull(at(json, 'status_msg')) ?? 'no message'}`)
  // Without comments, the list is null or missing, but the position is still present.
  if (!Array.isArray(list) && at(json, 'has_more') === undefined && at(json, 'cursor') === undefined)
    throw new SourceChanged('the response has no comments')
  return {
    rows: entriesAt(list).map((comment) => commentOf(comment)),
    next: moreIn(json) ? integerOrNull(at(json, 'cursor')) : null,
    total: integerOrNull(at(json, 'total')),
  }
}
