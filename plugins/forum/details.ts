/**
 * `forum.community.details`: a community's description, rules and moderators.
 *
 * @module
 */
import { Choice, defineTask, type Issue, Nullable, summaryOf, Type } from 'gleaner/plugin'
import {
  Community,
  communityIssues,
  communityOf,
  communityUrlIssues,
  nameIn,
  shownName,
} from './community.ts'
import { About, Moderator, Rule } from './json/about.ts'
import { SECTIONS, type Section, type Sections, sectionWays } from './sections.ts'
import { readerOf, siteOf } from './site/routes.ts'

/** Names of listings over all communities, which are not communities. */
const PSEUDO = ['all', 'popular']
/** The default sections. */
const USUAL: readonly Section[] = ['about', 'rules']

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
        title: 'Address',
        description: 'The address of the community, instead of its name.',
      }),
    ),
    include: Type.Optional(
      Type.Array(Choice(SECTIONS), {
        minItems: 1,
        maxItems: 3,
        uniqueItems: true,
        default: [...USUAL],
        title: 'Sections',
        description: 'The sections to read.',
      }),
    ),
    includeModerators: Type.Optional(
      Type.Boolean({
        default: false,
        title: 'With moderators',
        description: 'Also reads the moderators, in addition to `include`.',
      }),
    ),
  }),
  refine: (input) => [
    ...namedOnce(input),
    ...communityIssues('/community', input.community),
    ...communityUrlIssues('/url', input.url),
    ...pseudoIssues(input),
  ],
  summary: ({ community, url, include, includeModerators }) =>
    summaryOf(
      shownName(community ?? url),
      include?.join(', '),
      includeModerators ? 'with moderators' : undefined,
    ),
  item: Type.Object({}, { description: 'This task has no items.' }),
  extra: {
    about: Nullable(About),
    rules: Nullable(Type.Array(Rule)),
    moderators: Nullable(Type.Array(Moderator, { description: 'Null when visitors may not see them.' })),
  },
  example: { community: 'gardening', includeModerators: true },
  // One of the largest communities, and the one for developers of the site's clients.
  canary: [{ community: 'AskReddit' }, { community: 'redditdev' }],
  needs: { login: 'optional' },
  async *run(context, { community, url, include = USUAL, includeModerators }) {
    const name = communityOf(community ?? url ?? '')
    const names = SECTIONS.filter(
      (section) => include.includes(section) || (section === 'moderators' && includeModerators),
    )
    const site = await siteOf(context)
    const read = readerOf(context, site, sectionWays(context, site, name, names))
    let sections: Sections = {}
    for (const [i, section] of names.entries()) {
      if (sections[section] === undefined) sections = { ...sections, ...(await read(section)) }
      context.progress(i + 1, names.length, 'sections read')
    }
    const { about = null, rules = null, moderators = null } = sections
    return {
      about: names.includes('about') ? about : null,
      rules: names.includes('rules') ? rules : null,
      moderators,
    }
  },
})

type PartialInput = { readonly community?: string; readonly url?: string }

function namedOnce({ community, url }: PartialInput): Issue[] {
  if ((community === undefined) !== (url === undefined)) return []
  return community === undefined
    ? [{ pointer: '/community', code: 'missing-field', detail: 'is required unless url is sent' }]
    : [{ pointer: '/url', code: 'conflict', detail: 'cannot be combined with community' }]
}

function pseudoIssues(input: PartialInput): Issue[] {
  const [pointer, text] =
    input.community === undefined ? ['/url', input.url] : ['/community', input.community]
  const name = text === undefined ? undefined : nameIn(text)?.toLowerCase()
  if (name === undefined || !PSEUDO.includes(name)) return []
  const detail = `must be a single community: ${PSEUDO.join(' and ')} cover all communities and have no details`
  return [{ pointer, code: 'not-allowed', detail }]
}
