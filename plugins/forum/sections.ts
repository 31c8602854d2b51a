/**
 * The sections of a community's details, as JSON and from the side column of its pages.
 *
 * @module
 */
import { type Context, isPage, SourceError, type SourceErrorCode, type Static } from 'gleaner/plugin'
import { type About, aboutOf, type Moderator, moderatorsOf, type Rule, rulesOf } from './json/about.ts'
import { columnIn } from './parts/column.ts'
import { readPart } from './parts/part.ts'
import { type Ask, jsonOf } from './site/ask.ts'
import type { Site, Ways } from './site/routes.ts'

export const SECTIONS = ['about', 'rules', 'moderators'] as const
export type Section = (typeof SECTIONS)[number]
export type Sections = {
  readonly about?: Static<typeof About>
  readonly rules?: Static<typeof Rule>[]
  readonly moderators?: Moderator[] | null
}

/** Codes of moderators that are shown to others. A block page has none of these codes. */
const REFUSALS: readonly SourceErrorCode[] = ['private', 'restricted', 'source-login-required']
/** Visitors are refused nearly always, in any way. */
const VISITORS_REFUSALS: readonly SourceErrorCode[] = [...REFUSALS, 'source-blocked', 'source-changed']

/** The ways to a section. @param sections in the order in which they are read */
export function sectionWays(
  context: Context,
  site: Site,
  name: string,
  sections: readonly Section[],
): Ways<Section, Sections> {
  return {
    json: (ask) => (section) => sectionOf(context, site, ask, `/r/${name}/about`, section),
    part: sections[0] === 'moderators' ? undefined : columnPart(context, site, name),
  }
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
