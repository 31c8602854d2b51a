/**
 * Finds the place that a query names: by the site's look-up of places or, if that cannot be read, by the page that the
 * site has under the place's name.
 *
 * @module
 */
import {
  at,
  Blocked,
  blockPage,
  type Context,
  idOrNull,
  listAt,
  NotFound,
  SourceChanged,
  SourceError,
  textOrNull,
} from 'gleaner/plugin'

const LOOK_UP = 'https://los.rightmove.co.uk/typeahead'

/** The location of a place's results. */
export type Place = {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** the identifier from the look-up, e.g. `REGION^61310`; null when only the name of the page is known */
  readonly identifier: string | null
  readonly name: string | null
  /** the error of the look-up, or null; with an error, a missing page does not prove that the place does not exist */
  readonly doubt: SourceError | null
}

/**
 * The place that a query names: the first match of the look-up.
 *
 * @throws {NotFound} when the look-up has no such place
 * @throws {SourceError} the error of the look-up, when it cannot be read and the query is not a plain name
 */
export async function findPlace(context: Context, query: string): Promise<Place> {
  try {
    return await lookUp(context, query)
  } catch (error) {
    if (!(error instanceof SourceError) || error.code === 'not-found' || error.code === 'bad-input')
      throw error
    const name = pageName(query)
    if (name === null) throw error
    context.log('the look-up of places failed; reading the page by name', { code: error.code })
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
  const matches = listAt(await reply.json({ blocked: refusalOf }), 'matches')
  if (matches.length === 0) throw new NotFound('the site has no such place')
  const match = matches.find((one) => identifierIn(one) !== null)
  const identifier = identifierIn(match)
  if (identifier === null) throw new SourceChanged('no match of the look-up has a type and an id')
  return {
    path: '/property-for-sale/find.html',
    query: { locationIdentifier: identifier },
    identifier,
    name: textOrNull(at(match, 'displayName')),
    doubt: null,
  }
}

/** The error for a block or captcha page; an empty body counts as a block. Undefined for any other body. */
export const refusalOf = (body: string): SourceError | undefined =>
  body.trim() === '' ? new Blocked('an empty page') : blockPage(body)

const identifierIn = (match: unknown): string | null => identifierOf(at(match, 'type'), at(match, 'id'))

/** `REGION^61310`; null without type or id. */
export function identifierOf(type: unknown, id: unknown): string | null {
  const [kind, number] = [textOrNull(type), idOrNull(id)]
  return kind === null || number === null ? null : `${kind}^${number}`
}

/**
 * The name of a place's page: `Milton-Keynes` for `milton keynes`. Null for a query that is more than a name: without
 * the look-up, the Newport of one county cannot be told from that of another.
 */
function pageName(query: string): string | null {
  const words = query
    .replace(/['.]/g, '')
    .trim()
    .split(/[\s-]+/)
  if (!words.every((word) => /^[\p{L}\p{N}]+$/u.test(word))) return null
  return words.map((word) => encodeURIComponent(word[0]!.toUpperCase() + word.slice(1))).join('-')
}
