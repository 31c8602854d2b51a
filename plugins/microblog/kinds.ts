/**
 * The kinds of lists on the site: posts, accounts, lists.
 *
 * @module
 */
import { at } from 'gleaner/plugin'
import { type List, listOf } from './items/list.ts'
import { isBare, type Post, postOf } from './items/post.ts'
import { type User, userOf } from './items/user.ts'
import { renderedPost } from './rendered/post.ts'
import { renderedUser } from './rendered/user.ts'

/** A kind of list, with the readers of its rows. */
export type Kind<Row> = {
  /** the name of a row in messages, in the singular */
  readonly noun: string
  /** the part of an entry's content that holds a row; undefined for content of another kind */
  readonly partOf: (content: unknown) => unknown
  /**
   * Reads that part.
   *
   * @returns null for a row that is not visible
   * @throws {SourceChanged} for a row that cannot be read
   */
  readonly read: (part: unknown) => Row | null
  /** whether a part is a row without content, which the site should not send */
  readonly isBare?: (part: unknown) => boolean
  readonly key: (row: Row) => string
  /** the rows' cells on a page, if known; `read` returns null for a cell that is not a row or has no id */
  readonly rendered?: { readonly selector: string; readonly read: (cell: Element) => Row | null }
}

const keyOf = ({ id }: { readonly id: string }): string => id
const resultOf = (results: unknown): unknown => at(results, 'result')

export const POSTS: Kind<Post> = {
  noun: 'post',
  partOf: (content) => at(content, 'tweet_results'),
  read: (results) => postOf(resultOf(results)),
  isBare: (results) => isBare(resultOf(results)),
  key: keyOf,
  rendered: { selector: 'article[data-testid="tweet"]', read: renderedPost },
}

export const USERS: Kind<User> = {
  noun: 'account',
  partOf: (content) => at(content, 'user_results'),
  read: (results) => userOf(resultOf(results)),
  key: keyOf,
  rendered: { selector: '[data-testid="UserCell"]', read: renderedUser },
}

export const LISTS: Kind<List> = {
  noun: 'list',
  partOf: (content) => at(content, 'list'),
  read: listOf,
  key: keyOf,
}
