import { describe, expect, test } from 'bun:test'
import { type Place, shoppingRequestOf, type Trip, tfsOf } from './trip.ts'

const oneWay: Trip = {
  origin: [{ kind: 'airport', id: 'JFK' }],
  destination: [{ kind: 'airport', id: 'LAX' }],
  depart: '2026-09-15',
  return: undefined,
  adults: 1,
}
const roundTrip: Trip = { ...oneWay, return: '2026-09-19' }
const airports = (...codes: readonly string[]): Place => codes.map((id) => ({ kind: 'airport', id }))
const hex = (token: string) => Buffer.from(token, 'base64url').toString('hex')

describe('the tfs token', () => {
  test('encodes a one-way trip byte by byte', () => {
    const bytes = [
      '081c', // 1: 28
      '1002', // 2: 2
      '1a1e', // 3: a leg of 30 bytes
      '120a 323032362d30392d3135', // 2: 2026-09-15
      '6a07 0801 1203 4a464b', // 13: {1: 1, 2: JFK}
      '7207 0801 1203 4c4158', // 14: {1: 1, 2: LAX}
      '4001', // 8: an adult
      '4801', // 9: economy
      '7001', // 14: 1
      '980102', // 19: one way
    ]
    expect(hex(tfsOf(oneWay))).toBe(bytes.join('').replaceAll(' ', ''))
  })

  test('equals the token that the source makes for the same trip', () => {
    expect(tfsOf(oneWay)).toBe('CBwQAhoeEgoyMDI2LTA5LTE1agcIARIDSkZLcgcIARIDTEFYQAFIAXABmAEC')
    expect(tfsOf(roundTrip)).toBe(
      'CBwQAhoeEgoyMDI2LTA5LTE1agcIARIDSkZLcgcIARIDTEFYGh4SCjIwMjYtMDktMTlqBwgBEgNMQVhyBwgBEgNKRktAAUgBcAGYAQE',
    )
  })

  test('has a field for each adult', () => {
    expect(hex(tfsOf({ ...oneWay, adults: 9 }))).toContain(`${'4001'.repeat(9)}4801`)
    expect(hex(tfsOf(oneWay))).not.toContain('40014001')
  })

  test.each([
    ['a city with several airports', 2, '6a0c 0803 1208 2f6d2f3063303031'],
    ['a city with one airport', 1, '6a0c 0802 1208 2f6d2f3063303031'],
    ['a city with an unknown number of airports', undefined, '6a0c 0802 1208 2f6d2f3063303031'],
  ])('encodes %s', (_, airports, bytes) => {
    const origin = { kind: 'city' as const, id: '/m/0c001', ...(airports === undefined ? {} : { airports }) }
    expect(hex(tfsOf({ ...oneWay, origin: [origin] }))).toContain(bytes.replaceAll(' ', ''))
  })

  test('repeats the field of a place for each of its airports', () => {
    const bytes = ['6a07 0801 1203 4a464b', '6a07 0801 1203 455752', '7207 0801 1203 4c4158']
    const token = hex(tfsOf({ ...oneWay, origin: airports('JFK', 'EWR') }))
    expect(token).toContain(bytes.join('').replaceAll(' ', ''))
  })

  test.each([
    [6, 6, 6, 5],
    [11, 1, 10, 1],
    [3, 12, 3, 8],
    [20, 20, 6, 5],
    [5, 6, 5, 6],
  ])(
    'has at most 11 airports a leg: of %d and %d, the first %d and %d',
    (from, to, ofOrigin, ofDestination) => {
      const codes = Array.from({ length: 20 }, (_, i) => `A${String.fromCharCode(65 + i)}Z`)
      const [origin, destination] = [from, to].map((count) => airports(...codes.slice(0, count)))
      const token = hex(tfsOf({ ...roundTrip, origin: origin!, destination: destination! }))
      const count = (field: string) => token.split(`${field}0708011203`).length - 1
      expect([count('6a'), count('72')]).toEqual([ofOrigin + ofDestination, ofOrigin + ofDestination])
      expect(token.split('7207')[0]!.split('6a07').length - 1).toBe(ofOrigin)
    },
  )
})

test('the form of the data service carries the same trip, with places nested as in the source', () => {
  const bodyOf = (trip: Trip) => JSON.parse(JSON.parse(shoppingRequestOf(trip))[1])
  const origin: Place = [{ kind: 'city', id: '/m/0c001', airports: 3 }]
  const leg = (from: unknown[], to: unknown[], day: string, last: number) => [
    [from],
    [to],
    null,
    0,
    null,
    null,
    day,
    ...Array(7).fill(null),
    last,
  ]
  const query = (kind: number, adults: number, legs: unknown[]) => [
    [],
    [null, null, kind, null, [], 1, [adults, 0, 0, 0], ...Array(6).fill(null), legs, null, null, null, 1],
    1,
    0,
    0,
  ]
  expect(bodyOf({ ...oneWay, origin, adults: 2 })).toEqual(
    query(2, 2, [leg([['/m/0c001', 5]], [['LAX', 0]], '2026-09-15', 3)]),
  )
  expect(bodyOf(roundTrip)).toEqual(
    query(1, 1, [
      leg([['JFK', 0]], [['LAX', 0]], '2026-09-15', 3),
      leg([['LAX', 0]], [['JFK', 0]], '2026-09-19', 1),
    ]),
  )
  const several = [
    ['JFK', 0],
    ['EWR', 0],
  ]
  expect(bodyOf({ ...oneWay, origin: airports('JFK', 'EWR') })).toEqual(
    query(2, 1, [leg(several, [['LAX', 0]], '2026-09-15', 3)]),
  )
})
