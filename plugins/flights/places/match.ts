/**
 * Finds places by name in the project's own table.
 *
 * @module
 */
import { type Airport, type City, readAirports, readCities } from './table.ts'

/** The airports of a place; `isSure` is false if other places of the same name are as likely. */
export type Match = { readonly airports: readonly string[]; readonly isSure: boolean }

/** The airports of one place of the table. */
type AirportGroup = readonly Airport[]

/** The airports of a metropolitan code, such as `LON`; undefined for any other code, and for one that an airport has too. */
export async function metropolitan(code: string): Promise<readonly string[] | undefined> {
  const cities = await readCities()
  const isAirport = cities.some(({ airports }) => airports.includes(code))
  return isAirport ? undefined : cities.find((city) => city.code === code)?.airports
}

/**
 * The place that a name means: a city, otherwise an airport. A text after the last comma may name the country or the
 * region, such as `London, Canada` or `Athens, GA`. Of several places, the one with a large airport is meant.
 *
 * @returns undefined when the table has no such place
 */
export async function matchOf(text: string): Promise<Match | undefined> {
  const [airports, cities] = await Promise.all([readAirports(), readCities()])
  const comma = text.lastIndexOf(',')
  const readings = [[text, '']]
  if (comma >= 0) readings.push([text.slice(0, comma), text.slice(comma + 1)])
  for (const [name = '', area = ''] of readings) {
    const [whole, bare, isThere] = [fold(name), bareOf(name), areaTest(fold(area))]
    const ways = [
      () => citiesNamed(whole, airports, cities),
      () => airportsWith(airports, ({ name }) => fold(name) === whole),
      () => airportsWith(airports, ({ others }) => others.some((each) => fold(each) === whole)),
      // `Heathrow` is the London Heathrow Airport.
      () => airportsWith(airports, (one) => [bare, `${fold(one.city)} ${bare}`].includes(bareOf(one.name))),
    ]
    for (const find of bare === '' ? [] : ways) {
      const matches = find().filter((place) => area === '' || place.some(isThere))
      if (matches.length > 0) return mostLikely(matches)
    }
  }
  return undefined
}

function mostLikely(matches: readonly AirportGroup[]): Match {
  const large = matches.filter((place) => place.some(({ isLarge }) => isLarge))
  const place = large[0] ?? matches[0]!
  return { airports: place.map(({ code }) => code), isSure: matches.length === 1 || large.length === 1 }
}

const airportsWith = (airports: readonly Airport[], isMeant: (airport: Airport) => boolean): AirportGroup[] =>
  airports.filter(isMeant).map((airport) => [airport])

/** The cities of a name. A city has its large airports, or all if none is large. */
function citiesNamed(name: string, airports: readonly Airport[], cities: readonly City[]): AirportGroup[] {
  const several = cities
    .filter(({ code, names }) => [code, ...names].some((each) => fold(each) === name))
    .map((city) => city.airports.flatMap((code) => airports.filter((airport) => airport.code === code)))
  const cityAirports = new Set(several.flat())
  // A city may be written with another name: `San José (Alajuela)`, `Pullman/Moscow`.
  const own = airports.filter(({ city }) =>
    [city, ...city.split(/[(/)]/)].some((each) => fold(each) === name),
  )
  const others = [...Map.groupBy(own, ({ country, region }) => `${country}-${region}`).values()]
    .filter((group) => !group.some((airport) => cityAirports.has(airport)))
    .map((group) => {
      const large = group.filter(({ isLarge }) => isLarge)
      return large.length > 0 ? large : group
    })
  return [...several, ...others]
}

const USUAL: Readonly<Record<string, string>> = {
  uk: 'GB',
  england: 'GB',
  scotland: 'GB',
  usa: 'US',
  uae: 'AE',
}

/** Whether an airport is in a country or region, by its code or the country's English name. */
function areaTest(area: string): (airport: Airport) => boolean {
  const names = new Intl.DisplayNames('en', { type: 'region' })
  const code = USUAL[area] ?? area.toUpperCase()
  return ({ country, region }) => [country, region].includes(code) || fold(names.of(country) ?? '') === area
}

const STROKED: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', ð: 'd', ı: 'i', ß: 'ss', æ: 'ae' }

/** A name without case, accents and punctuation, for comparison. */
const fold = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[łøđðıßæ]/g, (letter) => STROKED[letter]!)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** The name of an airport without the words that most of them have. */
const bareOf = (name: string): string => fold(name.replace(/\b(?:international|airport)\b/gi, ''))
