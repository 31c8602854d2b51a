/**
 * Towns and ZIP codes of the site of homes, where one of each was recorded.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { stateOf } from '../../plugins/realty_b/places/states.ts'
import type { Exchange } from '../../src/plugin/testing.ts'
import type { SiteRequest } from './matching.ts'
import { partsOf } from './request-parts.ts'
import { isUnknownName, unknownName } from './unknown-names.ts'

const RECORDED = {
  id: '14157',
  state: 'WA',
  city: 'Port Townsend',
  zip: '98368',
  path: '/city/14157/WA/Port-Townsend',
}
/** A state for each first digit of a ZIP code. */
const STATES = ['MA', 'NY', 'VA', 'FL', 'OH', 'MN', 'IL', 'TX', 'CO', 'CA']

/** Recorded places whose look-up was recorded as refused. A refusal would close the look-up for other places too. */
const REFUSED: Readonly<Record<string, object>> = {
  'Port Townsend, WA': { id: '2_14157', type: '2', name: 'Port Townsend', subName: 'WA', url: RECORDED.path },
  'Old Weir, Washington': {
    id: '2_14162',
    type: '2',
    name: 'Old Weir',
    subName: 'WA',
    url: '/city/14162/WA/Old-Weir',
  },
  '12 Alder Street, Port Townsend, WA 98368': {
    id: '1_70000201',
    type: '1',
    name: '12 Alder St',
    subName: 'Port Townsend, WA',
    url: '/WA/Port-Townsend/12-Alder-St-98368/home/70000201',
  },
}

/** The look-up's answer, except for a place with a recorded one. It knows every town, and no other house. */
export function placesAnswer(request: SiteRequest, recorded: ReadonlySet<string>): Exchange | undefined {
  const parts = partsOf(request)
  if (!/\/location-autocomplete$/.test(parts[0]?.value ?? '')) return undefined
  const location = parts.find(({ name }) => name === 'location')?.value.trim() ?? ''
  const row = REFUSED[location]
  if (row === undefined && recorded.has(location)) return undefined
  const exactMatch = row ?? (isUnknownName(location) ? undefined : townNamed(location))
  if (exactMatch === undefined) return unknownName('realty_b', request)
  const answer = {
    version: 661,
    errorMessage: 'Success',
    resultCode: 0,
    payload: { exactMatch, sections: [] },
  }
  return { request: request.path, body: `{}&&${JSON.stringify(answer)}` }
}

/** A made-up town of the name, in the state that stands behind it. */
function townNamed(location: string): object | undefined {
  const [name = '', behind] = location.split(/,\s*/)
  const state = behind === undefined ? RECORDED.state : stateOf(behind)?.code
  const words = name.split(/[\s-]+/).filter((word) => word !== '')
  // Without its state, a town is letters alone.
  const isName = (behind === undefined ? /^[\p{L} .-]+$/u : /^[\p{L}' .-]+$/u).test(name)
  if (state === undefined || words.length === 0 || !isName) return undefined
  const slug = words.map(capital).join('-')
  const id = String(1_000_000 + (Number.parseInt(hash('sha256', slug).slice(0, 6), 16) % 9_000_000))
  return { id: `2_${id}`, type: '2', name, subName: state, url: `/city/${id}/${state}/${slug}` }
}

/** Words that have a capital anywhere, such as `d'Alene`, stay. */
const capital = (word: string): string =>
  /\p{Lu}/u.test(word) ? word : word[0]!.toUpperCase() + word.slice(1)

/** The recorded request for the homes of a town or a ZIP code, and the change of its answer; undefined for others. */
export function townRequest(
  request: SiteRequest,
): { readonly request: SiteRequest; readonly change: (text: string) => string } | undefined {
  const { path } = request
  const [, id, state, slug, rest] = /^\/city\/(\d+)\/([A-Z]{2})\/([^/?]+)(.*)$/.exec(path) ?? []
  if (id !== undefined && state !== undefined && slug !== undefined && path.split('?')[0] !== RECORDED.path)
    return {
      request: { ...request, path: RECORDED.path + rest },
      change: inTown({ id, state, slug, city: decodeURIComponent(slug).replaceAll('-', ' ') }),
    }
  const zip = /^\/zipcode\/(\d{5})/.exec(path)?.[1]
  if (zip === undefined || zip === RECORDED.zip) return undefined
  const town = inTown({ state: STATES[Number(zip[0])] ?? 'WA', city: 'Sampleton', slug: 'Sampleton' })
  return {
    request: { ...request, path: path.replace(zip, RECORDED.zip) },
    change: (text) => town(text).replaceAll(RECORDED.zip, zip),
  }
}

type Town = { readonly id?: string; readonly state: string; readonly city: string; readonly slug: string }

const inTown =
  ({ id = RECORDED.id, state, city, slug }: Town) =>
  (text: string): string =>
    text
      .replaceAll('Port-Townsend', () => slug)
      .replaceAll(RECORDED.city, () => city)
      .replaceAll(/\bWA\b/g, () => state)
      .replaceAll(`region_id=${RECORDED.id}`, `region_id=${id}`)
