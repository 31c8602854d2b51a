/** Signing in by a real OpenID Connect provider in this process: linking, invitations and refusals. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import Provider from 'oidc-provider'
import { type House, PASSWORD, startHouse, to, type Visitor } from './house.ts'

const CALLBACK = 'http://127.0.0.1:3000/console/provider/callback'
let server: Server
let issuer: string
let house: House
let ann: Visitor

beforeAll(async () => {
  server = createServer()
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', () => go()))
  issuer = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  const claims = (sub: string) => ({
    sub,
    name: sub,
    email: `${sub.replace(/^unverified-/, '')}@example.org`,
    email_verified: !sub.startsWith('unverified-'),
  })
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'gleaner', client_secret: 'secret', redirect_uris: [CALLBACK] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: true } },
    findAccount: async (_: unknown, id: string) => ({ accountId: id, claims: async () => claims(id) }),
  } as never)
  server.on('request', provider.callback())
  house = await startHouse({
    env: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: 'gleaner',
      OIDC_CLIENT_SECRET: 'secret',
      OIDC_NAME: 'Example',
    },
  })
  ann = await house.setUp()
})
afterAll(async () => {
  await house.close()
  server.closeAllConnections()
  await new Promise((go) => server.close(go))
})

/** Signs in at the provider as `login`. @returns the address that the provider redirects back to */
async function atProvider(url: string, login: string): Promise<string> {
  const cookies = new Map<string, string>()
  let next = url
  for (let step = 0; step < 12; step++) {
    if (next.startsWith(CALLBACK)) return next
    const send = async (init: RequestInit = {}) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const answer = await fetch(next, { ...init, headers: { ...init.headers, cookie }, redirect: 'manual' })
      for (const set of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
        cookies.set(name, value)
      }
      return answer
    }
    let answer = await send()
    if (answer.status === 200) {
      const page = await answer.text()
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? ''
      const body = String(new URLSearchParams({ prompt, login, password: 'x' }))
      answer = await send({
        method: 'POST',
        body,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    }
    next = new URL(answer.headers.get('location') ?? '', next).href
  }
  throw new Error('the provider does not come to an end')
}

/** Presses the button that links an identity. @returns the address at the provider that the next page leads to */
async function beginsLink(who: Visitor): Promise<string> {
  const page = await who.submit('/console/me/provider')
  const [, url = ''] = /href="([^"]+)">Continue to Example/.exec(page) ?? []
  return url.replaceAll('&#38;', '&')
}

const links = async (who: Visitor, login: string) => who.send(await atProvider(await beginsLink(who), login))

const isLinked = async (who: Visitor) =>
  (await who.get('/console/me')).includes('It is linked to your profile.')

const signsIn = async (name: string): Promise<Visitor> => {
  const who = house.visitor()
  to(await who.post('/console/sign-in', { email: `${name}@example.org`, password: PASSWORD }))
  return who
}

/** Goes from a page of the console to the provider and comes back. */
async function through(who: Visitor, query: string, login: string): Promise<Response> {
  const url = to(await who.send(`/console/provider${query}`))
  expect(url).toStartWith(`${issuer}/auth?`)
  expect(url).toContain('code_challenge_method=S256')
  return who.send(await atProvider(url, login))
}

