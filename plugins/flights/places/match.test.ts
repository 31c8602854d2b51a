/** The project's own table of places: real cities and airports, which are public facts. */
import { describe, expect, test } from 'bun:test'
import { matchOf, metropolitan } from './match.ts'
import { readAirports, readCities } from './table.ts'

describe('a name means', () => {
  test.each([
    ['a city with several airports', 'London', 'LHR LGW STN LTN LCY SEN'],
    ['a city without its accents', 'sao  PAULO', 'GRU CGH VCP'],
    ['a city with letters that have no accent to drop', 'lodz', 'LCJ'],
    ['a city by another spelling', 'Roma', 'FCO CIA'],
    ['a city by its metropolitan code in lower case', 'lon', 'LHR LGW STN LTN LCY SEN'],
    ['a city by its name with a comma', 'Washington, DC', 'IAD DCA BWI'],
    ['all large airports of a city', 'Orlando', 'MCO SFB'],
    ['the medium airports of a city without a large one', 'Hamilton, Canada', 'YHM'],
    ['the only one of several cities with a large airport', 'Birmingham', 'BHX'],
    ['a city of a country', 'London, Canada', 'YXU'],
    ['a city of a country by its code', 'London, gb', 'LHR LGW STN LTN LCY SEN'],
    ['a city of a country by its usual short name', 'London, UK', 'LHR LGW STN LTN LCY SEN'],
    ['a city of a region', 'Athens, GA', 'AHN'],
    ['a city of several airports in a region', 'New York, NY', 'JFK EWR LGA'],
    ['an airport', 'Dubai International Airport', 'DXB'],
    ['an airport without its city', 'Heathrow', 'LHR'],
    ['an airport without its usual words', 'Los Angeles airport', 'LAX'],
    ['an airport by a further name', 'Bombay', 'BOM'],
  ])('%s: %s', async (_, name, codes) => {
    const match = await matchOf(name)
    expect([match?.airports.join(' '), match?.isSure]).toEqual([codes, true])
  })

  test.each([
    ['two cities with large airports', 'Portland', 'PDX'],
    ['two cities without large airports', 'Springfield', 'SGF'],
    ['two cities of a country', 'San José, Costa Rica', 'SJO'],
  ])('not surely one of %s: %s', async (_, name, code) => {
    expect(await matchOf(name)).toEqual({ airports: [code], isSure: false })
  })

  test.each([
    '',
    ' ',
    ',',
    'airport',
    'International Airport',
    'Old Town',
    'London, Japan',
    'East Lond',
    '*',
  ])('nothing: "%s"', async (name) => {
    expect(await matchOf(name)).toBeUndefined()
  })
})

test('a metropolitan code means all airports of its city, unless it is the code of an airport', async () => {
  const codes = await Promise.all(['NYC', 'IST', 'JFK', 'ZZZ'].map(metropolitan))
  expect(codes).toEqual([['JFK', 'EWR', 'LGA'], undefined, undefined, undefined])
})

test('the table is consistent', async () => {
  const [airports, cities] = [await readAirports(), await readCities()]
  const codes = new Set(airports.map(({ code }) => code))
  expect(codes.size).toBe(airports.length)
  expect(airports.filter(({ code, country }) => !/^[A-Z]{3} [A-Z]{2}$/.test(`${code} ${country}`))).toEqual(
    [],
  )
  expect(cities.flatMap((city) => city.airports).filter((code) => !codes.has(code))).toEqual([])
  // A metropolitan code that is also an airport's is the code of one of the city's own airports.
  const sharedCodes = cities.filter(({ code, airports }) => codes.has(code) && !airports.includes(code))
  expect(sharedCodes).toEqual([])
})
