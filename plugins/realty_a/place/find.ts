/**
 * Finds the place that a query names: by the site's look-up of places or, if that refuses, by the page that the site
 * has under the place's name.
 *
 * @module
 */
import {
  at,
  type Context,
  idOrNull,
  listAt,
  NotFound,
  type Route,
  routes,
  SourceChanged,
  SourceError,
  textOrNull,
} from 'gleaner/plugin'
import { blockOf, OWN_ADDRESS } from '../refusals.ts'
import { LANGUAGE, resultPageOf } from '../results/page.ts'
import { chosenOf, type Match } from './choice.ts'
import { placeQueryIn } from './query.ts'

const LOOK_UP = 'https://los.rightmove.co.uk/typeahead'
/** Places do not move. */
const REMEMBERED_S = 86_400

/** A place whose results can be searched. */
export type Place = {
  /** the id of the place at the site, e.g. `REGION^61310` */
  readonly identifier: string
  readonly name: string | null
}

/**
 * The place that a query names. Found places are remembered in this process.
 *
 * @throws {NotFound} when the look-up has no such place
 * @throws {SourceError} the error of the look-up, when it refuses and the site has no page of that name
 */
export function findPlace(context: Context, query: string): Promise<Place> {
  // The look-up may refuse a single query, which says nothing about others.
  const lookUp: Route<string, Place> = {
    name: 'look-up',
    read: () => lookUpPlace(context, query),
    shared: false,
  }
  const name = pageName(query)
  const page: Route<string, Place>[] =
    name === null ? [] : [{ name: 'page by name', read: () => readNamedPage(context, name) }]
  const read = routes(context, [lookUp, ...page], { end: ([error]) => error! })
  return context.memory.once(`place ${query.trim().toLowerCase()}`, async () => ({
    value: await read(query),
    seconds: REMEMBERED_S,
  }))
}

async function lookUpPlace(context: Context, query: string): Promise<Place> {
  const placeQuery = placeQueryIn(query)
  for (const form of placeQuery.forms) {
    const match = chosenOf(await matchesOf(context, form), placeQuery)
    if (match) return { identifier: match.identifier, name: match.name }
  }
  throw new NotFound('the site has no such place')
}

/** The matches that can be searched, in the order of the site. */
async function matchesOf(context: Context, query: string): Promise<Match[]> {
  const reply = await context.fetch(LOOK_UP, {
    query: { query, limit: 10, exclude: 'STREET' },
    // Without `accept` the look-up answers in XML.
    as: 'fetch',
    headers: { ...LANGUAGE, accept: 'application/json' },
    errors: OWN_ADDRESS,
  })
  const rows = listAt(await reply.json({ blocked: blockOf }), 'matches')
  const matches = rows.flatMap((row): Match[] => {
    const [type, id] = [textOrNull(at(row, 'type')), idOrNull(at(row, 'id'))]
    const name = textOrNull(at(row, 'displayName'))
    return type === null || id === null ? [] : [{ type, identifier: `${type}^${id}`, name }]
  })
  if (rows.length > 0 && matches.length === 0)
    throw new SourceChanged('no match of the look-up has a type and an id')
  return matches
}

/** The place of the page that the site has under a name. Its absence does not prove that there is no such place. */
async function readNamedPage(context: Context, name: string): Promise<Place> {
  try {
    const reply = await context.fetch(`/property-for-sale/${name}.html`, {
      as: 'document',
      headers: LANGUAGE,
      errors: OWN_ADDRESS,
    })
    const page = resultPageOf(context, await reply.text())
    if (page.identifier === null) throw new SourceChanged('the page does not name its place')
    return { identifier: page.identifier, name: page.name }
  } catch (error) {
    const isMissing = error instanceof SourceError && error.code === 'not-found'
    throw isMissing ? new SourceChanged('the site has no page of that name') : error
  }
}

/**
 * The name of a place's page: `Milton-Keynes` for `milton keynes`. Null for a query that is more than a name: without
 * the look-up, the Newport of one county cannot be told from that of another.
 */
function pageName(query: string): string | null {
  if (query.includes(',')) return null
  const words = placeQueryIn(query).place.split(/[\s-]+/)
  if (!words.every((word) => /^[\p{L}\p{N}]+$/u.test(word))) return null
  return words.map((word) => encodeURIComponent(word[0]!.toUpperCase() + word.slice(1))).join('-')
}
