import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { quickPasswords, realPasswords } from '../../rigs/support/quick-passwords.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { newInvitationId, newPersonId, personStream } from '../../src/domain/ids.ts'
import { Refused } from '../../src/log/refused.ts'
import { TooManyTries } from '../../src/people/sign-in.ts'
import { A, ann, B, ben, CAUSE, openStand, type Stand } from './stand.ts'

let stand: Stand
let folder: string
const opened: Stand[] = []
beforeEach(async () => {
  folder = temporaryFolder()
  stand = await openStand(folder)
  opened.push(stand)
})
afterAll(async () => {
  for (const each of opened) await each.close()
})

const owner = { account_id: A, role: 'owner' } as const
const other = newPersonId(Date.now(), new Uint8Array(10).fill(2))
const problem = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error) => (error instanceof Refused ? error.code : error.name),
  )
const signIn = (email: string, password: string, client?: string) =>
  stand.signIn.by(email, password, client, CAUSE)
const rolesOf = async (account = A) => (await stand.accounts.state(account)).members.roles

describe('a new person', () => {
  test('is a member of an account and signs in with any spelling of the address, and with no other password', async () => {
    const personId = await stand.people.join(ann, owner, CAUSE)
    expect(await rolesOf()).toEqual({ [personId]: 'owner' })
    expect(await stand.people.accountsOf(personId)).toEqual([{ accountId: A, role: 'owner' }])
    expect((await signIn(' ann@EXAMPLE.org ', ann.password)).personId).toBe(personId)
    expect(await problem(signIn(ann.email, `${ann.password}!`))).toBe('wrong-password')
    expect(await problem(signIn('nobody@example.org', ann.password))).toBe('wrong-password')
    expect(await stand.people.profile(personId)).toEqual({ name: 'Ann', email: 'Ann@example.org' })
  })

  test('has a unique address: a second claim to it is refused and leaves nothing behind', async () => {
    const personId = await stand.people.join(ann, owner, CAUSE)
    const again = { ...ben, email: 'ANN@example.org' }
    expect(await problem(stand.people.join(again, { ...owner, account_id: B }, CAUSE))).toBe('address-taken')
    expect(await stand.stores.vault.people(Date.now() + 60_000)).toEqual([personId])
    expect(await rolesOf(B)).toEqual({})
  })

  test('gets in when two use one link at the same time; the other is refused and leaves nothing behind', async () => {
    const url = await stand.links.make({ kind: 'setup' })
    const token = url.slice(url.lastIndexOf('/') + 1)
    const both = await Promise.all(
      [ann, ben].map((who) => problem(stand.people.join(who, { ...owner, isOperator: true, token }, CAUSE))),
    )
    expect(both.sort()).toEqual(['done', 'link-used'])
    expect(Object.values(await rolesOf())).toEqual(['owner'])
    expect(await stand.stores.vault.people(Date.now() + 60_000)).toHaveLength(1)
    expect(await stand.people.hasOperator()).toBe(true)
    // The loser's address is free.
    const other = (await problem(signIn(ann.email, ann.password))) === 'done' ? ben : ann
    expect(await problem(stand.people.join(other, { ...owner, account_id: B }, CAUSE))).toBe('done')
  })

  test('who joins while somebody else takes over the address from a stale claim keeps the address', async () => {
    const slow = newPersonId(Date.now(), new Uint8Array(10).fill(1))
    await stand.people.claim(ann.email, slow, CAUSE)
    stand.clock.offset += 700_000
    const { log } = stand.stores
    const { readStream } = log
    let looked = 0
    // The other person checks whether they have joined, and they join right after the check.
    const late: typeof readStream = async (stream, ...range) => {
      const events = await readStream.call(log, stream, ...range)
      if (stream !== personStream(slow) || looked++ > 0) return events
      await stand.people.handle(
        { type: 'join', personId: slow, joined: { person_id: slow, ...owner } },
        CAUSE,
      )
      return events
    }
    Object.assign(log, { readStream: late })
    expect(await problem(stand.people.claim(ann.email, other, CAUSE))).toBe('address-taken')
    Object.assign(log, { readStream })
    expect(looked).toBeGreaterThan(1)
    expect((await stand.people.person(slow))?.personId).toBe(slow)
    expect(await stand.people.idOf(ann.email)).toBe(slow)
  })

  test('who signs up gets an account with its credits', async () => {
    const personId = await stand.people.signUp(ann, 25, CAUSE)
    const [{ accountId } = { accountId: A }] = await stand.people.accountsOf(personId)
    expect(accountId).not.toBe(A)
    const { name, balance, members } = await stand.accounts.state(accountId)
    expect([name, balance, members.roles]).toEqual(['My account', 25, { [personId]: 'owner' }])
  })
})

