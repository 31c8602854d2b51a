/**
 * `forum.community.details`: a community's description, rules and moderators.
 *
 * @module
 */
import {
  Choice,
  type Context,
  defineTask,
  type Issue,
  isPage,
  Nullable,
  SourceError,
  type SourceErrorCode,
  Type,
} from 'gleaner/plugin'
import { About, aboutOf, Moderator, moderatorsOf, Rule, rulesOf } from './about.ts'
import { ask, askJson, jsonOf } from './answer.ts'
import { Community, communityIssues, communityOf, communityUrlIssues, nameIn } from './community.ts'

/** Names of listings over all communities, which are not communities. */
const PSEUDO = ['all', 'popular']
/** The default sections. */
const USUAL: readonly ('about' | 'rules' | 'moderators')[] = ['about', 'rules']
/** Codes of a section that visitors may not see. A block page has none of these codes. */
const REFUSALS: readonly SourceErrorCode[] = ['private', 'restricted', 'source-login-required']

export const details = defineTask({
  key: 'forum.community.details',
  path: '/v1/forum/community/details',
  title: 'Details of a community',
  description: 'The description and rules of a community, and its moderators on request. There are no items.',
  price: 2,
  input: Type.Object({
    community: Type.Optional(Community),
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'The address of the community, instead of its name.',
      }),
    ),
    include: Type.Optional(
      Type.Array(Choice(['about', 'rules', 'moderators']), {
        minItems: 1,
        maxItems: 3,
        uniqueItems: true,
        default: [...USUAL],
        description: 'The sections to read.',
      }),
    ),
    includeModerators: Type.Optional(
      Type.Boolean({ default: false, description: 'Also reads the moderators, in addition to `include`.' }),
    ),
  }),
  refine: (sent) => [
    ...namedOnce(sent),
    ...communityIssues('/community', sent.community),
    ...communityUrlIssues('/url', sent.url),
    ...pseudoIssues(sent),
  ],
  item: Type.Object({}, { description: 'This task has no items.' }),
  extra: {
    about: Nullable(About),
    rules: Nullable(Type.Array(Rule)),
    moderators: Nullable(Type.Array(Moderator, { description: 'Null when visitors may not see them.' })),
  },
  example: { community: 'gardening', includeModerators: true },
  async *run(context, { community, url, include = USUAL, includeModerators }) {
    const path = `/r/${communityOf(community ?? url ?? '')}/about`
    const wanted = new Set(includeModerators ? [...include, 'moderators'] : include)
    let read = 0
    const section = async <T>(name: string, of: () => Promise<T>): Promise<T | null> => {
      if (!wanted.has(name)) return null
      const found = await of()
      context.progress(++read, wanted.size, 'sections read')
      return found
    }
    return {
      about: await section('about', async () => aboutOf(await askJson(context, path), context.origin)),
      rules: await section('rules', async () => rulesOf(await askJson(context, `${path}/rules`))),
      moderators: await section('moderators', () => moderators(context, path)),
    }
  },
})

type Sent = { readonly community?: string; readonly url?: string }

function namedOnce({ community, url }: Sent): Issue[] {
  if ((community === undefined) !== (url === undefined)) return []
  return community === undefined
    ? [{ pointer: '/community', code: 'missing-field', detail: 'is required unless url is sent' }]
    : [{ pointer: '/url', code: 'conflict', detail: 'cannot be combined with community' }]
}

function pseudoIssues(sent: Sent): Issue[] {
  const [pointer, text] = sent.community === undefined ? ['/url', sent.url] : ['/community', sent.community]
  const name = text === undefined ? undefined : nameIn(text)?.toLowerCase()
  if (name === undefined || !PSEUDO.includes(name)) return []
  const detail = `must be a single community: ${PSEUDO.join(' and ')} cover all communities and have no details`
  return [{ pointer, code: 'not-allowed', detail }]
}

/** The moderators, or null. Many communities show them to members only, which does not fail the task. */
async function moderators(context: Context, path: string): Promise<Moderator[] | null> {
  try {
    const answer = await ask(context, `${path}/moderators`)
    // Only a page can be a block. A 403 without a page refuses just this section.
    if (answer.status === 403 && !isPage(answer.body)) return null
    return moderatorsOf(jsonOf(answer))
  } catch (error) {
    if (error instanceof SourceError && REFUSALS.includes(error.code)) return null
    throw error
  }
}
