import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { KeyId } from '../../src/domain/ids.ts'
import { type House, startHouse, to, type Visitor } from './house.ts'

let house: House
let ann: Visitor
beforeAll(async () => {
  house = await startHouse()
  ann = await house.setUp()
})
afterAll(() => house.close())

describe('keys', () => {
  test('are shown once and can be revoked', async () => {
    const answer = await ann.submit(`${house.own}/keys`, { name: 'nightly', scopes: ['runs', 'events'] })
    const key = /gln_\w+_\w{6}/.exec(answer)![0]
    expect((await house.service.send('/v1/account', { key })).status).toBe(200)
    const page = await ann.get(`${house.own}/keys`)
    expect(page).not.toContain(key)
    expect(page).toContain('nightly')
    const [, key_id] = /name="key_id" value="(key_\w+)"/.exec(page)!
    const after = to(await ann.post(`${house.own}/keys/revoke`, { key_id: key_id! }))
    expect(await ann.get(after.replace(/#.*/, ''))).toMatch(/id="ended" open>[\s\S]*nightly[\s\S]*revoked/)
    expect((await house.service.send('/v1/account', { key })).status).toBe(401)
  })

  /** The row of a key in the page, as text. */
  const rowOf = (page: string, name: string) =>
    (page.match(/<tr>[\s\S]*?<\/tr>/g) ?? [])
      .find((row) => row.includes(name))
      ?.replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')

  test('name who created them and lead to their runs; those that have ended are folded below', async () => {
    const ben = await house.joins('member', 'Ben')
    await ben.submit(`${house.own}/keys`, { name: 'of Ben', scopes: ['runs'] })
    await house.service.deps.keys.create(
      { accountId: house.accountId, name: 'of nobody', scopes: ['runs'], expiresAt: null },
      { correlationId: 'test', causationId: 'test', now: Date.now() },
    )
    const page = await ben.get(`${house.own}/keys`)
    const [working = '', ended = ''] = page.split('Revoked and expired keys (1)')
    expect(rowOf(working, 'of Ben')).toMatch(/just now .*by Ben never never Runs Revoke/)
    expect(rowOf(working, 'of nobody')).toMatch(/by the operator never never Runs $/)
    expect(rowOf(ended, 'nightly')).toMatch(/by Ann .*revoked just now/)
    const [, path] = /href="([^"]+\/runs\?by=key_\w+)"/.exec(working)!
    expect(await ben.get(path!)).toContain('Filters (1)')
  })

  test('a period ends with its last day in the zone of the browser, and the same form makes one key', async () => {
    const today = new Date(house.service.deps.now()).toISOString().slice(0, 10)
    const form = { name: 'month', scopes: ['runs'], days: '30', idempotency_key: 'one' }
    await ann.submit(`${house.own}/keys`, form)
    await ann.submit(`${house.own}/keys`, form)
    const keys = await house.service.deps.keys.list(house.accountId)
    const made = keys.filter(({ name }) => name === 'month')
    const day = new Date(Date.parse(today) + 30 * 86_400_000).toISOString().slice(0, 10)
    expect(made.map(({ expires_at }) => expires_at)).toEqual([`${day}T23:59:59.999Z`])
  })

  test.each([
    ['another period', { days: '31' }, 'Choose one of these periods.'],
    ['a period that is no number', { days: 'otter' }, 'Choose one of these periods.'],
    ['a period and a day', { days: '30', expires: '2999-01-01' }, 'Choose a period or a day, not both.'],
    ['a day in the past', { expires: '2001-01-01' }, 'Choose today or a later day.'],
  ])('%s is refused, and the form keeps what was chosen', async (_, fields, error) => {
    const before = (await house.service.deps.keys.list(house.accountId)).length
    const answer = await ann.post(`${house.own}/keys`, { name: 'x', scopes: ['runs'], ...fields })
    expect(answer.status).toBe(422)
    const page = await answer.text()
    expect(page).toContain(error)
    if ('expires' in fields) expect(page).toContain(`value="${fields.expires}"`)
    expect(await house.service.deps.keys.list(house.accountId)).toHaveLength(before)
  })

  test('of many that have ended, the 50 that ended last are shown, and the page says where all are', async () => {
    const { keys } = house.service.deps
    const cause = { correlationId: 'test', causationId: 'test', now: Date.now() }
    const { accountId } = await house.service.openAccount()
    const ids: KeyId[] = []
    for (let n = 50; n >= 0; n--) {
      const created = { accountId, name: `key ${n} of many`, scopes: ['runs'], expiresAt: null } as const
      ids.push((await keys.create(created, cause)).record.key_id)
    }
    // The oldest one is revoked last.
    for (const [n, id] of ids.toReversed().entries())
      await keys.revoke(id, accountId, { ...cause, now: cause.now + n })
    const zoe = await house.joins('viewer', 'Zoe', accountId)
    const page = await zoe.get(`/console/${accountId}/keys`)
    expect(page).toContain('Revoked and expired keys (51)')
    expect(page).toContain('GET /admin/list-keys')
    expect([rowOf(page, 'key 50 of many'), rowOf(page, 'key 0 of many')]).toEqual([
      expect.any(String),
      undefined,
    ])
  })
})
