/**
 * Comments as items, from the site's own list (`/api/comment/list/`).
 *
 * @module
 */
import {
  at,
  type Context,
  entriesAt,
  field,
  idOrNull,
  integerOrNull,
  linkOrNull,
  Nullable,
  reader,
  readRows,
  SourceChanged,
  type Static,
  Type,
  textOrNull,
} from 'gleaner/plugin'
import { followingIn, type Part } from '../list-part.ts'
import { listError } from '../statuses.ts'

const Author = Type.Object({
  id: field.id('uid'),
  username: field.text('unique_id'),
  nickname: field.text('nickname'),
  sec_uid: field.text('sec_uid'),
  avatar_url: field.text('avatar_thumb.url_list.0', 'Signed: it expires.', (value) => linkOrNull(value)),
})
const authorOf = reader(Author)
const Mention = Type.Object({
  username: field.text(['user_unique_id', 'unique_id']),
  user_id: field.required(field.id('user_id'), 'a mention has no id'),
})
const mentionOf = reader(Mention)
const isMention = (extra: unknown): boolean => !['0', null].includes(idOrNull(at(extra, 'user_id')))

const fields = {
  comment_id: field.required(field.id('cid'), 'a comment has no id'),
  video_id: field.id('aweme_id'),
  text: field.text('text', 'Null for a comment that is only an image.'),
  created_at: field.time('create_time'),
  like_count: field.integer('digg_count'),
  reply_count: field.integer('reply_comment_total'),
  // "un" is the source's code for undetermined.
  language: field.text('comment_language', undefined, (language) =>
    language === 'un' ? null : textOrNull(language),
  ),
  author: field.value(Author, (comment) => authorOf(at(comment, 'user'))),
  is_pinned: field.is('author_pin'),
  liked_by_author: field.is('is_author_digged'),
  author_label: field.text(['label_text', 'label_list.0.text'], 'The role of the author, e.g. Creator.'),
  image_urls: field.value(Type.Array(Type.String()), (comment) =>
    entriesAt(comment, 'image_list').flatMap((image) => imageOf(image).url ?? []),
  ),
  // Other entries of the same list are hashtags.
  mentions: field.value(Type.Array(Mention), (comment) =>
    entriesAt(comment, 'text_extra')
      .filter(isMention)
      .map((extra) => mentionOf(extra)),
  ),
  parent_comment_id: field.text('reply_id', undefined, (id) => (String(id) === '0' ? null : idOrNull(id))),
  share_url: field.text('share_info.url', undefined, (url) => linkOrNull(url)),
}
const imageOf = reader(Type.Object({ url: field.link(['origin_url.url_list.0', 'crop_url.url_list.0']) }))

const Reply = Type.Object({ ...fields, replies_preview: Type.Null() })
const replyOf = reader(Reply)
export const Comment = Type.Object({
  ...fields,
  replies_preview: field.value(
    Nullable(Type.Array(Reply, { description: 'The first replies, where the source shows some.' })),
    (comment) => {
      const replies = at(comment, 'reply_comment')
      return Array.isArray(replies) ? replies.map((reply) => replyOf(reply)) : null
    },
  ),
})
export type Comment = Static<typeof Comment>
const commentOf = reader(Comment)

/** A part of the list, and the number of all comments with their replies. */
export type CommentPart = Part<Comment> & { readonly total: number | null }

/**
 * Reads a response with a part of the list.
 *
 * @param first the position of its first comment
 * @throws {SourceError} the error of its status
 * @throws {SourceChanged} for any other response
 */
export function commentsIn(context: Pick<Context, 'note'>, json: unknown, first: number): CommentPart {
  const error = listError(json)
  if (error) throw error
  // Without comments, the list is null or missing, but the position is still present.
  const list = at(json, 'comments')
  if (!Array.isArray(list) && at(json, 'has_more') === undefined && at(json, 'cursor') === undefined)
    throw new SourceChanged('the response has no comments')
  return {
    from: first,
    rows: readRows(context, entriesAt(list), (comment) => commentOf(comment)),
    ...followingIn(json, first),
    total: integerOrNull(at(json, 'total')),
  }
}
