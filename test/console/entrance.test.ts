import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { duringHash } from '../../rigs/support/quick-passwords.ts'
import { nextOf } from '../../src/console/redirect.ts'
import type { PersonId } from '../../src/domain/ids.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { type House, ORIGIN, PASSWORD, startHouse, to } from './house.ts'

const houses: House[] = []
async function start(env: Record<string, string> = {}): Promise<House> {
  const house = await startHouse({ env })
  houses.push(house)
  return house
}
afterAll(async () => {
  for (const house of houses) await house.close()
})

describe('setting up', () => {
  test('the setup link can be viewed repeatedly, creates the owner and operator once, and is 404 afterwards', async () => {
    const house = await start()
    const link = await house.rooms.links.make({ kind: 'setup' })
    expect(await house.visitor().get(link)).toContain('Set up Gleaner')
    const who = await house.enters(link, 'Ann', 'ann@example.org')
    expect(await who.get(house.own)).toContain('First steps')
    expect(await who.get('/console/operator')).toContain(house.accountId)
    expect((await house.visitor().send(link)).status).toBe(404)
    const again = { name: 'Eve', email: 'eve@example.org', password: PASSWORD }
    expect((await house.visitor().post(link, again)).status).toBe(404)
    const another = await house.rooms.links.make({ kind: 'setup' })
    expect((await house.visitor().post(another, again)).status).toBe(404)
    expect((await house.types()).filter((type) => type === 'OperatorGranted')).toHaveLength(1)
  })

  test('a refused form names the errors and does not use up the link', async () => {
    const house = await start()
    const link = await house.rooms.links.make({ kind: 'setup' })
    const answer = await house.visitor().post(link, { name: ' ', email: 'no', password: 'tiny-word' })
    expect(answer.status).toBe(422)
    const text = await answer.text()
    expect(text).toContain('Enter a name.')
    expect(text).toContain('Enter an e-mail address')
    expect(text).toContain('Use at least 12 characters.')
    expect(text).not.toContain('tiny-word')
    await house.enters(link, 'Ann', 'ann@example.org')
  })

  const setsUp = async (house: House, account: string) => {
    const link = await house.rooms.links.make({ kind: 'setup' })
    const fields = { name: 'Ann', email: 'ann@example.org', password: PASSWORD, account }
    return house.visitor().post(link, fields)
  }

  test('the person may name the account, as its owner and once they have joined', async () => {
    const house = await start()
    expect((await setsUp(house, ' Acme   Imports ')).status).toBe(303)
    expect((await house.service.deps.accounts.state(house.accountId)).name).toBe('Acme Imports')
    const events = await house.service.events()
    const renamed = events.findIndex(({ type }) => type === 'AccountRenamed')
    const joined = events.findIndex(({ type }) => type === 'PersonJoined')
    expect(renamed).toBeGreaterThan(joined)
    expect(events[renamed]?.meta.actor).toStartWith('person:per_')
  })

  test('an empty name keeps the one that the account has', async () => {
    const house = await start()
    expect((await setsUp(house, '  ')).status).toBe(303)
    expect((await house.service.deps.accounts.state(house.accountId)).name).toBe('default')
    expect(await house.types()).not.toContain('AccountRenamed')
  })

  test('a name that is too long is refused beside its field, and nobody joins', async () => {
    const house = await start()
    const answer = await setsUp(house, 'x'.repeat(101))
    expect(answer.status).toBe(422)
    expect(await answer.text()).toContain('id="account-error">Use at most 100 characters.')
    expect(await house.types()).not.toContain('PersonJoined')
  })

  test('if the store fails once the person has joined, they are in, and the account keeps its name', async () => {
    const house = await start()
    const { accounts } = house.service.deps
    const { handle } = accounts
    const failing = spyOn(accounts, 'handle').mockImplementation((command, cause) =>
      command.type === 'rename'
        ? Promise.reject(new StoreUnavailable('away'))
        : handle.call(accounts, command, cause),
    )
    const answer = await setsUp(house, 'Acme')
    failing.mockRestore()
    expect(to(answer)).toBe(house.own)
    expect((await accounts.state(house.accountId)).name).toBe('default')
  })

  test('one of several concurrent submissions succeeds, and the others get 404', async () => {
    const house = await start()
    const link = await house.rooms.links.make({ kind: 'setup' })
    const post = (name: string) =>
      house.visitor().post(link, { name, email: `${name}@example.org`, password: PASSWORD })
    const statuses = (await Promise.all(['ann', 'ben', 'cat'].map(post))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([303, 404, 404])
  })

  test('nobody gets in without the link, and the sign-in page says how to get it', async () => {
    const house = await start()
    expect(await house.visitor().get('/console/sign-in')).toContain('gleaner people setup-link')
    expect((await house.visitor().send('/console/sign-up')).status).toBe(404)
    expect((await house.visitor().send(`/console/setup/${'A'.repeat(43)}`)).status).toBe(404)
  })
})

describe('signing in', () => {
  let house: House
  beforeAll(async () => {
    house = await start()
    await house.setUp()
  })
  const signIn = (next = '', password = PASSWORD, email = 'ann@example.org') =>
    house.visitor().post(`/console/sign-in${next}`, { email, password })

  test('leads to the requested page', async () => {
    const who = house.visitor()
    const redirect = await who.send(`${house.own}/runs?status=failed`)
    const signInPage = to(redirect)
    expect(signInPage).toBe(`/console/sign-in?next=${encodeURIComponent(`${house.own}/runs?status=failed`)}`)
    const answer = await who.post(signInPage, { email: 'ann@example.org', password: PASSWORD })
    expect(to(answer)).toBe(`${house.own}/runs?status=failed`)
    expect(await who.get(to(answer))).toContain('Sign out')
  })

  test('gives the same answer for an unknown address and a wrong password', async () => {
    const [wrong, unknown] = [
      await signIn('', 'wrong wrong wrong'),
      await signIn('', PASSWORD, 'x@example.org'),
    ]
    expect([wrong.status, unknown.status]).toEqual([422, 422])
    const plain = async (answer: Response) => (await answer.text()).replaceAll(/value="[^"]*"/g, '')
    expect(await plain(wrong)).toBe(await plain(unknown))
  })

  test('never redirects to another host or outside the console, however the target is spelt', async () => {
    const elsewhere = [
      'https://evil.example',
      '//evil.example',
      '///evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/console//evil.example',
      '/console/..//evil.example',
      '/console/%2F%2Fevil.example/\\x',
      'http:evil.example',
      'javascript:alert(1)',
      'data:text/html,x',
      '/v1/account',
      '/console@evil.example',
      '/consolevil',
      'console',
      '/console/\r\nset-cookie: a=b',
      '/console/\tx',
      '/console/<script>',
      '/console/"onload="x',
      ' /console',
      '/console#@evil.example',
      '/console/../v1/account',
      '/console/x/%2e%2E/.%2e/v1/account',
      '/console/..',
    ]
    for (const next of elsewhere) expect({ next, to: nextOf('', next) }).toEqual({ next, to: '/console' })
    const answer = await signIn('?next=https://evil.example')
    expect(to(answer)).toBe('/console')
    expect(nextOf('/below', '/console/keys?a=b')).toBe('/below/console/keys?a=b')
  })

  test('begins a new session: a session cookie that was set before is worthless (no session fixation)', async () => {
    const fixed = `gleaner_session=${'B'.repeat(43)}`
    const headers = { cookie: fixed, origin: ORIGIN, 'content-type': 'application/x-www-form-urlencoded' }
    const body = String(new URLSearchParams({ email: 'ann@example.org', password: PASSWORD }))
    const answer = await house.service.send('/console/sign-in', { method: 'POST', headers, body })
    const set = answer.headers.get('set-cookie') ?? ''
    expect(set).toMatch(/^gleaner_session=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/)
    expect(set).not.toContain('BBBB')
    const page = await house.service.send(house.own, { headers: { cookie: fixed, accept: 'text/html' } })
    expect(page.status).toBe(303)
  })

  test('a cookie that is truncated, duplicated or of an ended session opens nothing', async () => {
    const who = house.visitor()
    await who.post('/console/sign-in', { email: 'ann@example.org', password: PASSWORD })
    const { cookie } = who
    const status = async (value: string) =>
      (await house.service.send(house.own, { headers: { cookie: value, accept: 'text/html' } })).status
    expect(await status(cookie)).toBe(200)
    expect(await status(cookie.slice(0, -1))).toBe(303)
    expect(await status(`${cookie}; ${cookie}`)).toBe(303)
    expect(to(await who.post('/console/sign-out'))).toBe('/console/sign-in')
    expect(who.cookie).toBe('')
    expect(await status(cookie)).toBe(303)
  })

  test('over https the cookie is Secure and has the __Host- prefix', async () => {
    const secure = await start({ PUBLIC_URL: 'https://gleaner.example' })
    const link = await secure.rooms.links.make({ kind: 'setup' })
    const headers = { origin: 'https://gleaner.example', 'content-type': 'application/x-www-form-urlencoded' }
    const body = String(new URLSearchParams({ name: 'Ann', email: 'ann@example.org', password: PASSWORD }))
    const path = new URL(link).pathname
    const answer = await secure.service.send(path, { method: 'POST', headers, body })
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-gleaner_session=.*; Secure$/)
  })
})

