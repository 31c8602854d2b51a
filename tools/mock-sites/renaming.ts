/**
 * Lets the mock sites answer other names than the ones that were recorded: the recorded answer, with the name that was
 * asked for in place of the recorded one. A name that begins with `nobody` or `xyzzy` is unknown to all sites. What a
 * request is answered depends on that request alone, so runs at the same time do not mix their names.
 *
 * @module
 */
import type { Cassette, Exchange } from '../../src/plugin/testing.ts'
import { flightsAnswer } from './flights.ts'
import { Links } from './links.ts'
import type { SiteRequest } from './matching.ts'
import { type NamedRequest, type Names, namesIn, namesOfInput } from './names.ts'
import { placesAnswer, townRequest } from './places.ts'
import { changed } from './request-parts.ts'
import { isUnknownName, unknownId, unknownName } from './unknown-names.ts'

/** What a request leads to. */
export type Renamed = {
  /** the requests that may have been recorded, best first */
  readonly requests: readonly SiteRequest[]
  /** an answer instead of a recorded one, such as that a name is unknown */
  readonly own?: Exchange
  /** Puts the asked names into a recorded answer. */
  answer(exchange: Exchange): Exchange
}

const asRecorded = (exchange: Exchange): Exchange => exchange

/** The names of one family. */
export class Renaming {
  private readonly namesOf = new Map<Exchange, Names>()
  private readonly recorded: readonly Names[]
  private readonly links: Links

  constructor(
    private readonly family: string,
    cassettes: readonly Cassette[],
  ) {
    const all = cassettes.map(({ input, exchanges }) => ({ exchanges, names: namesOfInput(family, input) }))
    for (const { exchanges, names } of all)
      for (const exchange of exchanges) this.namesOf.set(exchange, names)
    this.recorded = all.map(({ names }) => names)
    this.links = new Links(family, cassettes)
  }

  of(received: NamedRequest): Renamed {
    const { family } = this
    const followed = this.links.follow(received)
    const request = { method: received.method, path: followed.request.path, body: followed.request.body }
    if (followed.isUnknown) return { requests: [], own: unknownId(family, request), answer: asRecorded }
    if (family === 'flights') return { requests: [request], answer: flightsAnswer(request) }
    if (family === 'realty_b') return this.ofTown(request)
    const asked = new Map([...namesIn(family, { ...received, ...request }), ...(followed.names ?? [])])
    const unknown = [...asked.values()].some(isUnknownName) ? unknownName(family, request) : undefined
    if (unknown) return { requests: [], own: unknown, answer: asRecorded }
    const requests = this.recorded.map((names) => withNames(request, asked, names))
    return {
      requests: unique([request, ...requests].flatMap((each) => [each, ...otherOrders(family, each)])),
      answer: (exchange) => this.inAnswer(exchange, asked),
    }
  }

  /** Homes are recorded for one town and one ZIP code. Their paths have the name. */
  private ofTown(request: SiteRequest): Renamed {
    const known = new Set(this.recorded.flatMap((names) => [...names.values()]))
    const own = placesAnswer(request, known)
    if (own) return { requests: [], own, answer: asRecorded }
    const town = townRequest(request)
    return town
      ? { requests: [request, town.request], answer: (exchange) => inTexts(exchange, town.change) }
      : { requests: [request], answer: asRecorded }
  }

  private inAnswer(exchange: Exchange, asked: Names): Exchange {
    const own = this.namesOf.get(exchange) ?? new Map<string, string>()
    const other = [...own].filter(([of, name]) => {
      const wanted = asked.get(of)
      return wanted !== undefined && !isSame(wanted, name)
    })
    if (other.length === 0) return exchange
    return inTexts(exchange, (text, isJson) => {
      const renamed = other.reduce((next, [of, name]) => {
        const wanted = asked.get(of)!
        return withName(next, this.formsOf(of, name), isJson ? wanted : plain(wanted))
      }, text)
      return this.links.inText(renamed, asked)
    })
  }