describe('sign-in attempts', () => {
  test('after five wrong ones in a minute for an address, even the right password is refused', async () => {
    stand.clock.stopped = Date.now()
    await stand.people.join(ann, owner, CAUSE)
    for (let i = 0; i < 5; i++) expect(await problem(signIn(ann.email, 'wrong'))).toBe('wrong-password')
    expect(await problem(signIn(ann.email, ann.password))).toBe('TooManyTries')
    await stand.people.join(ben, { ...owner, account_id: B }, CAUSE)
    expect(await problem(signIn(ben.email, ben.password))).toBe('done')
    stand.clock.offset += 60_000
    expect(await problem(signIn(ann.email, ann.password))).toBe('done')
  }, 20_000)

  test('cost as much for an unknown address as for a known one, so timing does not reveal who exists', async () => {
    realPasswords()
    onTestFinished(quickPasswords)
    await stand.people.join(ann, owner, CAUSE)
    // CPU time: nearly all of it is the hash, and a busy machine does not change it.
    const costOf = async (email: string) => {
      const costs: number[] = []
      for (let i = 0; i < 3; i++) {
        const before = process.cpuUsage()
        expect(await problem(signIn(email, 'wrong'))).toBe('wrong-password')
        const { user, system } = process.cpuUsage(before)
        costs.push(user + system)
      }
      return Math.min(...costs)
    }
    const known = await costOf(ann.email)
    const unknown = await costOf('nobody@example.org')
    expect(unknown / known).toBeGreaterThan(0.5)
    expect(unknown / known).toBeLessThan(2)
  }, 20_000)

  test('that succeed are not counted', async () => {
    await stand.people.join(ann, owner, CAUSE)
    for (let i = 0; i < 8; i++) expect(await problem(signIn(ann.email, ann.password))).toBe('done')
  }, 20_000)

  test('beyond twenty wrong ones a minute from one client are refused, whatever the addresses', async () => {
    // The clock is stopped, because passing time allows more.
    stand.clock.stopped = Date.now()
    const tries = Array.from({ length: 30 }, (_, i) =>
      problem(signIn(`a${i}@example.org`, 'wrong', '192.0.2.1')),
    )
    const answers = await Promise.all(tries)
    expect(answers.filter((answer) => answer === 'wrong-password').length).toBeLessThanOrEqual(21)
    expect(answers).toContain('TooManyTries')
    const error = await signIn('b@example.org', 'wrong', '192.0.2.1').catch((caught) => caught)
    expect(error).toBeInstanceOf(TooManyTries)
    expect(error.retryS).toBeGreaterThan(0)
    expect(await problem(signIn('b@example.org', 'wrong', '192.0.2.2'))).toBe('wrong-password')
  }, 20_000)
})

describe("a person's data", () => {
  test('can be changed: the new address signs in, and the old one is free', async () => {
    const personId = await stand.people.join(ann, owner, CAUSE)
    await stand.people.changeProfile(personId, { name: 'Anna', email: 'anna@example.org' }, CAUSE)
    expect(await problem(signIn(ann.email, ann.password))).toBe('wrong-password')
    expect((await signIn('anna@example.org', ann.password)).personId).toBe(personId)
    expect(await problem(stand.people.join(ann, { ...owner, account_id: B }, CAUSE))).toBe('done')
    const taken = stand.people.changeProfile(personId, { name: 'Anna', email: ann.email }, CAUSE)
    expect(await problem(taken)).toBe('address-taken')
  })

  test('includes a password: changing it needs the old one and ends all sessions', async () => {
    const personId = await stand.people.join(ann, owner, CAUSE)
    const before = (await stand.people.person(personId))!
    const secret = await stand.sessions.begin(before, 'browser')
    const next = 'another good password'
    expect(await problem(stand.people.changePassword(personId, next, CAUSE, 'wrong'))).toBe('wrong-password')
    expect(await stand.sessions.find(secret)).toMatchObject({ personId, agent: 'browser' })
    await stand.people.changePassword(personId, next, CAUSE, ann.password)
    expect(await stand.sessions.find(secret)).toBeUndefined()
    expect(await problem(signIn(ann.email, ann.password))).toBe('wrong-password')
    expect(await problem(signIn(ann.email, next))).toBe('done')
  })

  test('appears in no event and in no file in clear', async () => {
    await stand.people.join(ann, owner, CAUSE)
    await stand.invitations.invite(A, 'guest@example.org', 'viewer', CAUSE)
    await problem(signIn(ann.email, 'wrong', '192.0.2.1'))
    const events = JSON.stringify(await stand.stores.log.readAll(null, 1000))
    const files = readdirSync(folder).filter((name) => /\.db/.test(name))
    const texts = [events, ...files.map((name) => readFileSync(join(folder, name), 'latin1'))]
    for (const text of texts)
      for (const secret of ['example.org', 'Ann@', '"Ann"', ann.password, 'scrypt$'])
        expect(text.toLowerCase().includes(secret.toLowerCase())).toBe(false)
  })

  test('is unreadable once the person is erased, and the address is free', async () => {
    const first = await stand.people.join(ann, owner, CAUSE)
    expect(await problem(stand.members.erase(first, CAUSE))).toBe('last-owner')
    const second = await stand.people.join(ben, owner, CAUSE)
    const secret = await stand.sessions.begin((await stand.people.person(first))!, 'browser')
    await stand.members.erase(first, CAUSE)
    expect(await rolesOf()).toEqual({ [second]: 'owner' })
    expect(await stand.people.profile(first)).toBeUndefined()
    expect(await stand.sessions.find(secret)).toBeUndefined()
    expect(await problem(signIn(ann.email, ann.password))).toBe('wrong-password')
    expect(await problem(stand.people.join(ann, { ...owner, account_id: B }, CAUSE))).toBe('done')
    expect(await stand.people.person(first)).toBeUndefined()
  })
})

