import { afterAll, beforeAll, expect, test } from 'bun:test'
import { starterNames } from '../../../src/console/account/starters.ts'
import type { Actor } from '../../../src/domain/events.ts'
import { type House, startHouse, to } from '../house.ts'

let house: House
beforeAll(async () => {
  house = await startHouse()
  await house.setUp()
})
afterAll(() => house.close())

const newKey = async (name: string | null) => {
  const created = { accountId: house.accountId, name, scopes: ['runs'], expiresAt: null } as const
  const cause = { correlationId: 'test', causationId: 'test', now: Date.now() }
  return (await house.service.deps.keys.create(created, cause)).record
}

test('keys and people have their names, and what has none is described', async () => {
  const [ci, other, nameless, nightly] = [
    await newKey('ci'),
    await newKey('ci'),
    await newKey(null),
    await newKey('nightly'),
  ]
  await house.joins('member', 'Gus')
  const gone = await house.joins('member', 'Gil')
  const people = await Promise.all(
    ['gus', 'gil'].map((name) => house.rooms.people.idOf(`${name}@example.org`)),
  )
  expect(to(await gone.post('/console/me/delete'))).toBe('/console/sign-in')
  await house.service.shown()
  const expected: Record<Actor, string> = {
    [`key:${ci.key_id}`]: `key ci (${ci.prefix}…)`,
    [`key:${other.key_id}`]: `key ci (${other.prefix}…)`,
    [`key:${nameless.key_id}`]: `key ${nameless.prefix}…`,
    [`key:${nightly.key_id}`]: 'key nightly',
    [`person:${people[0]}`]: 'Gus',
    [`person:${people[1]}`]: 'a removed person',
    [`key:key_${'0'.repeat(26)}`]: 'an unknown key',
    operator: 'the operator',
    service: 'the service',
  }
  const deps = { readModels: house.service.deps.readModels, people: house.rooms.people }
  const names = await starterNames(deps, Object.keys(expected) as Actor[])
  expect(Object.fromEntries(names)).toEqual(expected)
})
