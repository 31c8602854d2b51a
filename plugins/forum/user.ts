/**
 * `forum.user`: posts and comments of a user.
 *
 * @module
 */
import { Choice, defineTask, summaryOf, Type } from 'gleaner/plugin'
import { Comment } from './json/comment.ts'
import { jsonListing, postOrCommentIn } from './json/listing.ts'
import { Post } from './json/post.ts'
import { ListingRest, listing, MixedInput, positionIn } from './listing.ts'
import { profilePart } from './parts/feed.ts'
import { readerOf, siteOf } from './site/routes.ts'

export const user = defineTask({
  key: 'forum.user',
  path: '/v1/forum/user/:username/:type',
  title: 'Posts and comments of a user',
  description:
    'Posts, comments, or both, of a user, newest first. Users can hide them: then the run fails as private.',
  access:
    "Visitors get texts without their Markdown, and comments without what they answer and without their flags. With a login or the operator's API key both have all fields.",
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
  summary: ({ username, type, ...position }) => summaryOf(`u/${username}`, type, positionIn(position)),
  item: Type.Union([Post, Comment]),
  extra: ListingRest,
  example: { username: 'greenfingers', type: 'overview', limit: 6 },
  // A founder of the site, and its own moderation bot, which comments all day.
  canary: [
    { username: 'spez', type: 'overview', limit: 5 },
    { username: 'AutoModerator', type: 'comments', limit: 5 },
  ],
  needs: { login: 'optional' },
  failedOnly: true,
  async *run(context, { username, type, ...rest }) {
    const site = await siteOf(context)
    const read = readerOf(context, site, {
      json: jsonListing(context, `/user/${username}/${type}`, {}, postOrCommentIn),
      part: profilePart(context, site, username, type),
      // The positions of all routes are fullnames.
      later: 'any',
    })
    return yield* listing(context, { ...rest, read })
  },
})
