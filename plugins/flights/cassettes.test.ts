/** The cassettes: one for each route, with sample data of the project's own. */
import { describe, expect, test } from 'bun:test'
import { readCassette } from 'gleaner/plugin/testing'
import { ids, run } from './fixtures/run.ts'
import { search } from './search.ts'

const play = async (name: string) => {
  const { input, exchanges } = readCassette(new URL(`./fixtures/${name}.json`, import.meta.url))
  const { limit, ...whole } = input
  return { input, ...(await run(whole, exchanges)) }
}

describe('the cassette of', () => {
  test('the page lists six offers from the airports of a city', async () => {
    const { input, items, rest, error, route } = await play('search')
    expect([input, error, route]).toEqual([search.example, null, 'page'])
    expect(rest).toMatchObject({ origin: 'London', currency: 'USD', best_count: 2, other_count: 4 })
    expect(ids(items)).toEqual(['made01', 'made02', 'made03', 'made04', 'made05', 'made06'])
    expect(items.map(({ price }) => price)).toEqual([411.6, 365.44, 298, null, 530.9, 547.75])
    expect(items[2]).toMatchObject({ stops: 2, arrival_day_offset: 1, arrival_at: '2030-05-15T08:30:00' })
    expect(items[2]?.layovers.map(({ changes_airport }) => changes_airport)).toEqual([false, true])
    expect(items[5]?.departure_at).toBe('2030-05-14T00:30:00')
  })

  test('the look-up finds a place that the table does not know', async () => {
    const { items, rest, error, requests } = await play('unknown-name')
    expect([error, requests.map(({ method }) => method)]).toEqual([null, ['POST', 'GET']])
    expect(ids(items)).toEqual(['made21', 'made22'])
    expect(items.map(({ price_scope }) => price_scope)).toEqual(['round_trip', 'round_trip'])
    expect(rest).toMatchObject({ best_count: 1, other_count: 1, adults: 2 })
  })

  test('the data service lists what a silent page does not', async () => {
    const { items, error, route, requests } = await play('without-rows')
    expect([error, route, requests.length]).toEqual([null, 'service', 3])
    expect(items.map(({ offer_id, is_best, price }) => [offer_id, is_best, price])).toEqual([
      ['made33', true, 70],
      ['made34', false, null],
    ])
  })

  test('the cards of a page without data are read once each', async () => {
    const { items, error, route } = await play('without-data')
    expect([error, route]).toEqual([null, 'cards'])
    expect(items.map(({ offer_id, price, stops }) => [offer_id, price, stops])).toEqual([
      ['made41', 96, 0],
      ['made42', 1204, 1],
      ['made43', null, 0],
    ])
  })
})
