/**
 * From a query to the place that is searched: the site's look-up of places, or, where that can't be read, the page
 * that the site has under a place's name.
 *
 * @module
 */
import {
  at,
  type Context,
  idOrNull,
  listAt,
  NotFound,
  SourceChanged,
  SourceError,
  textOrNull,
} from 'gleaner/plugin'
import { refusalOf } from './refusal.ts'

const LOOK_UP = 'https://los.rightmove.co.uk/typeahead'

/** Where a place's results are. */
export type Place = {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** as the look-up has it, e.g. `REGION^61310`; null where only the name of the page is known */
  readonly identifier: string | null
  readonly name: string | null
  /** why the look-up could not be read; then a page that is missing says nothing about the place */
  readonly doubt: SourceError | null
}

/**
 * The place that a query means: the first match of the look-up.
 *
 * @throws {NotFound} when the look-up knows no such place
 * @throws {SourceError} of the look-up, when it can't be read and the query is no plain name of a page
 */
export async function findPlace(context: Context, query: string): Promise<Place> {
  try {
    return await lookUp(context, query)
  } catch (error) {
    if (!(error instanceof SourceError) || error.code === 'not-found' || error.code === 'bad-input')
      throw error
    const name = pageName(query)
    if (name === null) throw error
    context.log('the look-up of places failed, the page by name is read', { code: error.code })
    return { path: `/property-for-sale/${name}.html`, query: {}, identifier: null, name: null, doubt: error }
  }
}

async function lookUp(context: Context, query: string): Promise<Place> {
  const reply = await context.fetch(LOOK_UP, {
    query: { query, limit: 10, exclude: 'STREET' },
    headers: { accept: 'application/json', 'accept-language': 'en-GB' },
    accept: [404, 410],
  })
  if (reply.status >= 400) throw new SourceChanged(`the look-up of places answered ${reply.status}`)
  const matches = listAt(parsed(await reply.text()), 'matches')
  if (matches.length === 0) throw new NotFound('the site knows no such place')
  const match = matches.find((one) => identifierOf(one) !== null)
  const identifier = identifierOf(match)
  if (identifier === null) throw new SourceChanged('no match of the look-up has a type and an id')
  return {
    path: '/property-for-sale/find.html',
    query: { locationIdentifier: identifier },
    identifier,
    name: textOrNull(at(match, 'displayName')),
    doubt: null,
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw refusalOf(body) ?? new SourceChanged('the look-up of places is no JSON')
  }
}

function identifierOf(match: unknown): string | null {
  const type = textOrNull(at(match, 'type'))
  const id = idOrNull(at(match, 'id'))
  return type === null || id === null ? null : `${type}^${id}`
}

/**
 * `milton keynes` as `Milton-Keynes`. Null for what is more than a name: without the look-up nothing would tell the
 * Newport of one county from that of another.
 */
function pageName(query: string): string | null {
  const words = query
    .replace(/['.]/g, '')
    .trim()
    .split(/[\s-]+/)
  if (!words.every((word) => /^[\p{L}\p{N}]+$/u.test(word))) return null
  return words.map((word) => encodeURIComponent(word[0]!.toUpperCase() + word.slice(1))).join('-')
}
