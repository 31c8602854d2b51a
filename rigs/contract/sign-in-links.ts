/**
 * The contract of sign-in links, on every back end of tickets.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { AccountId } from '../../src/domain/ids.ts'
import { MOST_LINKS, type SignInLink, SignInLinks } from '../../src/signin/links.ts'
import type { OpenTickets } from './tickets.ts'

const A = 'acc_00000000000000000000000001' as AccountId
const B = 'acc_00000000000000000000000002' as AccountId

/** Registers the tests for a back end. */
export function signInsContract(name: string, open: () => Promise<OpenTickets>): void {
  describe(`sign-in links on ${name}`, () => {
    let opened: OpenTickets
    let signInLinks: SignInLinks
    let now: number
    beforeEach(async () => {
      opened = await open()
      signInLinks = new SignInLinks(opened.tickets)
      now = Date.now()
    })
    afterEach(() => opened.close())

    const link = (more: Partial<SignInLink> = {}): SignInLink => ({
      account: A,
      source: 'site',
      expiresAt: now + 900_000,
      ...more,
    })

    test('a link is found by its hash, with its account, source and expiry', async () => {
      const newLink = link()
      await signInLinks.add('h1', newLink, now)
      expect(await signInLinks.find('h1', now)).toEqual({ ...newLink, opened: null })
      expect(await signInLinks.find('h2', now)).toBeUndefined()
    })

    test('only the first of many concurrent calls opens a link', async () => {
      await signInLinks.add('h1', link(), now)
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, i) => signInLinks.open('h1', `s${i}`, now)),
      )
      expect(all.filter(Boolean)).toHaveLength(1)
      const { opened } = (await signInLinks.find('h1', now)) ?? {}
      expect(opened).toBe(`s${all.indexOf(true)}`)
    })

    test('the sign-in that opened a link can open it again, because calls may be repeated', async () => {
      await signInLinks.add('h', link(), now)
      const opened = await Promise.all(
        ['s', 'other', 's'].map((signIn) => signInLinks.open('h', signIn, now)),
      )
      expect(opened).toEqual([true, false, true])
    })

    test('an unknown, expired, closed or withdrawn link cannot be opened', async () => {
      await signInLinks.add('h1', link({ expiresAt: now + 1000 }), now)
      await signInLinks.add('h2', link(), now)
      await signInLinks.add('h3', link(), now)
      await signInLinks.close('h2')
      expect(await signInLinks.open('h1', 's', now + 1000)).toBe(false)
      expect(await signInLinks.find('h1', now + 1000)).toBeUndefined()
      expect(await signInLinks.open('h2', 's', now)).toBe(false)
      await signInLinks.withdraw(A, 'site')
      expect(await signInLinks.open('h3', 's', now)).toBe(false)
      expect(await signInLinks.open('h4', 's', now)).toBe(false)
      expect(await signInLinks.find('h3', now)).toBeUndefined()
    })

    test('withdraw affects only the links of one login', async () => {
      await signInLinks.add('h1', link(), now)
      await signInLinks.add('h2', link({ source: 'other' }), now)
      await signInLinks.add('h3', link({ account: B }), now)
      await signInLinks.withdraw(A, 'site')
      expect(await signInLinks.find('h2', now)).toBeDefined()
      expect(await signInLinks.find('h3', now)).toBeDefined()
    })

    test(`a login has at most ${MOST_LINKS} links: a further link removes the oldest`, async () => {
      for (let i = 0; i <= MOST_LINKS; i++)
        await signInLinks.add(`h${i}`, link({ expiresAt: now + 1000 + i }), now)
      expect(await signInLinks.find('h0', now)).toBeUndefined()
      expect(await signInLinks.find('h1', now)).toBeDefined()
      expect(await signInLinks.find(`h${MOST_LINKS}`, now)).toBeDefined()
    })

    test('new links never remove an opened link', async () => {
      await signInLinks.add('h', link({ expiresAt: now + 1000 }), now)
      await signInLinks.open('h', 's', now)
      for (let i = 0; i <= MOST_LINKS; i++)
        await signInLinks.add(`h${i}`, link({ expiresAt: now + 2000 + i }), now)
      expect((await signInLinks.find('h', now))?.opened).toBe('s')
      expect(await signInLinks.find('h0', now)).toBeUndefined()
      expect(await signInLinks.find('h1', now)).toBeDefined()
    })

    test('a login has one sign-in at a time: opening a link ends the one opened before', async () => {
      for (const [hash, more] of [
        ['h1'],
        ['h2'],
        ['h3'],
        ['h4', { source: 'other' }],
        ['h5', { account: B }],
      ] as const)
        await signInLinks.add(hash, link(more), now)
      for (const hash of ['h1', 'h4', 'h5', 'h2'])
        expect(await signInLinks.open(hash, `s${hash}`, now)).toBe(true)
      expect(await signInLinks.find('h1', now)).toBeUndefined()
      for (const hash of ['h2', 'h4', 'h5'])
        expect((await signInLinks.find(hash, now))?.opened).toBe(`s${hash}`)
      expect((await signInLinks.find('h3', now))?.opened).toBeNull()
      // Closing a link that has already ended affects no other link.
      await signInLinks.close('h1')
      expect((await signInLinks.find('h2', now))?.opened).toBe('sh2')
      await signInLinks.withdraw(A, 'site')
      for (const hash of ['h2', 'h3']) expect(await signInLinks.find(hash, now)).toBeUndefined()
      expect([...(await signInLinks.pending(A, ['site', 'other'], now))]).toEqual(['other'])
    })

    test('a sign-in is pending while a link of the login exists, opened or not', async () => {
      const pending = async (at = now) => [...(await signInLinks.pending(A, ['site', 'other'], at))]
      expect(await pending()).toEqual([])
      await signInLinks.add('h1', link({ expiresAt: now + 5000 }), now)
      await signInLinks.add('h2', link({ account: B, source: 'other' }), now)
      expect(await pending()).toEqual(['site'])
      await signInLinks.open('h1', 's', now)
      expect(await pending()).toEqual(['site'])
      expect(await pending(now + 5000)).toEqual([])
      await signInLinks.close('h1')
      expect(await pending()).toEqual([])
    })
  })
}
