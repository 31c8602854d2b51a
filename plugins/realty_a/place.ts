/**
 * From a query to the place that is searched: the site's look-up of places, or, where that can't be read, the page
 * that the site has under a place's name.
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
 * @throws {NotFound} when the look-up has no such place
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

/** The block or captcha page that a body is; an empty one is a block too. Undefined for any other body. */
export const refusalOf = (body: string): SourceError | undefined =>
  body.trim() === '' ? new Blocked('an empty page') : blockPage(body)

const identifierIn = (match: unknown): string | null => identifierOf(at(match, 'type'), at(match, 'id'))

/** `REGION^61310`; null without type or id. */
export function identifierOf(type: unknown, id: unknown): string | null {
  const [kind, number] = [textOrNull(type), idOrNull(id)]
  return kind === null || number === null ? null : `${kind}^${number}`
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
