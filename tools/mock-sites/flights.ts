/**
 * The flights of the mock site: the recorded ones, between the airports and on the day that a request asks for.
 *
 * @module
 */
import airports from '../../plugins/flights/places/airports.json' with { type: 'json' }
import type { Exchange } from '../../src/plugin/testing.ts'
import type { SiteRequest } from './matching.ts'
import { partsOf } from './request-parts.ts'

const RECORDED = { from: ['LHR', 'LGW'], to: ['JFK', 'EWR'], day: '2030-05-14' }
const NAMES: Readonly<Record<string, string>> = {
  LHR: 'Heathrow Airport',
  LGW: 'Gatwick Airport',
  JFK: 'John F. Kennedy International Airport',
  EWR: 'Newark Liberty International Airport',
}

/** The change of a recorded answer that suits a request. Places that were not recorded are unknown to the look-up. */
export function flightsAnswer(request: SiteRequest): (exchange: Exchange) => Exchange {
  const tfs = partsOf(request).find(({ name }) => name === 'tfs')?.value
  const trip = tfs === undefined ? undefined : tripOf(tfs)
  return (exchange) => {
    const { body } = exchange
    if (typeof body !== 'string') return exchange
    if (request.path.includes('rpcids=H028ib'))
      return decodeURIComponent(request.body).includes('Fjordby') ? exchange : { ...exchange, body: NO_PLACE }
    return trip === undefined || exchange.request.includes('tfs=')
      ? exchange
      : { ...exchange, body: inTrip(body, trip) }
  }
}

const NO_PLACE = `)]}'\n\n[["wrb.fr","H028ib","[[]]"]]\n`

type Trip = { readonly from: readonly string[]; readonly to: readonly string[]; readonly day: string }

/** The first leg of a trip: the texts of the token stand in the order day, origins, destinations. */
function tripOf(tfs: string): Trip | undefined {
  const token = Buffer.from(tfs, 'base64url').toString('latin1')
  const [, leg = ''] = token.split(/(?=\x12\x0a\d{4}-\d\d-\d\d)/)
  const day = /\d{4}-\d\d-\d\d/.exec(leg)?.[0]
  // Field 13 holds an origin and field 14 a destination. An airport is { 1: 1, 2: code }.
  const codes = (field: string) =>
    [...leg.matchAll(new RegExp(`${field}\\x07\\x08\\x01\\x12\\x03([A-Z]{3})`, 'g'))].map(
      ([, code = '']) => code,
    )
  return day === undefined ? undefined : { from: codes('j'), to: codes('r'), day }
}

function inTrip(body: string, { from, to, day }: Trip): string {
  const codes = new Map([...pairs(RECORDED.from, from), ...pairs(RECORDED.to, to)])
  const names = new Map([...codes].map(([recorded, code]) => [NAMES[recorded] ?? recorded, nameOf(code)]))
  const shift = Date.parse(day) - Date.parse(RECORDED.day)
  return body
    .replaceAll(/"([A-Z]{3})"/g, (text, code: string) => (codes.has(code) ? `"${codes.get(code)}"` : text))
    .replaceAll(new RegExp(Object.values(NAMES).join('|'), 'g'), (name) => names.get(name) ?? name)
    .replaceAll(/\[(2030),(\d+),(\d+)\]/g, (_, year: string, month: string, date: string) => {
      const at = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date)) + shift)
      return `[${at.getUTCFullYear()},${at.getUTCMonth() + 1},${at.getUTCDate()}]`
    })
}

/** Airports in place of the recorded ones; none if the recorded ones are asked for. */
const pairs = (recorded: readonly string[], asked: readonly string[]): [string, string][] =>
  asked.length === 0 || asked.includes(recorded[0]!)
    ? []
    : recorded.map((code, i) => [code, asked[i] ?? asked[0]!])

function nameOf(code: string): string {
  const row = airports.find((each) => each.startsWith(`${code}\t`))
  return (row?.split('\t')[5] ?? `${code} Airport`).replaceAll(/["'\\<>]/g, '’')
}
