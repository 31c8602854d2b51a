/**
 * The kinds of lists on the site: posts, accounts, lists.
 *
 * @module
 */
import { at } from 'gleaner/plugin'
import type { Kind } from './answer.ts'
import { type List, listOf } from './list.ts'
import { type Post, postOf } from './post.ts'
import { renderedPost } from './rendered-post.ts'
import { renderedUser } from './rendered-user.ts'
import { type User, userOf } from './user.ts'

const keyOf = ({ id }: { readonly id: string }): string => id

export const POSTS: Kind<Post> = {
  noun: 'posts',
  key: keyOf,
  read: (content) => result(content, 'tweet_results', postOf),
  rendered: { selector: 'article[data-testid="tweet"]', read: renderedPost },
}

export const USERS: Kind<User> = {
  noun: 'accounts',
  key: keyOf,
  read: (content) => result(content, 'user_results', userOf),
  rendered: { selector: '[data-testid="UserCell"]', read: renderedUser },
}

export const LISTS: Kind<List> = {
  noun: 'lists',
  key: keyOf,
  read(content) {
    const list = at(content, 'list')
    return list === undefined ? undefined : listOf(list)
  },
}

/** @returns undefined when the content has no such results */
function result<Row>(content: unknown, name: string, read: (result: unknown) => Row): Row | undefined {
  const results = at(content, name)
  return results === undefined ? undefined : read(at(results, 'result'))
}