test('members of an account are listed with owners first and viewers last', async () => {
  const [viewer, member, owning] = [
    await stand.people.join({ ...ann, email: 'a@example.org' }, { ...owner, role: 'viewer' }, CAUSE),
    await stand.people.join(ann, { ...owner, role: 'member' }, CAUSE),
    await stand.people.join(ben, owner, CAUSE),
  ]
  const listed = (await stand.members.list(A)).map(({ personId }) => personId)
  expect(listed).toEqual([owning, member, viewer])
})

test('erasing the last owner of an active account is refused and changes none of their memberships and keys', async () => {
  await stand.people.join(ben, owner, CAUSE)
  const personId = await stand.people.join(ann, { ...owner, role: 'member' }, CAUSE)
  const join = { type: 'join', accountId: B, personId, role: 'owner', now: CAUSE.now } as const
  await stand.accounts.handle(join, { ...CAUSE, accountId: B })
  const key = { accountId: A, name: null, scopes: ['runs'], expiresAt: null } as const
  const { apiKey } = await stand.keys.create(key, { ...CAUSE, actor: `person:${personId}` })
  const events = (await stand.types()).length
  expect(await problem(stand.members.erase(personId, CAUSE))).toBe('last-owner')
  expect(await stand.types()).toHaveLength(events)
  expect(await stand.keys.authenticate(apiKey)).toMatchObject({ madeBy: personId })

  await stand.accounts.handle({ type: 'entitle', accountId: B, suspended: true }, { ...CAUSE, accountId: B })
  await stand.members.erase(personId, CAUSE)
  expect((await rolesOf())[personId]).toBeUndefined()
  expect(await stand.keys.authenticate(apiKey)).toBe('revoked-key')
})