describe('signing up', () => {
  test('creates an account with its credits when SIGN_UP is open', async () => {
    const house = await start({ SIGN_UP: 'open', SIGN_UP_CREDITS: '25' })
    const who = await house.enters('/console/sign-up', 'Ben', 'ben@example.org')
    const path = to(await who.send('/console'))
    expect(path).not.toContain(house.accountId)
    const page = await who.get(path)
    expect(page).toContain('My account')
    expect(page).toContain('>25<')
    const again = await house.visitor().post('/console/sign-up', {
      name: 'Eve',
      email: 'BEN@example.org',
      password: PASSWORD,
    })
    expect(again.status).toBe(422)
  })
})

describe('an invitation', () => {
  test('creates a profile for the invited address, adds its existing owner, and tells anybody else to sign in', async () => {
    const house = await start()
    const ann = await house.setUp()
    const invited = async (email: string) => {
      const page = await ann.submit(`${house.own}/members/invite`, { email, role: 'viewer' })
      return /http:\/\/127\.0\.0\.1:3000(\/console\/invitations\/[\w-]{43})/.exec(page)![1]!
    }
    const first = await invited('ben@example.org')
    expect(await ann.get(first)).toContain('Sign in as that person')
    expect((await ann.post(first)).status).toBe(403)
    const ben = await house.enters(first, 'Ben')
    expect(await ben.get(house.own)).toContain('default')
    expect((await house.visitor().send(first)).status).toBe(404)

    const other = await house.service.openAccount()
    const { url } = await house.rooms.invitations.invite(other.accountId, 'Ben@example.org', 'member', {
      correlationId: 'test',
      causationId: 'test',
      now: Date.now(),
    })
    expect(await house.visitor().get(url)).toContain('Sign in as that person')
    expect(to(await ben.post(url))).toBe(`/console/${other.accountId}`)
    expect(await ben.get(`/console/${other.accountId}`)).toContain('test')
  })
})

