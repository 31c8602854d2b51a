/** The mock site with a sign-in: its steps, refusals, sessions and log lines. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type SignInSite, startSignInSite } from '../../../rigs/servers/sign-in-site.ts'
import { ANNOYANCES } from '../../../rigs/support/annoyances.ts'
import { Visitor } from '../../../rigs/support/sign-in.ts'
import { defineSource } from '../../../src/plugin.ts'

const source = defineSource({
  name: 'lamps',
  title: 'Lamps & more',
  origin: 'https://lamps.example',
  hosts: ['api.lamps.example'],
  login: { url: '/in', signedIn: { cookies: ['session', 'token@api.lamps.example'] } },
  tasks: [],
})
const ann = { name: 'Ann', password: 'pä ss&"<word>', code: '123456' }
const ben = { name: 'ben', password: 'other', code: '654321' }
const log: string[] = []

let site: SignInSite
beforeAll(async () => {
  site = await startSignInSite({
    source,
    users: [ann, ben],
    open: [{ request: '/about', body: 'about lamps' }],
    exchanges: [
      { request: '/home', body: 'the home page' },
      { request: '/about', body: 'about lamps, for members' },
      { request: '/i/api/graphql/x/List?q=desk', json: { lamps: 3 } },
    ],
    log: (line) => log.push(line),
  })
})
afterAll(() => site.stop())

const visitor = () => new Visitor(site.origin)
const alertIn = (page: string) => /role="alert">([^<]*)/.exec(page)?.[1]
const stepIn = (page: string) => /name="step" value="(\w+)"/.exec(page)?.[1]

describe('a visitor who is not signed in', () => {
  test('is redirected to the sign-in and afterwards back', async () => {
    const one = visitor()
    const interstitial = await one.ask('/home?tab=2')
    expect([interstitial.status, interstitial.headers.get('location')]).toEqual([
      302,
      '/lamps/in?next=%2Fhome%3Ftab%3D2',
    ])
    const page = await one.signIn('/in?next=%2Fhome%3Ftab%3D2', ann)
    expect(page).toContain('You are signed in as <b>Ann</b>')
    expect(page).toContain('const next = "/lamps/home?tab=2"')
    expect(await one.page('/home?tab=2')).toBe('the home page')
  })

  test('is refused by the API in JSON', async () => {
    const answer = await visitor().ask('/i/api/graphql/x/List?q=desk')
    expect([answer.status, await answer.json()]).toEqual([
      401,
      {
        errors: [{ code: 32, message: 'Could not authenticate you' }],
        message: 'login_required',
        status: 'fail',
      },
    ])
  })

  test('sees open pages, and the version for members after the sign-in', async () => {
    const one = visitor()
    expect(await one.page('/about')).toBe('about lamps')
    await one.signIn('/in', ann)
    expect(await one.page('/about')).toBe('about lamps, for members')
  })

  test.each(['https://elsewhere.example/', '//elsewhere.example/', '/\\elsewhere.example', 'javascript:x'])(
    'is not redirected to %s',
    async (next) => {
      const page = await visitor().signIn(`/in?next=${encodeURIComponent(next)}`, ann)
      expect(page).toContain('You are signed in')
      expect(page).toContain('const next = null')
    },
  )
})

describe('a sign-in', () => {
  test('asks for name, password and code on separate pages, with autocomplete hints', async () => {
    const one = visitor()
    let page = await one.page('/in')
    expect(page).toContain('<h1>Sign in to Lamps &#38; more</h1>')
    expect([stepIn(page), page.includes('autocomplete="username"'), page.includes('id="terms"')]).toEqual([
      'name',
      true,
      true,
    ])
    page = await one.send(page, '/in', { value: '  ANN ' })
    expect([stepIn(page), page.includes('autocomplete="current-password"')]).toEqual(['password', true])
    page = await one.send(page, '/in', { value: ann.password })
    expect([stepIn(page), page.includes('autocomplete="one-time-code"')]).toEqual(['code', true])
    page = await one.send(page, '/in', { value: '123 456' })
    expect(page).toContain('You are signed in as <b>Ann</b>')
    expect([...one.cookies.keys()]).toEqual(['session', 'token'])
  })

  test('says which value is wrong, and allows another attempt', async () => {
    const one = visitor()
    let page = await one.send(await one.page('/in'), '/in', { value: '<b>nobody' })
    expect([stepIn(page), alertIn(page)]).toEqual(['name', 'There is no account with this user name.'])
    page = await one.send(page, '/in', { value: 'ben' })
    page = await one.send(page, '/in', { value: 'wrong' })
    expect([stepIn(page), alertIn(page)]).toEqual(['password', 'Wrong password.'])
    page = await one.send(page, '/in', { value: ben.password })
    page = await one.send(page, '/in', { value: '000000' })
    expect([stepIn(page), alertIn(page)]).toEqual(['code', 'Wrong code.'])
    page = await one.send(page, '/in', { value: ben.code })
    expect(page).toContain('signed in as <b>ben</b>')
  })

  test('can go back to a former step, and can be restarted for another user', async () => {
    const one = visitor()
    const first = await one.page('/in')
    await one.send(first, '/in', { value: 'ben' })
    let page = await one.send(first, '/in', { value: 'ann' })
    expect(page).toContain('As <b>Ann</b>')
    page = await one.page('/in?restart')
    expect([stepIn(page), alertIn(page)]).toEqual(['name', undefined])
  })

  test('does not allow skipping a step', async () => {
    const one = visitor()
    let page = await one.page('/in')
    for (const step of ['code', 'password']) {
      page = await one.send(page, '/in', { step, value: ann.code })
      expect(stepIn(page)).toBe('name')
    }
    page = await one.send(page, '/in', { value: 'ann' })
    page = await one.send(page, '/in', { step: 'code', value: ann.code })
    expect([stepIn(page), one.cookies.has('session')]).toEqual(['name', false])
  })

  test('refuses a form without a token of the same visitor', async () => {
    const [one, other] = [visitor(), visitor()]
    await one.page('/in')
    const foreign = await other.page('/in')
    const body = (token: string) => new URLSearchParams({ token, step: 'name', value: 'ann' })
    const token = /name="token" value="(\w+)"/.exec(foreign)?.[1] ?? ''
    for (const sent of ['', 'x', token])
      expect((await one.ask('/in', { method: 'POST', body: body(sent) })).status).toBe(403)
    expect((await visitor().ask('/in', { method: 'POST', body: body(token) })).status).toBe(403)
    expect((await one.ask('/in', { method: 'PUT' })).status).toBe(405)
  })

  test('hides the session cookie from scripts, and makes it persistent on request', async () => {
    const [one, other] = [visitor(), visitor()]
    await one.signIn('/in', ann)
    expect(one.set.find((line) => line.startsWith('session='))).toMatch(
      /^session=[0-9a-f]{40}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    expect(one.set.find((line) => line.startsWith('token='))).not.toContain('HttpOnly')
    await other.signIn('/in', ann, true)
    expect(other.set.find((line) => line.startsWith('session='))).toMatch(
      /^session=[0-9a-f]{40}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
  })
})

describe('a session', () => {
  test('needs all of its cookies', async () => {
    const one = visitor()
    await one.signIn('/in', ann)
    expect((await one.ask('/home')).status).toBe(200)
    one.cookies.set('token', 'other')
    expect((await one.ask('/home')).status).toBe(302)
  })

  test('redirects to the sign-in after it was revoked', async () => {
    site.revoke()
    const [one, two, other] = [visitor(), visitor(), visitor()]
    await one.signIn('/in', ann)
    await two.signIn('/in', ann)
    await other.signIn('/in', ben)
    expect([site.sessions, site.revoke('Ann'), site.sessions]).toEqual([3, 2, 1])
    expect([(await one.ask('/home')).status, (await other.ask('/home')).status]).toEqual([302, 200])
    const answer = await visitor().ask('/_mock/revoke', { method: 'POST' })
    expect([await answer.json(), (await other.ask('/home')).status]).toEqual([{ revoked: 1 }, 302])
  })
})

test('the log of the site contains no query, form or cookie', async () => {
  log.length = 0
  await visitor().signIn('/in?next=%2Fsecret', ann)
  await visitor().ask('/secret?x=1')
  expect(log).toEqual([
    'GET /lamps/in 200',
    'POST /lamps/in 303',
    'GET /lamps/in 200',
    'POST /lamps/in 303',
    'GET /lamps/in 200',
    'POST /lamps/in 303',
    'GET /lamps/in 200',
    'GET /lamps/secret 302',
  ])
})

test('annoying pages contain the annoyances, and their sign-in form works', async () => {
  const annoying = await startSignInSite({ source, users: [ann], extra: ANNOYANCES })
  try {
    const page = await new Visitor(annoying.origin).page('/in')
    for (const piece of ['alert(', 'beforeunload', 'type="file"', 'http-equiv="refresh"', 'download='])
      expect(page).toContain(piece)
    expect(await new Visitor(annoying.origin).signIn('/in', ann)).toContain('signed in as <b>Ann</b>')
  } finally {
    await annoying.stop()
  }
})
