/**
 * `photo.profile-download`: exports a profile as a ZIP archive.
 *
 * @module
 */
import {
  type Context,
  defineTask,
  Nullable,
  quantity,
  SourceError,
  type Static,
  summaryOf,
  Type,
} from 'gleaner/plugin'
import { profileIssues, usernameOf } from './profile-name.ts'
import { enter } from './read/entry.ts'
import { Profile } from './read/parsers/profile.ts'
import { type ProfileFeed, postsOf } from './read/posts.ts'
import { Export, STOP_REASONS, type Stop, type Summary } from './write/export.ts'

/** The number of posts that one block of the price covers. */
const BLOCK_POSTS = 1000
const FIRST_BLOCK = 40
const FURTHER_BLOCK = 5

const priceOf = (posts: number): number =>
  FIRST_BLOCK + FURTHER_BLOCK * Math.max(0, Math.ceil(posts / BLOCK_POSTS) - 1)

const Input = Type.Object({
  profile: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'A username, @name, or the address of a profile.',
  }),
  maxPosts: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'The maximum number of posts. Default: all of them.',
    }),
  ),
})

export const profileDownload = defineTask({
  key: 'photo.profile-download',
  path: '/v1/photo/profile-download',
  title: 'Photo profile export',
  description:
    'A profile as a ZIP file: photos and videos in order, captions, metadata of each post, `manifest.json` and ' +
    '`posts.csv`. Large profiles take long.',
  apiNotes: "The file is the run's artifact. Start runs of large profiles asynchronously.",
  access:
    'Visitors get public profiles, without counts of views and posts. From many addresses the site shows them the ' +
    'first 12 posts only, or nothing. With a login at the site, the export contains everything that the login can ' +
    'see, including private profiles that it follows.',
  price: {
    from: FIRST_BLOCK,
    words:
      '40 for up to 1,000 posts, and 5 for each started block of 1,000 posts after that. With maxPosts, that many ' +
      'posts are charged and unused blocks are refunded. Without it, each block is charged before it begins.',
    of: ({ maxPosts }) => priceOf(maxPosts ?? BLOCK_POSTS),
    block: FURTHER_BLOCK,
    spent: ({ posts_exported }) => priceOf(Number(posts_exported)),
  },
  input: Input,
  refine: ({ profile }) => (profile === undefined ? [] : profileIssues('/profile', profile)),
  summary: ({ profile = '', maxPosts }) => summaryOf(`@${usernameOf(profile)}`, quantity(maxPosts, 'post')),
  item: Type.Object({}, { description: 'There are no items: the archive is the result.' }),
  extra: {
    profile: Nullable(Profile),
    stopped_reason: Nullable(
      Type.Union(
        STOP_REASONS.map((reason) => Type.Literal(reason)),
        { description: 'Why the export ended; `end` when the source had no more posts.' },
      ),
    ),
    complete: Nullable(Type.Boolean({ description: 'Whether all posts of the profile are in it.' })),
    posts_exported: Nullable(Type.Integer()),
    posts_reported_by_source: Nullable(Type.Integer()),
    media_files: Nullable(
      Type.Integer({ description: 'Photos and videos of posts, without covers and the profile picture.' }),
    ),
    media_failed: Nullable(
      Type.Integer({ description: 'Media files that could not be fetched; the manifest says why.' }),
    ),
    bytes_total: Nullable(
      Type.Integer({ description: 'Total size of all files in the archive except the manifest, in bytes.' }),
    ),
  },
  example: { profile: 'robin.sees', maxPosts: 50 },
  // Institutions that post every day; their files are kept as long as other results.
  canary: [
    { profile: 'natgeo', maxPosts: 1 },
    { profile: 'nasa', maxPosts: 1 },
  ],
  needs: { login: 'optional' },
  limits: { run_s: 6 * 3600, memory_mb: 1024 },
  // biome-ignore lint/correctness/useYield: the archive is the result
  async *run(context, input) {
    const feed = await enter(context, usernameOf(input.profile) as string)
    const { stop_reason, ...summary } = await exported(context, feed, input)
    return { next_cursor: null, profile: feed.profile, stopped_reason: stop_reason, ...summary }
  },
})

/**
 * Writes the archive. If the source or the client ends the export early, the archive is completed with the posts so
 * far.
 *
 * @throws {SourceError} the reason why the export ended early
 */
async function exported(
  context: Context,
  feed: ProfileFeed,
  { maxPosts }: Static<typeof Input>,
): Promise<Summary> {
  const archive = await Export.begin(context, feed, maxPosts ?? null)
  let stop: Stop
  try {
    stop = await addPosts(context, feed, archive, maxPosts)
    feed.whole?.confirm(true)
  } catch (error) {
    if (context.signal.aborted) await archive.finish({ reason: 'cancelled' })
    else if (error instanceof SourceError)
      await archive.finish({ reason: reasonOf(error), fault: error.message })
    throw error
  }
  return archive.finish(stop)
}

async function addPosts(
  context: Context,
  feed: ProfileFeed,
  archive: Export,
  maxPosts: number | undefined,
): Promise<Stop> {
  for await (const { posts, isEnd, hasLost } of postsOf(context, feed)) {
    for (const [i, post] of posts.entries()) {
      if (maxPosts === undefined && !(await payFor(context, archive.count)))
        return { reason: 'insufficient-credits' }
      await archive.add((await feed.whole?.read(post)) ?? post)
      context.signal.throwIfAborted()
      const isLast = isEnd && i === posts.length - 1
      if (archive.count === maxPosts && !isLast) return { reason: 'max_posts' }
    }
    feed.whole?.confirm(false)
    if (isEnd) return { reason: 'end', atEnd: !hasLost }
  }
  return { reason: 'end' }
}

/**
 * Pays for the block that the next post begins, if it begins one. The kickoff has paid for the first block.
 *
 * @param before the number of posts so far
 * @returns false when the balance is too low
 */
async function payFor(context: Context, before: number): Promise<boolean> {
  const isFirst = before > 0 && before % BLOCK_POSTS === 0
  return !isFirst || (await context.charge(before / BLOCK_POSTS))
}

/** Refusals of the source. Other errors are faults. */
const REFUSALS: ReadonlySet<string> = new Set([
  'source-blocked',
  'source-rate-limited',
  'source-login-required',
  'source-redirected',
])
const reasonOf = ({ code }: SourceError): 'blocked' | 'error' => (REFUSALS.has(code) ? 'blocked' : 'error')
