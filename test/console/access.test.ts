import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { consoleEndpoints } from '../../src/console/console.ts'
import type { PageDeps } from '../../src/console/visitor.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { type House, startHouse, to, type Visitor } from './house.ts'

let house: House
let ann: Visitor
beforeAll(async () => {
  house = await startHouse()
  ann = await house.setUp()
})
afterAll(() => house.close())

const routes = () => consoleEndpoints({} as PageDeps).map(({ method, path }) => ({ method, path }))
/** The routes of an account, with its id and ids of missing things. */
const ofAccount = (account: string) =>
  routes()
    .filter(({ path }) => path.startsWith('/console/:account'))
    .map(({ method, path }) => ({
      method,
      path: path
        .replace(':account', account)
        .replace(':task', 'sample.search')
        .replace(':run', `run_${'0'.repeat(26)}`)
        .replace(':webhook', `whk_${'0'.repeat(26)}`)
        .replace(':format', 'csv')
        .replace(':name', 'x'),
    }))

describe('access', () => {
  test('every page and form of an account is 404 to people of other accounts, as for a missing account', async () => {
    const other = await house.service.openAccount()
    const before = await house.types()
    for (const account of [other.accountId, `acc_${'0'.repeat(26)}`])
      for (const { method, path } of ofAccount(account)) {
        const answer = method === 'GET' ? await ann.open(path) : await ann.post(path, { source: 'sample' })
        expect({ method, path, status: answer.status }).toEqual({ method, path, status: 404 })
        expect(await answer.text()).not.toContain('test')
      }
    expect(await house.types()).toEqual(before)
  })

  test('without a session every page redirects to the sign-in, and no form has an effect', async () => {
    const nobody = house.visitor()
    const before = await house.types()
    for (const { method, path } of ofAccount(house.accountId)) {
      const answer = method === 'GET' ? await nobody.open(path) : await nobody.post(path)
      expect({ path, to: to(answer).split('?')[0] }).toEqual({ path, to: '/console/sign-in' })
    }
    expect(await house.types()).toEqual(before)
  })

  test('pages are shown while the use of a session cannot be recorded, as on a full disk', async () => {
    const replace = () => Promise.reject(new StoreUnavailable('the disk is full'))
    const full = await startHouse({ stores: ({ tickets }) => ({ tickets: { ...tickets, replace } }) })
    const visitor = await full.setUp()
    full.service.clock.offset = 120_000
    expect(await visitor.get(full.own)).toContain('<main')
    await full.close()
  })

  test('a viewer reads everything and changes nothing; a member cannot change members', async () => {
    const [viewer, member] = [await house.joins('viewer', 'Vic'), await house.joins('member', 'Mia')]
    const before = await house.types()
    for (const { method, path } of ofAccount(house.accountId)) {
      if (path.includes('/runs/') || path.includes('/webhooks/') || path.endsWith('/changes')) continue
      const answer = method === 'GET' ? await viewer.open(path) : await viewer.post(path)
      expect({ method, path, status: answer.status }).toEqual({
        method,
        path,
        status: method === 'GET' ? 200 : 403,
      })
      await answer.text()
    }
    for (const form of ['invite', 'link', 'withdraw', 'role', 'remove', 'reset'])
      expect((await member.post(`${house.own}/members/${form}`)).status).toBe(403)
    const refused = await member.post(`${house.own}/settings`, { name: 'x' })
    expect(refused.status).toBe(403)
    expect(await refused.text()).toMatch(/<h1>Not allowed<\/h1>[\s\S]*Only an owner of this account/)
    expect(await house.types()).toEqual(before)
    const admin = await member.post(`${house.own}/keys`, { name: 'x', scopes: ['admin'] })
    expect(admin.status).toBe(422)
  })

  test("the operator's pages are 404 for others", async () => {
    const member = await house.joins('owner', 'Olga')
    for (const { method, path } of routes()) {
      if (!path.startsWith('/console/operator')) continue
      const real = path.replace(':account', house.accountId)
      const answer = method === 'GET' ? await member.open(real) : await member.post(real)
      expect({ real, status: answer.status }).toEqual({ real, status: 404 })
    }
  })

  test('a session does not open the API, and a key does not open the console', async () => {
    const { cookie } = ann
    expect((await house.service.send('/v1/account', { headers: { cookie } })).status).toBe(401)
    const { key } = await house.service.openAccount()
    expect((await house.service.send(house.own, { key, headers: { accept: 'text/html' } })).status).toBe(303)
  })

  test('the live stream of a removed member ends', async () => {
    const member = await house.joins('member', 'Liv')
    const stream = await member.send(`${house.own}/changes`)
    expect(stream.headers.get('content-type')).toContain('text/event-stream')
    const reader = stream.body!.getReader()
    const ended = (async () => {
      while (!(await reader.read()).done);
    })()
    const person_id = (await house.rooms.people.idOf('liv@example.org'))!
    to(await ann.post(`${house.own}/members/remove`, { person_id }))
    await ended
  })

  test('a removed member loses access at once, and so do the keys that they made, also with other keys', async () => {
    const owner = await house.joins('owner', 'Rob')
    const scopes = ['runs', 'admin']
    const page = await owner.submit(`${house.own}/keys`, { name: 'robs', scopes })
    const first = /gln_\w+_\w{6}/.exec(page)![0]
    const creation = await house.service.post('/admin/create-key', first, { scopes })
    const keys = [first, ((await creation.json()) as { api_key: string }).api_key]
    const statuses = () =>
      Promise.all(keys.map(async (key) => (await house.service.send('/v1/account', { key })).status))
    expect(await statuses()).toEqual([200, 200])
    const person_id = (await house.rooms.people.idOf('rob@example.org'))!
    to(await ann.post(`${house.own}/members/remove`, { person_id }))
    expect((await owner.send(house.own)).status).toBe(404)
    expect(await statuses()).toEqual([401, 401])
    const revoked = (await house.types()).filter((type) => type === 'KeyRevoked')
    expect(revoked.length).toBeGreaterThanOrEqual(keys.length)
  })
})

