import { describe, expect, test } from 'bun:test'
import { tfsOf } from '../../../plugins/flights/trip.ts'
import type { Exchange } from '../../../src/plugin/testing.ts'
import { flightsAnswer } from '../../../tools/mock-sites/flights.ts'

const PAGE: Exchange = {
  request: 'GET /travel/flights?tfu=x',
  body: '["LHR","Heathrow Airport","John F. Kennedy International Airport","JFK",[2030,5,14],[2030,5,15]]',
}
const airport = (id: string) => ({ kind: 'airport', id }) as const

function pageFor(from: string, to: string, depart: string) {
  const trip = { origin: [airport(from)], destination: [airport(to)], depart, return: undefined, adults: 1 }
  return flightsAnswer({ method: 'GET', path: `/travel/flights?tfs=${tfsOf(trip)}`, body: '' })(PAGE).body
}

describe('the mock site of flights', () => {
  test('answers with the airports and on the day of the request', () => {
    expect(pageFor('CDG', 'FCO', '2026-12-31')).toBe(
      '["CDG","Charles de Gaulle International Airport",' +
        '"Rome–Fiumicino Leonardo da Vinci International Airport","FCO",[2026,12,31],[2027,1,1]]',
    )
  })

  test('changes only the days of the recorded trip', () => {
    expect(pageFor('LHR', 'JFK', '2030-05-14')).toBe(String(PAGE.body))
  })

  test('knows no place but the recorded one', () => {
    const found: Exchange = { request: 'POST /x?rpcids=H028ib', body: 'Fjordby' }
    const ask = (name: string) =>
      flightsAnswer({ method: 'POST', path: '/x?rpcids=H028ib', body: `f.req=${encodeURIComponent(name)}` })(
        found,
      )
    expect(ask('Fjordby')).toEqual(found)
    expect(String(ask('xyzzy').body)).not.toContain('Fjordby')
  })
})
