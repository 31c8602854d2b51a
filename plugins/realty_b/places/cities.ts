/**
 * Finds the page of a city without the look-up: on the page of its state, which lists the popular cities, and in the
 * sitemap of all cities of the state.
 *
 * @module
 */
import { BadInput, Blocked, type Context, SourceChanged, SourceError, Unavailable } from 'gleaner/plugin'
import { askPage, refusalOf } from '../answer.ts'
import { WITHOUT_LOOK_UP } from './look-up.ts'
import { type Place, wordsOf } from './place.ts'
import { type State, stateOf } from './states.ts'

/** A city that a query names. */
export type CityName = { readonly name: string; readonly state: State }

/** How long the cities of a state are remembered, in seconds: they hardly ever change. */
const KEPT_S = 3 * 24 * 3600
/** The largest sitemap, in bytes. One state's has less than 200,000. */
const LARGEST = 8 * 1024 * 1024

/** The city and state of a query such as `Austin, TX`; undefined for any other query. */
export function cityNameIn(query: string): CityName | undefined {
  const [, name = '', after = ''] = /^\s*([^\d,][^,]*),([^,]+)$/.exec(query) ?? []
  const state = stateOf(after)
  return state && { name, state }
}

/**
 * The city, as the page of its state lists it. Of several with its name, the page lists the most popular one first.
 *
 * @throws {Unavailable} when the page does not list it
 */
export async function cityOnStatePage(context: Context, { name, state }: CityName): Promise<Place> {
  const path = `/state/${state.name.replaceAll(' ', '-')}`
  const cities = await citiesAt(context, path, state, async () => (await askPage(context, path)).text())
  const [first] = withName(name, cities)
  if (first === undefined) throw new Unavailable('the state has no such popular city')
  return first
}

/**
 * The city, as the sitemap of its state lists it.
 *
 * @throws {BadInput} when the state has several cities of this name
 * @throws {Blocked} when the sitemap does not list it: it may be a neighborhood or county, which need the look-up
 */
export async function cityInSitemap(context: Context, { name, state }: CityName): Promise<Place> {
  const path = `/sitemap_com_city_${state.code}.xml.gz`
  const cities = await citiesAt(context, path, state, async () =>
    unzipped(await (await askPage(context, path)).bytes()),
  )
  const [first, second] = withName(name, cities)
  if (first === undefined) throw new Blocked(`the state has no such city; ${WITHOUT_LOOK_UP}`)
  if (second !== undefined) throw new BadInput('the state has several cities of this name: use a ZIP code')
  return first
}

const withName = (name: string, cities: readonly Place[]): readonly Place[] =>
  cities.filter((city) => folded(city.name?.replace(/, ..$/, '') ?? '') === folded(name))

/** A name for comparison: words without case, accents and punctuation. */
const folded = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/[\u0300-\u036f.'’]/g, '')
    .toLowerCase()
    .replace(/[\s-]+/g, ' ')
    .trim()

const citiesAt = (context: Context, path: string, { code }: State, read: () => Promise<string>) =>
  context.memory.once(`cities at ${path}`, async () => {
    const text = await read()
    const cities = citiesIn(text, code)
    if (cities.length === 0) throw refusalOf(text) ?? new SourceChanged(`${path} lists no cities`)
    return { value: cities, seconds: KEPT_S }
  })

/** The cities of a state whose paths a text holds, each once. */
function citiesIn(text: string, code: string): readonly Place[] {
  const cities = new Map<string, Place>()
  for (const [path, id = '', state, slug = ''] of text.matchAll(
    /\/city\/(\d+)\/([A-Z]{2})\/([^"'<>/?#\s]+)/g,
  ))
    if (state === code && !cities.has(id))
      cities.set(id, { kind: 'city', id, name: `${wordsOf(slug)}, ${code}`, path })
  return [...cities.values()]
}

/** The text of a gzip file, or of one that the server has already unzipped. */
async function unzipped(bytes: Uint8Array): Promise<string> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return new TextDecoder().decode(bytes)
  const decoder = new TextDecoder()
  let text = ''
  try {
    const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream('gzip'))
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true })
      if (text.length > LARGEST) throw new SourceError('response-too-large', 'the sitemap is too large')
    }
  } catch (error) {
    throw error instanceof SourceError ? error : new SourceChanged('the sitemap is not a gzip file')
  }
  return text
}
