import { describe, expect, test } from 'bun:test'
import { fitting } from '../../src/plugin/testing/exchanges.ts'
import type { Exchange } from '../../src/plugin/testing.ts'

const ORIGIN = 'https://lamps.example'

/** Whether an exchange matches a request. */
const fits = (exchange: Exchange, path: string, body = '', method = 'GET') =>
  fitting(exchange, ORIGIN)({ method, url: ORIGIN + path, body })

describe('REDACTED in the request of an exchange matches', () => {
  test('any value of a query parameter, but not its absence', () => {
    const exchange = { request: '/search?key=REDACTED&page=1' }
    expect(fits(exchange, '/search?page=1&key=abc')).toBe(true)
    expect(fits(exchange, '/search?page=1&key=REDACTED')).toBe(true)
    expect(fits(exchange, '/search?page=2&key=abc')).toBe(false)
    expect(fits(exchange, '/search?page=1')).toBe(false)
  })

  test('any value of a sent JSON field, but not its absence', () => {
    const exchange = { request: 'POST /search', sent: { page: 1, who: { csrf: 'REDACTED' } } }
    expect(fits(exchange, '/search', '{"page": 1, "who": {"csrf": "abc"}}', 'POST')).toBe(true)
    expect(fits(exchange, '/search', '{"page": 1, "who": {"csrf": 7}}', 'POST')).toBe(true)
    expect(fits(exchange, '/search', '{"page": 2, "who": {"csrf": "abc"}}', 'POST')).toBe(false)
    expect(fits(exchange, '/search', '{"page": 1, "who": {}}', 'POST')).toBe(false)
  })

  test('any part of a sent text', () => {
    const exchange = { request: 'POST /search', sent: 'q=a.b&csrf=REDACTED&page=1' }
    expect(fits(exchange, '/search', 'q=a.b&csrf=x%20y&page=1', 'POST')).toBe(true)
    expect(fits(exchange, '/search', 'q=a.b&csrf=x&page=2', 'POST')).toBe(false)
    expect(fits(exchange, '/search', 'q=aXb&csrf=x&page=1', 'POST')).toBe(false)
  })
})
