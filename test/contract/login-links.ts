/**
 * What links to sign-ins must do on every back end of tickets.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { AccountId } from '../../src/domain/ids.ts'
import { type Link, MOST_LINKS, SignInLinks } from '../../src/login/links.ts'
import type { OpenTickets } from './tickets.ts'

const A = 'acc_00000000000000000000000001' as AccountId
const B = 'acc_00000000000000000000000002' as AccountId

/** Tells a back end what it must do. */
export function signInsContract(name: string, open: () => Promise<OpenTickets>): void {
  describe(`links to sign-ins, on ${name}`, () => {
    let opened: OpenTickets
    let signIns: SignInLinks
    let now: number
    beforeEach(async () => {
      opened = await open()
      signIns = new SignInLinks(opened.tickets)
      now = Date.now()
    })
    afterEach(() => opened.close())

    const link = (more: Partial<Link> = {}): Link => ({
      account: A,
      source: 'site',
      expiresAt: now + 900_000,
      ...more,
    })

    test('a link is found by its hash, with whose it is and until when', async () => {
      const given = link()
      await signIns.add('h1', given, now)
      expect(await signIns.find('h1', now)).toEqual({ ...given, opened: null })
      expect(await signIns.find('h2', now)).toBeUndefined()
    })

    test('a link opens once, for the first of many at once', async () => {
      await signIns.add('h1', link(), now)
      const all = await Promise.all(Array.from({ length: 20 }, (_, i) => signIns.open('h1', `s${i}`, now)))
      expect(all.filter(Boolean)).toHaveLength(1)
      const { opened } = (await signIns.find('h1', now)) ?? {}
      expect(opened).toBe(`s${all.indexOf(true)}`)
    })

    test('who opened a link may open it again: a call may come twice', async () => {
      await signIns.add('h', link(), now)
      const opened = await Promise.all(['s', 'other', 's'].map((signIn) => signIns.open('h', signIn, now)))
      expect(opened).toEqual([true, false, true])
    })

    test('a link that is unknown, has expired, was ended or withdrawn opens nothing', async () => {
      await signIns.add('h1', link({ expiresAt: now + 1000 }), now)
      await signIns.add('h2', link(), now)
      await signIns.add('h3', link(), now)
      await signIns.close('h2')
      expect(await signIns.open('h1', 's', now + 1000)).toBe(false)
      expect(await signIns.find('h1', now + 1000)).toBeUndefined()
      expect(await signIns.open('h2', 's', now)).toBe(false)
      await signIns.withdraw(A, 'site')
      expect(await signIns.open('h3', 's', now)).toBe(false)
      expect(await signIns.open('h4', 's', now)).toBe(false)
      expect(await signIns.find('h3', now)).toBeUndefined()
    })

    test('the links of one login are withdrawn alone', async () => {
      await signIns.add('h1', link(), now)
      await signIns.add('h2', link({ source: 'other' }), now)
      await signIns.add('h3', link({ account: B }), now)
      await signIns.withdraw(A, 'site')
      expect(await signIns.find('h2', now)).toBeDefined()
      expect(await signIns.find('h3', now)).toBeDefined()
    })

    test(`a login has ${MOST_LINKS} links at most: the oldest goes`, async () => {
      for (let i = 0; i <= MOST_LINKS; i++)
        await signIns.add(`h${i}`, link({ expiresAt: now + 1000 + i }), now)
      expect(await signIns.find('h0', now)).toBeUndefined()
      expect(await signIns.find('h1', now)).toBeDefined()
      expect(await signIns.find(`h${MOST_LINKS}`, now)).toBeDefined()
    })

    test('links that are asked for while somebody signs in end no sign-in', async () => {
      await signIns.add('h', link({ expiresAt: now + 1000 }), now)
      await signIns.open('h', 's', now)
      for (let i = 0; i <= MOST_LINKS; i++)
        await signIns.add(`h${i}`, link({ expiresAt: now + 2000 + i }), now)
      expect((await signIns.find('h', now))?.opened).toBe('s')
      expect(await signIns.find('h0', now)).toBeUndefined()
      expect(await signIns.find('h1', now)).toBeDefined()
    })

    test('a login has one sign-in at a time: a link that is opened ends the one before it', async () => {
      for (const [hash, more] of [
        ['h1'],
        ['h2'],
        ['h3'],
        ['h4', { source: 'other' }],
        ['h5', { account: B }],
      ] as const)
        await signIns.add(hash, link(more), now)
      for (const hash of ['h1', 'h4', 'h5', 'h2'])
        expect(await signIns.open(hash, `s${hash}`, now)).toBe(true)
      expect(await signIns.find('h1', now)).toBeUndefined()
      for (const hash of ['h2', 'h4', 'h5']) expect((await signIns.find(hash, now))?.opened).toBe(`s${hash}`)
      expect((await signIns.find('h3', now))?.opened).toBeNull()
      // One that was ended already takes nothing along.
      await signIns.close('h1')
      expect((await signIns.find('h2', now))?.opened).toBe('sh2')
      await signIns.withdraw(A, 'site')
      for (const hash of ['h2', 'h3']) expect(await signIns.find(hash, now)).toBeUndefined()
      expect([...(await signIns.pending(A, ['site', 'other'], now))]).toEqual(['other'])
    })

    test('a sign-in is pending while a link of the login is there, opened or not', async () => {
      const pending = async (at = now) => [...(await signIns.pending(A, ['site', 'other'], at))]
      expect(await pending()).toEqual([])
      await signIns.add('h1', link({ expiresAt: now + 5000 }), now)
      await signIns.add('h2', link({ account: B, source: 'other' }), now)
      expect(await pending()).toEqual(['site'])
      await signIns.open('h1', 's', now)
      expect(await pending()).toEqual(['site'])
      expect(await pending(now + 5000)).toEqual([])
      await signIns.close('h1')
      expect(await pending()).toEqual([])
    })
  })
}