test('a key of a removed member is refused even when the process died before revoking it', async () => {
  const owner = await house.joins('owner', 'Kim')
  const page = await owner.submit(`${house.own}/keys`, { name: 'kims', scopes: ['runs'] })
  const key = /gln_\w+_\w{6}/.exec(page)![0]
  expect((await house.service.send('/v1/account', { key })).status).toBe(200)
  const personId = (await house.rooms.people.idOf('kim@example.org'))!
  const { accountId } = house
  const cause = { accountId, correlationId: 'test', causationId: 'test' }
  await house.service.deps.accounts.handle({ type: 'remove', accountId, personId }, cause)
  const answer = await house.service.send('/v1/account', { key })
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([401, 'revoked-key'])
})

describe('the own profile', () => {
  test('cannot be deleted by the last owner of an account, but by another owner, and the address is forgotten', async () => {
    const own = await house.service.openAccount()
    const owner = await house.joins('owner', 'Lena', own.accountId)
    const refused = await owner.post('/console/me/delete')
    expect(refused.status).toBe(409)
    expect(await refused.text()).toContain('last owner')
    const second = await house.joins('owner', 'Lars', own.accountId)
    expect(to(await owner.post('/console/me/delete'))).toBe('/console/sign-in')
    expect((await owner.send('/console/me')).status).toBe(303)
    expect(await house.rooms.people.idOf('lena@example.org')).toBeUndefined()
    expect(await second.get(`/console/${own.accountId}/members`)).not.toContain('lena@example.org')
  })

  test('lists the sessions, a new password ends the other ones, and it cannot be guessed without limit', async () => {
    await house.joins('member', 'Sam')
    const signedIn = async () => {
      const who = house.visitor()
      to(await who.post('/console/sign-in', { email: 'sam@example.org', password: 'correct horse battery' }))
      return who
    }
    const [one, two] = [await signedIn(), await signedIn()]
    const page = await one.get('/console/me')
    expect([...page.matchAll(/name="id" value="[0-9a-f]{64}"/g)].length).toBe(3)
    const fields = { current: 'correct horse battery', password: 'another good password' }
    to(await one.post('/console/me/password', fields))
    const guesses = Array.from({ length: 12 }, () =>
      one.post('/console/me/password', { ...fields, current: 'x' }),
    )
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 422).length).toBeLessThanOrEqual(6)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(6)
    expect(await one.get('/console/me')).toContain('Your profile')
    expect((await two.send('/console/me')).status).toBe(303)
  })
})
