import { describe, expect, test } from 'bun:test'
import { chosenOf } from './choice.ts'
import { placeQueryIn } from './query.ts'

describe('the look-up is asked for', () => {
  test.each<[string, string[]]>([
    ["King's Fernton", ['Kings Fernton']],
    ['King’s Fernton', ['Kings Fernton']],
    ['St. Fern', ['St Fern']],
    ['Fernward Ho!', ['Fernward Ho']],
    [' "Fern"  &  Co: why? ', ['Fern & Co why']],
    ['Fern-on-Sea', ['Fern-on-Sea']],
    ['Fernwell, Loamshire', ['Fernwell Loamshire', 'Fernwell']],
    ['Fernwell,', ['Fernwell']],
    [', Loamshire', ['Loamshire']],
    ['?!', []],
  ])('%j as %j', (query, forms) => {
    expect(placeQueryIn(query).forms).toEqual(forms)
  })
})

describe('the match of a query', () => {
  const choose = (query: string, matches: readonly [type: string, name: string | null][]) => {
    const all = matches.map(([type, name], i) => ({ type, name, identifier: `${type}^${i}` }))
    return chosenOf(all, placeQueryIn(query))?.identifier
  }
  const fern = [
    ['STATION', 'Fern Station'],
    ['REGION', 'Fernley, Loamshire'],
    ['REGION', 'Upper Fern, Loamshire'],
    ['REGION', 'Fern, Loamshire'],
    ['REGION', 'Fern, Isle of Loam'],
  ] as [string, string][]

  test.each<[string, string]>([
    ['fern', 'REGION^3'],
    ['FERN!', 'REGION^3'],
    ['Fern, Isle of Loam', 'REGION^4'],
    ['Upper Fern', 'REGION^2'],
    ['Fern station', 'STATION^0'],
    // No name has all of its words: the site's first match.
    ['Ferny', 'STATION^0'],
  ])('%j among places and stations is %s', (query, identifier) => {
    expect(choose(query, fern)).toBe(identifier)
  })

  test.each<[string, [string, string | null][], string | undefined]>([
    [
      'a station where no region has the name',
      [
        ['REGION', 'Angelfern'],
        ['STATION', 'Angel Station'],
      ],
      'STATION^1',
    ],
    [
      'a region before an outcode before a postcode',
      [
        ['POSTCODE', 'Angel'],
        ['OUTCODE', 'Angel'],
        ['REGION', 'Angel'],
      ],
      'REGION^2',
    ],
    [
      'a type of the site that is not known comes last',
      [
        ['STREET', 'Angel'],
        ['POSTCODE', 'Angel'],
      ],
      'POSTCODE^1',
    ],
    [
      'a name with other punctuation and words',
      [
        ['REGION', 'Angels'],
        ['REGION', "St. An'gel, Loam"],
      ],
      'REGION^1',
    ],
    ['no name at all', [['REGION', null]], 'REGION^0'],
    ['nothing', [], undefined],
  ])('is %s', (_, matches, identifier) => {
    expect(choose('angel', matches)).toBe(identifier)
  })

  test('"station" prefers a station to a region of the same name', () => {
    const both = [
      ['REGION', 'Fern Station'],
      ['STATION', 'Fern Station'],
    ] as [string, string][]
    expect([choose('Fern Station', both), choose('Fern Station, Loam', both)]).toEqual([
      'STATION^1',
      'STATION^1',
    ])
  })

  const codes = [
    ['STATION', 'East Fern'],
    ['OUTCODE', 'FE8'],
    ['OUTCODE', 'FE8A'],
    ['POSTCODE', 'FE8 1AA'],
  ] as [string, string][]
  test.each<[string, string | undefined]>([
    ['fe8', 'OUTCODE^1'],
    ['FE8A', 'OUTCODE^2'],
    ['fe81aa', 'POSTCODE^3'],
    ['FE8 1AA, Loamshire', 'POSTCODE^3'],
    ['FE8 2BB', 'OUTCODE^1'],
    ['FE9', undefined],
    ['FE9 1AA', undefined],
  ])('of the postcode %j is %s, never a station', (query, identifier) => {
    expect(choose(query, codes)).toBe(identifier)
  })
})
