/** Changes of signed-in states: only what a run changed is merged into the current state. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  changesBetween,
  changesOfCookies,
  cookiesIn,
  withChanges,
} from '../../src/browser/page/state-changes.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const HOUR_S = 3600
const inHours = (hours: number): number => NOW / 1000 + hours * HOUR_S

const cookie = (name: string, value: string, expires = -1) => ({
  name,
  value,
  expires,
  domain: '.site.example',
  path: '/',
  secure: true,
  httpOnly: true,
  sameSite: 'Lax' as const,
})
type Cookies = ReturnType<typeof cookie>[]
const state = (cookies: Cookies, origins: object[] = []) => JSON.stringify({ cookies, origins })
const origin = (local: Record<string, string>, databases?: object[]) => ({
  origin: 'https://site.example',
  localStorage: Object.entries(local).map(([name, value]) => ({ name, value })),
  ...(databases ? { indexedDB: databases } : {}),
})
const valuesIn = (text: string) => Object.fromEntries(cookiesIn(text).map(({ name, value }) => [name, value]))
const keysOf = (before: string, after: string) =>
  changesBetween(before, after, NOW).map(({ key, piece }) => [...JSON.parse(key), piece !== null])

test('applying the changes between two states to the first yields the second', () => {
  const name = fc.constantFrom('a', 'b', 'c')
  const value = fc.constantFrom('1', '2', '3')
  const some = fc
    .record({ cookies: fc.dictionary(name, value), local: fc.dictionary(name, value) })
    .map(({ cookies, local }) =>
      state(
        Object.entries(cookies).map(([n, v]) => cookie(n, v)),
        Object.keys(local).length > 0 ? [origin(local, [])] : [],
      ),
    )
  const sorted = (text: string) => {
    const { cookies, origins } = JSON.parse(text)
    const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name)
    return [cookies.sort(byName), origins[0]?.localStorage.sort(byName)]
  }
  fc.assert(
    fc.property(some, some, (before, after) => {
      const result = withChanges(before, changesBetween(before, after, NOW))
      expect(sorted(result)).toEqual(sorted(after))
      expect(changesBetween(result, after, NOW)).toEqual([])
    }),
  )
})

test('two runs with different changes do not undo each other’s changes', () => {
  const start = state([cookie('a', '1'), cookie('b', '1'), cookie('c', '1')], [origin({ x: '1', y: '1' })])
  const one = state([cookie('a', '2'), cookie('b', '1'), cookie('c', '1')], [origin({ x: '2', y: '1' })])
  const other = state([cookie('a', '1'), cookie('b', '2')], [origin({ x: '1', y: '1', z: '1' })])
  const both = withChanges(
    withChanges(start, changesBetween(start, one, NOW)),
    changesBetween(start, other, NOW),
  )
  expect(valuesIn(both)).toEqual({ a: '2', b: '2' })
  expect(JSON.parse(both).origins).toEqual([origin({ x: '2', y: '1', z: '1' }, [])])
})

describe('the expiry of a cookie', () => {
  test.each([
    ['moved by less than an hour is no change', 48, 48.9, false],
    ['moved by an hour is a change', 48, 49, true],
    ['removed to make it a session cookie is a change', 48, null, true],
    ['within the hour and moved by a tenth of the time left is a change', 0.5, 0.56, true],
    ['within the hour and moved by less is no change', 0.5, 0.54, false],
  ])('%s', (_, before, after, isChanged) => {
    const end = (hours: number | null) => state([cookie('a', '1', hours === null ? -1 : inHours(hours))])
    expect(changesBetween(end(before), end(after), NOW)).toHaveLength(isChanged ? 1 : 0)
  })

  test('that has passed makes its removal no change', () => {
    expect(changesBetween(state([cookie('a', '1', inHours(-1))]), state([]), NOW)).toEqual([])
  })
})

test('a missing database is no change, since it may have been left out; a present one is replaced', () => {
  const database = (name: string, version: number) => ({ name, version, stores: [] })
  const before = state([], [origin({ x: '1' }, [database('a', 1), database('b', 1)])])
  expect(keysOf(before, state([], [origin({ x: '1' })]))).toEqual([])
  const after = state([], [origin({}, [database('a', 2)])])
  expect(keysOf(before, after)).toEqual([
    ['indexedDB', 'https://site.example', 'a', true],
    ['localStorage', 'https://site.example', 'x', false],
  ])
})

test('cookies that responses set or delete are changes, and host-only cookies are distinct from them', () => {
  const before = state([
    cookie('a', '1'),
    cookie('b', '1'),
    { ...cookie('a', 'own'), domain: 'site.example' },
  ])
  const changes = changesOfCookies([cookie('a', '2'), cookie('b', '', 0), cookie('c', '3')], NOW)
  const after = cookiesIn(withChanges(before, changes))
  expect(after.map(({ name, value, domain }) => [name, value, domain])).toEqual([
    ['a', '2', '.site.example'],
    ['a', 'own', 'site.example'],
    ['c', '3', '.site.example'],
  ])
})