describe('signing in by a provider', () => {
  test('is offered, and refuses an unlinked identity whatever address the provider reports', async () => {
    expect(await house.visitor().get('/console/sign-in')).toContain('Sign in with Example')
    const stranger = house.visitor()
    const answer = await through(stranger, '', 'ann')
    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain('This identity is not linked to anybody here.')
    expect((await stranger.send('/console/me')).status).toBe(303)
  })

  test('is linked by a signed-in person and signs them in from then on', async () => {
    expect(await ann.get('/console/me')).toContain('Link Example')
    expect(to(await links(ann, 'ann'))).toBe('/console/me')
    expect(await isLinked(ann)).toBe(true)
    const again = house.visitor()
    const answer = await through(again, `?next=${encodeURIComponent(`${house.own}/runs`)}`, 'ann')
    expect(to(answer)).toBe(`${house.own}/runs`)
    expect(await again.get('/console/me')).toContain('ann@example.org')
    // A subject in another letter case is another identity.
    expect((await through(house.visitor(), '', 'Ann')).status).toBe(403)
  })

  test('an identity belongs to one person: another one who uses it signs in as that person', async () => {
    const ben = await house.joins('member', 'Ben')
    const other = await signsIn('ben')
    // The browser is signed in as Ben, but the provider reports Ann, so she is signed in.
    const answer = await through(other, '', 'ann')
    expect(answer.status).toBe(303)
    expect(await other.get('/console/me')).toContain('ann@example.org')
    expect(await ben.get('/console/me')).toContain('Link Example')
    const answerToBen = await links(ben, 'ann')
    expect(answerToBen.status).toBe(403)
    expect(await answerToBen.text()).toContain('This identity already belongs to somebody else here.')
    expect(await ben.get('/console/me')).toContain('ben@example.org')
    expect(await isLinked(ben)).toBe(false)
  })

  const invited = async (email: string) => {
    const page = await ann.submit(`${house.own}/members/invite`, { email, role: 'viewer' })
    return /console\/invitations\/([\w-]{43})/.exec(page)![1]!
  }

  test('joins by an invitation to a verified address, without a password', async () => {
    const token = await invited('Cat@example.org')
    expect(await house.visitor().get(`/console/invitations/${token}`)).toContain('Join with Example')
    const cat = house.visitor()
    expect(to(await through(cat, `?invitation=${token}`, 'cat'))).toBe(house.own)
    expect(await cat.get('/console/me')).toContain('cat@example.org')
    const back = house.visitor()
    expect(to(await through(back, '', 'cat'))).toBe('/console')
    const password = await house
      .visitor()
      .post('/console/sign-in', { email: 'cat@example.org', password: '' })
    expect(password.status).toBe(422)
  })

  test('does not join by an unverified address, nor by an invitation to another address', async () => {
    const before = (await house.types()).filter((type) => type === 'PersonJoined').length
    const token = await invited('dan@example.org')
    for (const login of ['unverified-dan', 'eve']) {
      const answer = await through(house.visitor(), `?invitation=${token}`, login)
      expect({ login, status: answer.status }).toEqual({ login, status: 403 })
    }
    expect((await house.types()).filter((type) => type === 'PersonJoined').length).toBe(before)
    expect(to(await through(house.visitor(), `?invitation=${token}`, 'dan'))).toBe(house.own)
  })

  test('the callback works once, only with its state, and only in the browser that began the sign-in', async () => {
    const who = house.visitor()
    const url = to(await who.send('/console/provider'))
    const back = await atProvider(url, 'ann')
    const thief = house.visitor()
    expect((await thief.send(back)).status).toBe(502)
    const forged = new URL(back)
    forged.searchParams.set('state', 'another')
    expect((await who.send(forged.href)).status).toBe(502)
    expect((await who.send(back)).status).toBe(502)
    const elsewhere = await through(house.visitor(), `?next=${encodeURIComponent('//evil.example')}`, 'ann')
    expect(to(elsewhere)).toBe('/console')
  })
})

