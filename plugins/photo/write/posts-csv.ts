/**
 * Writes `posts.csv`, with one line for each post.
 *
 * @module
 */
import { csvRow } from 'gleaner/plugin'
import type { Post } from '../read/parsers/post.ts'

const COLUMNS = [
  'position',
  'post_id',
  'shortcode',
  'url',
  'type',
  'product_type',
  'taken_at',
  'caption',
  'hashtags',
  'mentions',
  'like_count',
  'comment_count',
  'view_count',
  'media_count',
  'media_files',
  'owner_username',
  'coauthors',
  'tagged_users',
  'location_id',
  'location_name',
  'is_pinned',
  'accessibility_caption',
  'error',
] as const

/** Without it, Excel does not recognize the file as UTF-8. */
const BYTE_ORDER_MARK = '\ufeff'

export const csvHead = `${BYTE_ORDER_MARK}${csvRow(COLUMNS, 'all')}`

/** The line of a post. @param position the position in the source's list, from 1 */
export function csvLine(post: Post, position: number): string {
  const { media } = post
  const cells: Readonly<Record<(typeof COLUMNS)[number], unknown>> = {
    ...post,
    position,
    hashtags: join(post.hashtags),
    mentions: join(post.mentions),
    media_count: media.length,
    media_files: join(media.flatMap(({ file }) => file ?? [])),
    owner_username: post.owner.username,
    coauthors: join(post.coauthors),
    tagged_users: join(post.tagged_users),
    location_id: post.location?.id,
    location_name: post.location?.name,
    error: join(media.flatMap(({ index, error }) => (error === null ? [] : `${index}: ${error}`))),
  }
  return csvRow(
    COLUMNS.map((column) => cells[column]),
    'all',
  )
}

const join = (list: readonly string[]): string | null => (list.length === 0 ? null : list.join(';'))