describe('an invitation', () => {
  const tokenOf = (url: string) => url.slice(url.lastIndexOf('/') + 1)
  const open = (url: string) => stand.invitations.opened(tokenOf(url))

  test('admits a newcomer with its role, once; its address is deleted on use', async () => {
    await stand.people.join(ann, owner, CAUSE)
    const { url } = await stand.invitations.invite(A, ben.email, 'viewer', CAUSE)
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:3000\/console\/invitations\/[A-Za-z0-9_-]{43}$/)
    const invitation = (await open(url))!
    expect(invitation).toMatchObject({ accountId: A, account: 'team', role: 'viewer', email: ben.email })
    const { role, invitationId: invitation_id } = invitation
    const entrance = { account_id: A, role, invitation_id, token: tokenOf(url) }
    const personId = await stand.people.join(ben, entrance, CAUSE)
    expect((await rolesOf())[personId]).toBe('viewer')
    expect(await open(url)).toBeUndefined()
    expect(await stand.invitations.list(A)).toEqual([])
    expect(await stand.stores.vault.loadRecord(A, invitation.invitationId)).toBeUndefined()
  })

  test('adds an existing person only if it was sent to their address', async () => {
    const first = await stand.people.join(ann, owner, CAUSE)
    const second = await stand.people.join(ben, { ...owner, account_id: B }, CAUSE)
    const invitation = (await open(
      (
        await stand.invitations.invite(A, 'BEN@example.org', 'member', CAUSE)
      ).url,
    ))!
    expect(await problem(stand.invitations.accept(invitation, first, CAUSE))).toBe('wrong-address')
    await stand.invitations.accept(invitation, second, CAUSE)
    expect(await stand.people.accountsOf(second)).toEqual([
      { accountId: B, role: 'owner' },
      { accountId: A, role: 'member' },
    ])
    expect(await problem(stand.invitations.accept(invitation, second, CAUSE))).toBe('done')
    expect((await rolesOf())[second]).toBe('member')
  })

  test('keeps its address while it is open; the sweep destroys it afterwards, and one that a crash has left', async () => {
    const { url } = await stand.invitations.invite(A, ben.email, 'viewer', CAUSE)
    const { invitationId } = (await open(url))!
    const left = newInvitationId(CAUSE.now, new Uint8Array(10))
    await stand.stores.vault.saveRecord(A, left, ann.email)
    const addresses = () =>
      Promise.all([invitationId, left].map((id) => stand.stores.vault.loadRecord(A, id)))
    await stand.invitations.sweep()
    expect(await addresses()).toEqual([ben.email, ann.email])
    stand.clock.offset = 2 * 3_600_000
    await stand.invitations.sweep()
    expect(await addresses()).toEqual([ben.email, undefined])
    stand.clock.offset = 8 * 86_400_000
    await stand.invitations.sweep()
    expect(await addresses()).toEqual([undefined, undefined])
  })

  test('that is withdrawn opens nothing; a new link for an open invitation invalidates the old link', async () => {
    await stand.people.join(ann, owner, CAUSE)
    const { url } = await stand.invitations.invite(A, ben.email, 'viewer', CAUSE)
    const { invitationId } = (await open(url))!
    const { url: next } = await stand.invitations.link(A, invitationId)
    expect(await open(url)).toBeUndefined()
    expect(await open(next)).toMatchObject({ invitationId })
    await stand.invitations.withdraw(A, invitationId, CAUSE)
    expect(await open(next)).toBeUndefined()
    expect(await problem(stand.invitations.link(A, invitationId))).toBe('not-invited')
    expect(await stand.stores.vault.loadRecord(A, invitationId)).toBeUndefined()
  })

  test('expires after seven days', async () => {
    await stand.people.join(ann, owner, CAUSE)
    const { url } = await stand.invitations.invite(A, ben.email, 'viewer', CAUSE)
    stand.clock.offset += 7 * 86_400_000
    expect(await open(url)).toBeUndefined()
    expect(await stand.invitations.list(A)).toEqual([])
  })
})

describe('members', () => {
  test('one owner stays when two owners remove each other concurrently', async () => {
    const first = await stand.people.join(ann, owner, CAUSE)
    const second = await stand.people.join(ben, owner, CAUSE)
    const both = [first, second].map((id) => problem(stand.members.remove(A, id, CAUSE)))
    expect((await Promise.all(both)).sort()).toEqual(['done', 'last-owner'])
    expect(Object.values(await rolesOf())).toEqual(['owner'])
  })

  test('an owner who was removed in the meantime changes nothing', async () => {
    const first = await stand.people.join(ann, owner, CAUSE)
    const second = await stand.people.join(ben, owner, CAUSE)
    await stand.members.remove(A, second, CAUSE, first)
    expect(await problem(stand.members.setRole(A, first, 'viewer', CAUSE, second))).toBe('not-owner')
    expect(await problem(stand.members.remove(A, first, CAUSE, second))).toBe('not-owner')
    expect(await problem(stand.invitations.invite(A, 'x@example.org', 'owner', CAUSE, second))).toBe(
      'not-owner',
    )
    expect(await stand.invitations.list(A)).toEqual([])
    expect(await rolesOf()).toEqual({ [first]: 'owner' })
  })

  test('a removed member loses the keys that they made, and no other key is revoked', async () => {
    await stand.people.join(ann, owner, CAUSE)
    const second = await stand.people.join(ben, owner, CAUSE)
    const request = { accountId: A, name: null, scopes: ['admin'], expiresAt: null } as const
    const kept = await stand.keys.create(request, CAUSE)
    const keyOfBen = await stand.keys.create(request, { ...CAUSE, actor: `person:${second}` })
    await stand.members.remove(A, second, CAUSE)
    expect(await stand.keys.authenticate(keyOfBen.apiKey)).toBe('revoked-key')
    expect(await stand.keys.authenticate(kept.apiKey)).toMatchObject({ accountId: A })
    // Signing in does not restore the membership.
    await signIn(ben.email, ben.password)
    expect(await stand.people.accountsOf(second)).toEqual([])
  })
})