describe('an identity of a stranger', () => {
  let ivy: Visitor
  beforeAll(async () => {
    ivy = await house.joins('member', 'Ivy')
  })

  test('is not linked to the person in whose browser a stranger plants a sign-in, beside a cookie of its own', async () => {
    const mallory = house.visitor()
    const back = await atProvider(to(await mallory.send('/console/provider')), 'mallory')
    await ivy.send('/console/provider')
    const planted = { headers: { cookie: `${mallory.cookie}; ${ivy.cookie}` } }
    expect((await house.visitor().send(back, planted)).status).toBe(502)
    expect(await isLinked(ivy)).toBe(false)
  })

  test('is not linked by a sign-in, even in the browser of somebody who is signed in', async () => {
    const mallory = house.visitor()
    const back = await atProvider(to(await mallory.send('/console/provider')), 'mallory')
    const planted = {
      headers: { cookie: `${mallory.cookie}; ${ivy.cookie.match(/gleaner_session=\S+/)![0]}` },
    }
    expect((await house.visitor().send(back, planted)).status).toBe(403)
    expect((await through(ivy, '', 'mallory')).status).toBe(403)
    expect(await isLinked(ivy)).toBe(false)
  })

  test('is linked only to the person who began it', async () => {
    const ben = await signsIn('ben')
    const back = await atProvider(await beginsLink(ben), 'mallory')
    await ben.post('/console/sign-in', { email: 'ivy@example.org', password: PASSWORD })
    const answer = await ben.send(back)
    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain('You are no longer signed in as the person who began')
    expect([await isLinked(ivy), await isLinked(await signsIn('ben'))]).toEqual([false, false])
  })

  test('is not linked by a page of another site, nor by a link', async () => {
    const headers = { origin: 'https://evil.example' }
    for (const path of ['/console/me/provider', '/console/me/provider/remove'])
      expect((await ivy.send(path, { method: 'POST', headers })).status).toBe(403)
    expect(to(await ivy.send('/console/me/provider'))).toBe('/console/me')
    expect(to(await house.visitor().post('/console/me/provider'))).toMatch(/^\/console\/sign-in\?/)
  })
})

describe('unlinking an identity', () => {
  test('ends its sign-ins and all sessions but this one, and frees it for somebody else', async () => {
    const joe = await house.joins('member', 'Joe')
    to(await links(joe, 'joe'))
    to(await links(joe, 'joe-at-work'))
    expect(await joe.get('/console/me')).toContain('2 identities there are linked to your profile.')
    const byIdentity = house.visitor()
    to(await through(byIdentity, '', 'joe-at-work'))
    expect(to(await joe.post('/console/me/provider/remove'))).toBe('/console/me')
    expect(await isLinked(joe)).toBe(false)
    expect((await byIdentity.send('/console/me')).status).toBe(303)
    for (const login of ['joe', 'joe-at-work'])
      expect((await through(house.visitor(), '', login)).status).toBe(403)
    const kim = await house.joins('member', 'Kim')
    expect(to(await links(kim, 'joe'))).toBe('/console/me')
    expect([await isLinked(kim), await isLinked(await signsIn('joe'))]).toEqual([true, false])
  })

  test('is refused to a person without a password, who could not sign in any more', async () => {
    const cat = house.visitor()
    to(await through(cat, '', 'cat'))
    const page = await cat.get('/console/me')
    expect(page).toContain('To unlink it, set a password first.')
    expect(page).not.toContain('/console/me/provider/remove')
    const refused = await cat.post('/console/me/provider/remove')
    expect(refused.status).toBe(409)
    expect(await refused.text()).toContain('Set a password first.')
    to(await through(house.visitor(), '', 'cat'))
    const personId = await house.rooms.people.idOf('cat@example.org')
    const reset = await house.rooms.links.make({ kind: 'reset', personId: personId!, issuer: null })
    const again = house.visitor()
    to(await again.post(reset, { password: PASSWORD }))
    expect(to(await again.post('/console/me/provider/remove'))).toBe('/console/me')
    expect((await through(house.visitor(), '', 'cat')).status).toBe(403)
    await signsIn('cat')
  })
})

test('over https the cookie of a sign-in at the provider can be set by no other site', async () => {
  const env = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'gleaner', PUBLIC_URL: 'https://gleaner.example' }
  const secure = await startHouse({ env })
  const answer = await secure.visitor().send('/console/provider')
  expect(answer.headers.get('set-cookie')).toMatch(
    /^__Host-gleaner_provider=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
  )
  await secure.close()
})

test('without a provider its pages do not exist', async () => {
  const plain = await startHouse()
  expect(await plain.visitor().get('/console/sign-in')).not.toContain('Sign in with')
  expect((await plain.visitor().send('/console/provider')).status).toBe(404)
  await plain.close()
})