  /** The forms of a name in texts: the name, its longer words, `Robin Sees` for `robin.sees`, and names around it. */
  private formsOf(of: string, name: string): string[] {
    const apart = name.replaceAll(/[._]/g, ' ').replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    const around = this.recorded.flatMap((names) => names.get(of) ?? []).filter((each) => each.includes(name))
    return [name, apart, ...around, ...name.split(/\s+/).filter((word) => word.length > 3)]
  }
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

const unique = (requests: readonly SiteRequest[]): SiteRequest[] => [
  ...new Map(requests.map((each) => [`${each.path}\n${each.body}`, each])).values(),
]

/** A request for recorded names. */
function withNames(request: SiteRequest, asked: Names, recorded: Names): SiteRequest {
  return [...asked].reduce((next, [of, name]) => {
    const known = recorded.get(of)
    if (known === undefined || isSame(known, name)) return next
    return changed(next, (value) => value.replaceAll(name, () => known))
  }, request)
}

/** The lists of the forum are recorded in a few orders each, those of homes in two pages. */
function otherOrders(family: string, request: SiteRequest): SiteRequest[] {
  const { path } = request
  if (family === 'realty_a') return [{ ...request, path: path.replace(/(?<=[?&]index=)[1-9]\d*/, '24') }]
  if (family !== 'forum') return []
  if (/\/search\//.test(path)) {
    const [pathname = '', query] = path.split('?')
    const search = new URLSearchParams(query)
    search.set('sort', 'new')
    search.set('t', 'month')
    return [{ ...request, path: `${pathname}?${search}` }]
  }
  const order = /(?<=-more-posts\/)(?:hot|new|top|rising|best|controversial)(?=\/)/
  if (!order.test(path)) return []
  return ['top', 'new', 'hot'].map((each) => ({
    ...request,
    path: path.replace(order, each).replace(/(?<=[?&]sort=)\w+/, each),
  }))
}

/** A name for texts that are HTML or code, without the characters that have a meaning there. */
const PLAIN: Readonly<Record<string, string>> = {
  '"': '”',
  "'": '’',
  '<': '‹',
  '>': '›',
  '&': '＆',
  '\\': '＼',
}
const plain = (name: string): string => name.replaceAll(/["'<>&\\]/g, (character) => PLAIN[character] ?? '')

function inTexts(exchange: Exchange, change: (text: string, isJson: boolean) => string): Exchange {
  const { json, body } = exchange
  if (json !== undefined) return { ...exchange, json: inJson(json, (text) => change(text, true)) }
  return typeof body === 'string' ? { ...exchange, body: change(body, false) } : exchange
}

/** Numbers are changed if their digits are an id. */
function inJson(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value === 'number') return value > 100_000 ? Number(change(String(value))) : value
  if (Array.isArray(value)) return value.map((each) => inJson(each, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inJson(each, change)]))
}

/** A text with a name in place of words. Words within longer words and identifiers stay. */
function withName(text: string, words: readonly string[], name: string): string {
  const plural = words.find((word) => /^\p{L}{3,}s$/u.test(word))
  const renamed = inPlaceOf(text, words, name)
  return plural === undefined ? renamed : inPlaceOf(renamed, [plural.slice(0, -1)], name.replace(/s$/i, ''))
}

function inPlaceOf(text: string, words: readonly string[], name: string): string {
  const either = [...words].sort((a, b) => b.length - a.length).map(RegExp.escape)
  // Texts of scripts have line breaks as `\n`; addresses of members have an id before the name.
  const pattern = new RegExp(
    `(?:(?<![\\p{L}\\p{N}_-])|(?<=\\\\[nrt]|\\/member\\/\\d+-))(${either.join('|')})(?![\\p{L}\\p{N}_=-])`,
    'giu',
  )
  return text.replaceAll(pattern, (word) => {
    const isCapital = word[0] !== word[0]?.toLowerCase()
    return isCapital ? name[0]?.toUpperCase() + name.slice(1) : name
  })
}
