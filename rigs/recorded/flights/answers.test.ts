/** Runs over all recorded and made answers. The expected values were read from these by hand. */
import { describe, expect, test } from 'bun:test'
import { runTask } from 'gleaner/plugin/testing'
import airports from '../../../plugins/flights/places/airports.json' with { type: 'json' }
import { search } from '../../../plugins/flights/search.ts'
import { tfsOf } from '../../../plugins/flights/trip.ts'
import { exchangesOf } from '../recordings.ts'
import { cases } from './cases.ts'

const { recordings, source } = cases

/** The recordings are from past days. */
const run = (name: string, more: Record<string, unknown> = {}) => {
  const one = cases.cases.find((each) => each.name === name)!
  const exchanges = exchangesOf(recordings, one)
  return runTask(search, { ...one.input, ...more }, { source, exchanges, now: () => Date.UTC(2024, 0) })
}
const counted = (values: readonly unknown[]) =>
  Object.fromEntries(
    [...new Set(values)].map((value) => [value, values.filter((each) => each === value).length]),
  )

describe('recorded', () => {
  test.each(cases.cases.map(({ name, ends }) => [name!, ends] as const))(
    '%s ends with the expected code',
    async (name, ends) => {
      expect((await run(name)).error?.code).toBe(ends)
    },
  )

  test('every recorded and made answer is used by a case', () => {
    const answers = recordings.files().filter((file) => /^(?:recorded|made)\//.test(file))
    expect([...new Set(cases.cases.flatMap(({ files }) => files))].sort()).toEqual(answers)
  })

  test('the table of airports in the plugin is the one that was published', () => {
    expect(airports).toEqual(recordings.text('places/airports.tsv').split('\n').slice(1, -1))
  })

  test('a page of a round trip yields nine offers, four of them best, one without a price', async () => {
    const { items, rest } = await run('page of a round trip')
    expect(items.map(({ offer_id, price, is_best }) => [offer_id, price, is_best])).toEqual([
      ['k364Fe', 14_411, true],
      ['il72gd', 14_873, true],
      ['bSdLIc', 14_938, true],
      ['ySzoJb', 15_245, true],
      ['kazkO', 16_105, false],
      ['gqMYyd', 16_105, false],
      ['iKbXYd', 16_105, false],
      ['GPEjFc', 16_105, false],
      ['GC6qad', null, false],
    ])
    expect(rest).toMatchObject({ currency: 'INR', best_count: 4, other_count: 5 })
    expect(items[0]).toMatchObject({
      airlines: ['IndiGo'],
      departure_at: '2025-10-15T16:25:00',
      arrival_at: '2025-10-15T18:35:00',
      duration_minutes: 130,
      stops: 0,
      price_scope: 'round_trip',
      co2_grams: 88_000,
      co2_typical_grams: 89_000,
      co2_percent_vs_typical: -1,
      layovers: [],
    })
    expect(items[0]?.segments[0]).toMatchObject({
      flight_number: '5026',
      aircraft: 'Airbus A321neo',
      legroom: '28 in',
    })
    expect(items[2]?.segments[1]?.departure_at).toBe('2025-10-15T11:00:00')
    expect(items[7]).toMatchObject({ arrival_at: '2025-10-16T00:20:00', arrival_day_offset: 1 })
    expect(items[8]).toMatchObject({ airlines: ['Air India'], currency: null, duration_minutes: 250 })
  })

  test('the nine cards of a page without its data yield the same offers as far as they show them', async () => {
    const data = (await run('page of a round trip')).items
    const { items } = await run('page without its data: the cards')
    const same = (all: typeof items) =>
      all.map((item) => [
        item.offer_id,
        item.airlines,
        item.departure_at,
        item.arrival_at,
        item.arrival_day_offset,
        item.duration_minutes,
        item.stops,
        item.price,
        item.currency,
        item.layovers.map(({ airport_name, city, minutes }) => [airport_name, city, minutes]),
      ])
    expect(items.length).toBe(9)
    expect(same(items)).toEqual(same(data))
  })

  test('the page of 2026 has the exact prices and the flights of its offers', async () => {
    const { items, rest } = await run('data of September 2026')
    expect(rest).toMatchObject({ currency: 'USD', best_count: 1, other_count: 2 })
    const flights = items.map(({ offer_id, segments }) => [offer_id, segments[0]?.flight_number])
    expect(flights).toEqual([
      ['fuqYmc', '1523'],
      ['eVt0r', '123'],
      ['VV7jhf', '523'],
    ])
    expect(items[0]).toMatchObject({
      airlines: ['JetBlue'],
      origin: 'JFK',
      destination: 'LAX',
      departure_at: '2026-10-14T15:10:00',
      arrival_at: '2026-10-14T18:22:00',
      duration_minutes: 372,
      stops: 0,
      price: 178.4,
      price_display: 179,
      price_scope: 'one_way',
      is_best: true,
      co2_grams: 422_000,
      co2_typical_grams: 361_000,
      co2_percent_vs_typical: 17,
    })
    expect(items[0]?.segments[0]).toMatchObject({ aircraft: 'Airbus A320', legroom: '33 in' })
  })

  test('separate tickets on the tab of the cheapest are read as any other offer', async () => {
    const { items } = await run('data of October 2026, from the tab of the cheapest')
    expect(items.map(({ offer_id, price, stops, is_best }) => [offer_id, price, stops, is_best])).toEqual([
      ['CvzC4b', 246.2, 0, true],
      ['IMrgxc', 252.8, 0, true],
      ['NuwAyd', 219.97, 1, false],
    ])
    expect(items[2]?.layovers).toMatchObject([{ airport: 'ATL', minutes: 65, changes_airport: false }])
  })

  test('the made page with an empty block and a full one yields the recorded offers', async () => {
    const { items } = await run('made page with two blocks of results')
    expect(items).toEqual((await run('data of September 2026')).items)
  })

  test('a refused look-up leaves the table, which knows a city of that name', async () => {
    const { requests } = await run('look-up refused, for a name of several cities in the table')
    const tfs = tfsOf({
      origin: [{ kind: 'airport', id: 'PDX' }],
      destination: [{ kind: 'airport', id: 'BOM' }],
      depart: '2025-10-15',
      return: undefined,
      adults: 1,
    })
    expect(new URL(requests[1]!.url).searchParams.get('tfs')).toBe(tfs)
  })

  test('a looked-up city is the capital with its two airports', async () => {
    const { requests } = await run('city looked up')
    const tfs = tfsOf({
      origin: [{ kind: 'city', id: '/m/081m_', airports: 2 }],
      destination: [{ kind: 'airport', id: 'BOM' }],
      depart: '2025-10-15',
      return: undefined,
      adults: 1,
    })
    expect(new URL(requests[1]!.url).searchParams.get('tfs')).toBe(tfs)
  })

  test('an answer yields 120 offers to three airports of a city, with one to three stops', async () => {
    const { items, rest } = await run('data of 120 offers, none of them best')
    expect(rest).toMatchObject({ currency: 'EUR', best_count: 0, other_count: 120 })
    expect(counted(items.map(({ destination }) => destination))).toEqual({ AUH: 29, DXB: 42, SHJ: 49 })
    expect(counted(items.map(({ stops }) => stops))).toEqual({ 1: 44, 2: 56, 3: 20 })
    const changes = items.flatMap(({ layovers }) => layovers).filter((layover) => layover.changes_airport)
    expect(changes.map(({ airport, departure_airport }) => [airport, departure_airport])).toEqual([
      ['LCY', 'STN'],
      ['LCY', 'LHR'],
      ['LCY', 'LHR'],
      ['LIN', 'MXP'],
    ])
    expect(items[0]).toMatchObject({
      offer_id: 'IEEvjb',
      price: 369.56,
      price_display: 370,
      price_scope: 'one_way',
    })
    expect(items[119]).toMatchObject({ airlines: ['Lufthansa', 'Royal Jordanian'], price_display: 5419 })
    expect(items.filter(({ arrival_at }) => arrival_at?.endsWith('T00:05:00')).length).toBeGreaterThan(0)
    expect(items[5]?.segments[0]?.operated_by).toBe('KLM Cityhopper')
  })

  test('a limit yields the first offers', async () => {
    const { items, rest } = await run('data of 120 offers, none of them best', { limit: 50 })
    expect([items.length, items[0]?.offer_id, rest.other_count]).toEqual([50, 'IEEvjb', 120])
  })

  test('an answer yields four offers between two cities', async () => {
    const { items } = await run('data of four offers, none of them best')
    expect(
      items.map(({ offer_id, duration_minutes, price_display, stops }) => [
        offer_id,
        duration_minutes,
        price_display,
        stops,
      ]),
    ).toEqual([
      ['jXPChd', 650, 1140, 1],
      ['OAQ9xb', 790, 1140, 1],
      ['NWd6Wc', 680, 1173, 1],
      ['yFSpJ', 740, 2057, 2],
    ])
    expect(items[0]).toMatchObject({
      price: 1139.19,
      arrival_at: '2024-03-05T04:40:00',
      co2_percent_vs_typical: -4,
    })
    expect(items[3]?.airlines).toEqual(['TAROM', 'Turkish Airlines'])
  })

  test('four parts yield the 22 offers of the latest and two of an earlier one, with the latest prices', async () => {
    const { items, rest } = await run('page before its list, then the data service in four parts')
    expect(rest).toMatchObject({ best_count: 4, other_count: 20, currency: 'EUR' })
    const first = (n: number) =>
      items.slice(0, n).map(({ offer_id, price_display }) => [offer_id, price_display])
    expect(first(6)).toEqual([
      ['Dbm1hc', 119],
      ['SWEDjf', 157],
      ['LjhkOb', 199],
      ['KIEaGf', 249],
      ['C5CEuc', 135],
      ['dX8asf', 148],
    ])
    expect(items.filter(({ offer_id }) => offer_id === 'Z36ywe').map(({ price }) => price)).toEqual([148.45])
    expect(items[0]?.price).toBe(118.75)
    expect(items.at(-1)).toMatchObject({
      offer_id: 'gaoLTe',
      airlines: ['Air Europa', 'ITA'],
      price_display: 448,
    })
  })

  test('two parts yield the best offers of the latest one', async () => {
    const { items, rest } = await run('page before its list, then the data service in two parts')
    expect(rest).toMatchObject({ best_count: 4, other_count: 7 })
    expect(items.slice(0, 4).map(({ offer_id, price_display }) => [offer_id, price_display])).toEqual([
      ['LZEoFb', 1062],
      ['fVpFRc', 1062],
      ['drxBS', 1088],
      ['YbBMGd', 1120],
    ])
    expect(items.at(-1)).toMatchObject({
      offer_id: 'fyXF8c',
      destination: 'OKD',
      stops: 3,
      arrival_day_offset: 1,
    })
    expect(items.at(-1)?.segments[0]?.operated_by).toBe('Lufthansa CityLine')
  })
})
