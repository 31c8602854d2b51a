/** Forms lead to pages: a reload repeats nothing, every address can be opened again, and no form is lost. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type House, PASSWORD, startHouse, to, type Visitor } from './house.ts'

let house: House
let ann: Visitor
beforeAll(async () => {
  house = await startHouse()
  ann = await house.setUp()
})
afterAll(() => house.close())

describe('what is shown once', () => {
  const KEY = /gln_\w+_\w{6}/
  const create = () => ann.post(`${house.own}/keys`, { name: 'nightly', scopes: ['runs'] })

  test('is on the page that the form leads to, and on no later one', async () => {
    const before = (await house.types()).filter((type) => type === 'KeyCreated').length
    const path = to(await create())
    expect(await ann.get(path)).toMatch(KEY)
    expect(await ann.get(path)).not.toMatch(KEY)
    expect((await house.types()).filter((type) => type === 'KeyCreated')).toHaveLength(before + 1)
  })

  test('is for the session of the form alone, and is gone after ten minutes', async () => {
    const other = house.visitor()
    to(await other.post('/console/sign-in', { email: 'ann@example.org', password: PASSWORD }))
    const path = to(await create())
    expect(await other.get(path)).not.toMatch(KEY)
    house.service.clock.offset += 600_001
    expect(await ann.get(path)).not.toMatch(KEY)
    house.service.clock.offset -= 600_001
  })

  test('cannot be read from the store', async () => {
    const texts: string[] = []
    const recording = await startHouse({
      stores: ({ tickets }) => ({
        tickets: {
          ...tickets,
          put: (hash, ticket) => {
            texts.push(ticket.text, Buffer.from(ticket.text, 'base64').toString())
            return tickets.put(hash, ticket)
          },
        },
      }),
    })
    const who = await recording.setUp()
    const fields = { name: 'nightly', scopes: ['runs'] }
    const [key] = KEY.exec(await who.submit(`${recording.own}/keys`, fields))!
    expect(texts.length).toBeGreaterThan(2)
    for (const text of texts) expect(text).not.toContain(key)
    await recording.close()
  })

  test('is shown below the path of PUBLIC_URL, too', async () => {
    const below = await startHouse({ env: { PUBLIC_URL: 'http://127.0.0.1:3000/gleaner' } })
    const who = await below.setUp()
    const path = to(await who.post(`${below.own}/keys`, { name: 'nightly', scopes: ['runs'] }))
    expect(path).toBe(`/gleaner${below.own}/keys`)
    expect(await who.get(path)).toMatch(KEY)
    expect(to(await who.send(`${below.own}/members/invite`))).toBe(`/gleaner${below.own}/members`)
    await below.close()
  })

  test('of two forms of different pages is shown on both', async () => {
    const keys = to(await create())
    const invited = { email: 'two@example.org', role: 'viewer' }
    const members = to(await ann.post(`${house.own}/members/invite`, invited))
    expect(await ann.get(members)).toContain('The link is ready')
    expect(await ann.get(keys)).toMatch(KEY)
  })
})

test.each([
  ['keys/revoke', 'keys'],
  ['members/invite', 'members'],
  ['logins/sign-in', 'logins'],
  [`webhooks/whk_${'0'.repeat(26)}/test`, `webhooks/whk_${'0'.repeat(26)}`],
  [`runs/run_${'0'.repeat(26)}/cancel`, `runs/run_${'0'.repeat(26)}`],
])('the address of a form leads to its page: %s', async (form, page) => {
  expect(to(await ann.send(`${house.own}/${form}`))).toBe(`${house.own}/${page}`)
})

test.each([
  ['/console/operator/people/reset', '/console/operator/people'],
  ['/console/operator/accounts', '/console/operator'],
  ['/console/me/sessions/end', '/console/me'],
  ['/console/sign-out', '/console'],
])('the address of a form leads to its page: %s', async (form, page) => {
  expect(to(await ann.send(form))).toBe(page)
})

describe('a path without an account', () => {
  const paths = [
    '',
    '/tasks',
    '/tasks/sample.search',
    `/runs/run_${'0'.repeat(26)}`,
    '/runs?status=failed',
    '/keys',
  ]

  test.each(paths)('leads to the sign-in, and then to the account that was used last: %s', async (path) => {
    const other = await house.service.openAccount()
    const who = await house.joins('member', `Two${path.replaceAll(/\W/g, '')}`)
    const person = (await house.rooms.people.idOf(
      `two${path.replaceAll(/\W/g, '').toLowerCase()}@example.org`,
    ))!
    const cause = { correlationId: 'test', causationId: 'test', accountId: other.accountId }
    await house.service.deps.accounts.handle(
      { type: 'join', accountId: other.accountId, personId: person, role: 'member' } as never,
      cause,
    )
    await who.get(`/console/${other.accountId}/runs`)
    expect(to(await who.send(`/console${path}`))).toBe(`/console/${other.accountId}${path}`)
    await who.get(`${house.own}/runs`)
    expect(to(await who.send(`/console${path}`))).toBe(`${house.own}${path}`)
    const nobody = to(await house.visitor().send(`/console${path}`))
    expect(nobody).toBe(`/console/sign-in${path && `?next=${encodeURIComponent(`/console${path}`)}`}`)
  })
})

describe('a form that was sent after its session had ended', () => {
  const TASK = '/tasks/sample.search'
  const FIELDS = { 'in.query': 'long <thought>', by: 'form', idempotency_key: 'k' }
  const signedOut = async (name: string): Promise<Visitor> => {
    const who = await house.joins('member', name)
    const personId = (await house.rooms.people.idOf(`${name.toLowerCase()}@example.org`))!
    await house.rooms.sessions.endAll(personId)
    return who
  }
  const signIn = (who: Visitor, path: string, name: string) =>
    who.post(path, { email: `${name.toLowerCase()}@example.org`, password: PASSWORD })

  test('fills the form of its task in once its sender has signed in, and starts nothing by itself', async () => {
    const who = await signedOut('Ida')
    const before = (await house.types()).filter((type) => type === 'RunRequested').length
    const signInPath = to(await who.post(house.own + TASK, FIELDS))
    expect(await who.get(signInPath)).toContain('Your session had ended before the form was sent.')
    expect((await signIn(who, signInPath, 'Nobody')).status).toBe(422)
    const path = to(await signIn(who, signInPath, 'Ida'))
    expect(path).toBe(house.own + TASK)
    const page = await who.get(path)
    expect(page).toContain('value="long &#60;thought&#62;"')
    expect(page).toContain('Your session had ended')
    expect((await house.types()).filter((type) => type === 'RunRequested')).toHaveLength(before)
    to(await who.post(path, FIELDS))
    expect(await who.get(path)).not.toContain('value="long &#60;thought&#62;"')
  })

  test('can be sent from the page that it leads to, if it is no form of a task', async () => {
    const who = await signedOut('Ivo')
    const signInPath = to(await who.post(`${house.own}/keys`, { name: 'a <key>', scopes: ['runs'] }))
    const page = await who.get(to(await signIn(who, signInPath, 'Ivo')))
    expect(page).toContain('Your form was not sent')
    expect(page).toContain('<dd>a &#60;key&#62;</dd>')
    expect(page).toMatch(new RegExp(`action="${house.own}/keys"><input type="hidden" name="name"`))
  })

  test('is not shown to a person of other accounts', async () => {
    const who = await signedOut('Una')
    to(await who.post(`${house.own}/keys`, { name: 'of una', scopes: ['runs'] }))
    const elsewhere = await house.service.openAccount()
    await house.joins('owner', 'Foreign', elsewhere.accountId)
    to(await signIn(who, '/console/sign-in', 'Foreign'))
    expect(await who.get('/console/me')).not.toContain('of una')
  })

  test.each([
    ['contains a password', '/console/me/password', { current: PASSWORD, password: 'another good password' }],
    ['is too large', '/console/me', { name: 'x'.repeat(4000), email: 'a@example.org' }],
  ])('is not kept if it %s', async (_, path, fields) => {
    const who = house.visitor()
    const answer = await who.post(path, fields)
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(await who.get(to(answer))).toContain('fill it in again')
  })
})
