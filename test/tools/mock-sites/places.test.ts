import { describe, expect, test } from 'bun:test'
import type { Exchange } from '../../../src/plugin/testing.ts'
import { Renaming } from '../../../tools/mock-sites/renaming.ts'

const CITY = '/city/14157/WA/Port-Townsend'
const HOMES: Exchange = {
  request: CITY,
  body: 'region_id=14157 {"city":"Port Townsend","state":"WA","url":"/WA/Port-Townsend/1"}',
}
const input = { query: 'Port Townsend, WA' }
const site = new Renaming('realty_b', [{ task: 'realty_b.search', input, exchanges: [HOMES] }])
const get = (path: string) => ({ method: 'GET', path, body: '' })
const lookUp = (location: string) =>
  site.of(get(`/stingray/do/location-autocomplete?${new URLSearchParams({ location })}`))

describe('the mock site of homes', () => {
  test.each([
    ['Austin, TX', 'TX', 'Austin'],
    ["Coeur d'Alene, ID", 'ID', "Coeur d'Alene"],
    ['Austin', 'WA', 'Austin'],
  ])('finds %s and its homes, also on a later page', (location, state, city) => {
    const { own } = lookUp(location)
    const url = /"url":"([^"]+)"/.exec(String(own?.body))?.[1] ?? ''
    for (const page of ['', '/page-2']) {
      const { requests, answer } = site.of(get(url + page))
      expect(requests).toContainEqual(get(CITY + page))
      expect(answer(HOMES).body).toContain(`"city":"${city}","state":"${state}"`)
      expect(answer(HOMES).body).toContain(`region_id=${url.split('/')[2]} `)
    }
  })

  test.each(['Xyzzy, WA', "it's", 'a "b"', '1 Made-up St'])('knows no place %s', (location) => {
    expect(String(lookUp(location).own?.body)).toContain('"sections":[]')
  })

  test('answers what was recorded as it was recorded, with a look-up that refuses nobody', () => {
    expect(String(lookUp('Port Townsend, WA').own?.body)).toContain(`"url":"${CITY}"`)
    expect(site.of(get(CITY)).answer(HOMES)).toEqual(HOMES)
  })
})
