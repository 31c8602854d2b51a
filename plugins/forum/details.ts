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
  type Static,
  Type,
} from 'gleaner/plugin'
import { Community, communityIssues, communityOf, communityUrlIssues, nameIn } from './community.ts'
import { About, aboutOf, Moderator, moderatorsOf, Rule, rulesOf } from './json/about.ts'
import { columnIn } from './parts/column.ts'
import { readPart } from './parts/part.ts'
import { type Ask, jsonOf } from './site/ask.ts'
import { readerOf, type Site, siteOf } from './site/routes.ts'

/** Names of listings over all communities, which are not communities. */
const PSEUDO = ['all', 'popular']
const SECTIONS = ['about', 'rules', 'moderators'] as const
/** The default sections. */
const USUAL: readonly Section[] = ['about', 'rules']
/** Codes of moderators that are shown to others. A block page has none of these codes. */
const REFUSALS: readonly SourceErrorCode[] = ['private', 'restricted', 'source-login-required']
/** Visitors are refused nearly always, in any way. */
const VISITORS_REFUSALS: readonly SourceErrorCode[] = [...REFUSALS, 'source-blocked', 'source-changed']

export const details = defineTask({
  key: 'forum.community.details',
  path: '/v1/forum/community/details',
  title: 'Details of a community',
  description: 'The description and rules of a community, and its moderators on request. There are no items.',
  access:
    "Visitors get a part of the description, the rules, and no moderators. A login or the operator's API key adds the rest; many communities show their moderators to members only.",
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
      Type.Array(Choice(SECTIONS), {
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
  needs: { login: 'optional' },
  async *run(context, { community, url, include = USUAL, includeModerators }) {
    const name = communityOf(community ?? url ?? '')
    const wanted = SECTIONS.filter(
      (section) => include.includes(section) || (section === 'moderators' && includeModerators),
    )
    const site = await siteOf(context)
    const read = readerOf(context, site, {
      json: (ask) => (section: Section) => sectionOf(context, site, ask, `/r/${name}/about`, section),
      part: wanted[0] === 'moderators' ? undefined : columnPart(context, site, name),
    })
    let sections: Sections = {}
    for (const [i, section] of wanted.entries()) {
      if (sections[section] === undefined) sections = { ...sections, ...(await read(section)) }
      context.progress(i + 1, wanted.length, 'sections read')
    }
    const { about = null, rules = null, moderators = null } = sections
    return {
      about: wanted.includes('about') ? about : null,
      rules: wanted.includes('rules') ? rules : null,
      moderators,
    }
  },
})

type Section = (typeof SECTIONS)[number]
type Sections = {
  readonly about?: Static<typeof About>
  readonly rules?: Static<typeof Rule>[]
  readonly moderators?: Moderator[] | null
}

async function sectionOf(
  { origin }: Context,
  { key, member }: Site,
  ask: Ask,
  path: string,
  section: Section,
): Promise<Sections> {
  if (section === 'about') return { about: aboutOf(jsonOf(await ask(path)), origin) }
  if (section === 'rules') return { rules: rulesOf(jsonOf(await ask(`${path}/rules`))) }
  const refusals = ask === key || ask === member ? REFUSALS : VISITORS_REFUSALS
  return { moderators: await moderatorsAt(ask, `${path}/moderators`, refusals) }
}

/** The side column shows the description and the rules, and no moderators. */
function columnPart(context: Context, { fetch, member, visitor }: Site, name: string) {
  return {
    name: 'side column',
    async read(section: Section): Promise<Sections> {
      if (section !== 'moderators')
        return readPart(context, fetch, 'feeds/subreddit-right-rail', { name }, (document) =>
          columnIn(document, name, context.origin),
        )
      if (member) return { moderators: null }
      return { moderators: await moderatorsAt(visitor, `/r/${name}/about/moderators`, VISITORS_REFUSALS) }
    },
  }
}

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

/** The moderators; null where they are shown to others only, which does not fail the task. */
async function moderatorsAt(
  ask: Ask,
  path: string,
  refusals: readonly SourceErrorCode[],
): Promise<Moderator[] | null> {
  try {
    const answer = await ask(path)
    // Only a page can be a block. A 403 without a page refuses just this section.
    if (answer.status === 403 && !isPage(answer.body)) return null
    return moderatorsOf(jsonOf(answer))
  } catch (error) {
    if (error instanceof SourceError && refusals.includes(error.code)) return null
    throw error
  }
}
