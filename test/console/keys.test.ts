import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
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
    to(await ann.post(`${house.own}/keys/revoke`, { key_id: key_id! }))
    expect((await house.service.send('/v1/account', { key })).status).toBe(401)
  })
})
