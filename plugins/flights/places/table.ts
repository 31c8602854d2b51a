/**
 * The project's own table of places: airports with scheduled flights, and cities with several airports.
 *
 * `airports.json` is cut from the data of OurAirports (ourairports.com, public domain) of May 2026. A row is code, size (L
 * or M), country, region, city, name, and further names. `cities.json` was written for this project: metropolitan code,
 * spellings, and airports, the largest first.
 *
 * @module
 */

/** An airport of the table. */
export type Airport = {
  readonly code: string
  readonly isLarge: boolean
  /** ISO 3166, such as `GB` */
  readonly country: string
  /** ISO 3166-2 without the country, such as `ENG` */
  readonly region: string
  readonly city: string
  readonly name: string
  readonly others: readonly string[]
}

/** A city with several airports; `code` is its metropolitan code, such as `LON`. */
export type City = {
  readonly code: string
  readonly names: readonly string[]
  readonly airports: readonly string[]
}

/** Reads the airports. The file is loaded once in a process, by the first search that names a place. */
export async function readAirports(): Promise<Airport[]> {
  const { default: rows } = await import('./airports.json', { with: { type: 'json' } })
  return rows.map((row) => {
    const [code = '', size, country = '', region = '', city = '', name = '', others = ''] = row.split('\t')
    const own = region.slice(country.length + 1)
    return { code, isLarge: size === 'L', country, region: own, city, name, others: others.split(', ') }
  })
}

/** Reads the cities with several airports. */
export async function readCities(): Promise<City[]> {
  const { default: rows } = await import('./cities.json', { with: { type: 'json' } })
  return (rows as [string, string[], string[]][]).map(([code, names, airports]) => ({
    code,
    names,
    airports,
  }))
}
