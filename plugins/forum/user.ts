/**
 * `forum.user`: posts and comments of a user.
 *
 * @module
 */
import { at, Choice, type Context, defineTask, SourceChanged, Type } from 'gleaner/plugin'
import { Comment, commentOf } from './comment.ts'
import { ListingRest, listing, MixedInput } from './listing.ts'
import { Post, postOf } from './post.ts'
import { jsonPages } from './reading.ts'

export const user = defineTask({
  key: 'forum.user',
  path: '/v1/forum/user/:username/:type',
  title: 'Posts and comments of a user',
  description: 'Posts, comments, or both, of a user, newest first.',
  price: 2,
  input: Type.Object({
    username: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,20}$',
      'x-must-be': 'the name of a user: 1 to 20 letters, digits, - and _',
      description: 'The name of the user, without u/.',
    }),
    type: Choice(['overview', 'submitted', 'comments'], undefined, {
      description: 'Both, posts only, or comments only.',
    }),
    ...MixedInput,
  }),
  item: Type.Union([Post, Comment]),
  extra: ListingRest,
  example: { username: 'greenfingers', type: 'overview', limit: 6 },
  failedOnly: true,
  async *run(context, { username, type, ...rest }) {
    const read = jsonPages(context, `/user/${username}/${type}`, {}, (child) => itemOf(context, child))
    return yield* listing(context, { ...rest, read })
  },
})

function itemOf({ origin }: Context, child: unknown): Post | Comment {
  const data = at(child, 'data')
  switch (at(child, 'kind')) {
    case 't1':
      return commentOf(data, origin)
    case 't3':
      return postOf(data, origin)
    default:
      throw new SourceChanged('a listing of a user contains something other than posts and comments')
  }
}