describe('a reset link', () => {
  test('sets a new password once and ends the existing sessions', async () => {
    const house = await start()
    const ann = await house.setUp()
    const personId = (await house.rooms.people.idOf('ann@example.org'))!
    const link = await house.rooms.links.make({ kind: 'reset', personId, issuer: null })
    expect((await house.visitor().post(link, { password: 'short' })).status).toBe(422)
    const next = 'another good password'
    const who = house.visitor()
    to(await who.post(link, { password: next }))
    expect(await who.get('/console/me')).toContain('Your profile')
    expect((await ann.send(house.own)).status).toBe(303)
    expect((await house.visitor().post(link, { password: next })).status).toBe(404)
    const fields = { email: 'ann@example.org', password: next }
    to(await house.visitor().post('/console/sign-in', fields))
  })

  describe('of an owner', () => {
    let house: House
    beforeAll(async () => {
      house = await start()
    })
    const cause = { correlationId: 'test', causationId: 'test', now: Date.now() }
    const idOf = async (name: string) => (await house.rooms.people.idOf(`${name.toLowerCase()}@example.org`))!

    test.each<[string, string, (owner: PersonId, member: PersonId) => Promise<unknown>]>([
      ['Ada', 'joins another account', (_, member) => joinsAnother(member)],
      ['Bea', 'becomes an operator', (_, member) => house.rooms.people.setOperator(member, true, cause)],
      [
        'Cid',
        'leaves the account',
        (_, member) => house.rooms.members.remove(house.accountId, member, cause),
      ],
      ['Dot', 'has an owner who is one no more', (owner) => demoted(owner)],
    ])('is not shown and sets no password once its person %s %s', async (name, _, change) => {
      const owner = await house.joins('owner', `Owner-${name}`)
      await house.joins('owner', `Other-${name}`)
      const member = await house.joins('member', name)
      const [ownerId, person_id] = [await idOf(`owner-${name}`), await idOf(name)]
      const page = await owner.submit(`${house.own}/members/reset`, { person_id })
      const link = /\/console\/resets\/[\w-]{43}/.exec(page)![0]
      expect(await house.visitor().get(link)).toContain('Set a new password')
      await change(ownerId, person_id)
      const types = await house.types()
      expect((await house.visitor().send(link)).status).toBe(404)
      expect((await house.visitor().post(link, { password: 'another good password' })).status).toBe(404)
      expect(await house.types()).toEqual(types)
      expect(await member.get('/console/me')).toContain('Your profile')
    })

    async function joinsAnother(personId: PersonId): Promise<void> {
      const { accountId } = await house.service.openAccount()
      const join = { type: 'join', accountId, personId, role: 'viewer', now: Date.now() } as const
      await house.service.deps.accounts.handle(join, { ...cause, accountId })
    }
    const demoted = (personId: PersonId) =>
      house.rooms.members.setRole(house.accountId, personId, 'member', cause)
  })
})

test('a browser that signs in with a password while it is changed is not signed in', async () => {
  const house = await start()
  const ann = await house.setUp()
  const next = 'another good password'
  const who = house.visitor()
  duringHash(async () => {
    const changed = await ann.post('/console/me/password', { current: PASSWORD, password: next })
    expect(to(changed)).toBe('/console/me')
  })
  await who.post('/console/sign-in', { email: 'ann@example.org', password: PASSWORD })
  expect((await who.send('/console/me')).status).toBe(303)
  // Neither does the profile list it as signed in.
  const page = await ann.get('/console/me')
  expect(page.match(/action="\/console\/me\/sessions\/end"/g)).toHaveLength(1)
})
