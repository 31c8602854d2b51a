/** The health of a task, derived from the ends of its runs. */
import { describe, expect, test } from 'bun:test'
import { type Health, healthOf, standingAt, withDrift } from '../../../src/domain/health/standing.ts'

const NOW = Date.parse('2026-06-02T12:00:00Z')
const HOUR = 3_600_000
const ago = (ms: number): string => new Date(NOW - ms).toISOString()
/** `+` a good end, `-` a bad one, oldest first, the last one a minute ago. */
const ends = (signs: string) =>
  [...signs].map((sign, i) => ({ at: ago((signs.length - i) * 60_000), good: sign === '+' }))

describe('health', () => {
  test.each<[string, Health]>([
    ['', 'unknown'],
    ['+', 'healthy'],
    ['++++++++++++++++++++', 'healthy'],
    ['---------+++++++++++', 'degraded'],
    ['+++++++-++++-+++++-+', 'healthy'],
    ['++-++++-++++-+++++-+', 'degraded'],
    ['-', 'degraded'],
    ['--', 'degraded'],
    ['++++-', 'degraded'],
    ['+++++-', 'healthy'],
    ['---+', 'degraded'],
    ['---', 'broken'],
    ['+++++++++++++++++---', 'broken'],
    ['--------------------', 'broken'],
  ])('after %s is %s', (signs, expected) => {
    expect(healthOf(ends(signs), NOW)).toBe(expected)
  })

  test('counts the last 24 hours only', () => {
    const bad = { at: ago(24 * HOUR), good: false }
    const good = { at: ago(24 * HOUR - 1), good: true }
    expect(healthOf([bad, bad, bad], NOW)).toBe('unknown')
    expect(healthOf([bad, bad, bad, good], NOW)).toBe('healthy')
    expect(healthOf([good, { ...bad, at: ago(1) }, { ...bad, at: ago(1) }], NOW)).toBe('degraded')
  })
})

test('the health changes by itself as ends grow older than a day, and says since when', () => {
  const told = [
    { at: ago(30 * HOUR), good: false, code: 'source-blocked' },
    { at: ago(28 * HOUR), good: true, code: null },
    { at: ago(27 * HOUR), good: true, code: null },
  ]
  const last = { health: 'degraded', health_since: ago(40 * HOUR) } as const
  const states: [number, Health, string][] = [
    [27, 'degraded', ago(40 * HOUR)],
    [6.5, 'degraded', ago(40 * HOUR)],
    [5, 'healthy', ago(6 * HOUR)],
    [3, 'unknown', ago(3 * HOUR)],
    [0, 'unknown', ago(3 * HOUR)],
  ]
  for (const [hours, health, health_since] of states)
    expect(standingAt(last, told, NOW - hours * HOUR)).toEqual({ health, health_since })
})

describe('with drift', () => {
  const drift = [{ field: 'price', was: 1, now: 0 }]
  const [begin, latest, earlier, later] = [ago(20 * HOUR), ago(HOUR), ago(9 * HOUR), ago(8 * HOUR)]
  const by = (health: Health) => ({ health, health_since: begin })
  const change = (from: Health, health: Health, at: string) => ({ from, health, at, drift: [] })

  test.each<[string, ReturnType<typeof withDrift>, ReturnType<typeof withDrift>]>([
    ['failures are worse than lost fields', withDrift(by('degraded'), drift, null, latest), by('degraded')],
    ['without runs nothing is known', withDrift(by('unknown'), drift, null, latest), by('unknown')],
    ['no field is lost', withDrift(by('healthy'), [], null, latest), by('healthy')],
    [
      'a drift that is not announced begins with the latest end',
      withDrift(by('healthy'), drift, null, latest),
      { health: 'drifting', health_since: latest },
    ],
    [
      'an announced drift began when it was announced',
      withDrift(by('healthy'), drift, change('healthy', 'drifting', later), latest),
      { health: 'drifting', health_since: later },
    ],
    [
      'the end of a drift that is not announced is the latest end',
      withDrift(by('healthy'), [], change('healthy', 'drifting', later), latest),
      { health: 'healthy', health_since: latest },
    ],
    [
      'the state after a drift began when it was announced',
      withDrift(by('healthy'), [], change('drifting', 'healthy', later), latest),
      { health: 'healthy', health_since: later },
    ],
    [
      'a later state by ends began with its end',
      withDrift(
        { health: 'healthy', health_since: later },
        [],
        change('drifting', 'healthy', earlier),
        latest,
      ),
      { health: 'healthy', health_since: later },
    ],
    [
      'another announced change says nothing about a drift',
      withDrift(by('healthy'), [], change('broken', 'healthy', later), latest),
      by('healthy'),
    ],
  ])('%s', (_, standing, expected) => {
    expect(standing).toEqual(expected)
  })
})
