/**
 * The contract of tickets: sessions and links.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Ticket, Tickets } from '../../src/ephemeral/tickets.ts'

export type OpenTickets = { readonly tickets: Tickets; close(): Promise<void> }

const ANN = 'per_00000000000000000000000001'
const BEN = 'per_00000000000000000000000002'

/** Registers the tests for a back end. */
export function ticketsContract(name: string, open: () => Promise<OpenTickets>): void {
  describe(`tickets on ${name}`, () => {
    let opened: OpenTickets
    let tickets: Tickets
    let now: number
    beforeEach(async () => {
      opened = await open()
      tickets = opened.tickets
      now = Date.now()
    })
    afterEach(() => opened.close())
    const ticket = (more: Partial<Ticket> = {}): Ticket => ({
      kind: 'session',
      owner: ANN,
      expiresAt: now + 60_000,
      text: '{"a":"ä"}',
      ...more,
    })

    test('a ticket is found by its hash until it expires', async () => {
      await tickets.put('h', ticket())
      expect(await tickets.find('h', now)).toEqual({ ...ticket(), hash: 'h', takenBy: null })
      expect(await tickets.find('h', now + 60_000)).toBeUndefined()
      expect(await tickets.find('other', now)).toBeUndefined()
    })

    test('replace changes a ticket, and does not bring back an ended one', async () => {
      await tickets.put('h', ticket())
      const later = ticket({ expiresAt: now + 90_000, text: '{}' })
      await tickets.replace('h', later)
      expect(await tickets.find('h', now)).toMatchObject(later)
      await tickets.end('session', ANN, ['h'])
      await tickets.replace('h', later)
      expect(await tickets.find('h', now)).toBeUndefined()
      expect(await tickets.list('session', ANN, now)).toEqual([])
    })

    test('a ticket is taken by one of several takers, who can take it again and is recorded in it', async () => {
      await tickets.put('h', ticket({ kind: 'setup' }))
      const takers = ['a', 'b', 'c', 'd']
      const outcomes = await Promise.all(takers.map((by) => tickets.take('h', by, now)))
      expect(outcomes.filter(Boolean)).toHaveLength(1)
      const winner = takers[outcomes.indexOf(true)]!
      expect(await tickets.take('h', winner, now)).toBe(true)
      const taken = { ...ticket({ kind: 'setup' }), hash: 'h', takenBy: winner }
      expect(await tickets.find('h', now)).toEqual(taken)
      expect(await tickets.list('setup', ANN, now)).toEqual([taken])
      expect(await tickets.take('none', 'a', now)).toBe(false)
    })

    test('a ticket that replaces a taken one can be taken by another taker', async () => {
      await tickets.put('h', ticket({ kind: 'slot', text: 'one' }))
      await tickets.take('h', 'a', now)
      await tickets.put('h', ticket({ kind: 'slot', text: 'two' }))
      expect(await tickets.find('h', now)).toMatchObject({ text: 'two', takenBy: null })
      expect(await tickets.take('h', 'b', now)).toBe(true)
    })

    test('an expired ticket cannot be taken', async () => {
      await tickets.put('h', ticket({ kind: 'reset' }))
      expect(await tickets.take('h', 'a', now + 60_000)).toBe(false)
    })

    test('tickets of one owner and kind are listed, latest expiry first, and ended together', async () => {
      await tickets.put('h1', ticket({ expiresAt: now + 1000 }))
      await tickets.put('h2', ticket({ expiresAt: now + 9000 }))
      await tickets.put('h3', ticket({ owner: BEN }))
      await tickets.put('h4', ticket({ kind: 'reset' }))
      const hashes = async (owner: string, at = now) =>
        (await tickets.list('session', owner, at)).map(({ hash }) => hash)
      expect(await hashes(ANN)).toEqual(['h2', 'h1'])
      expect(await hashes(ANN, now + 1000)).toEqual(['h2'])
      expect((await tickets.list('session', BEN, now))[0]).toEqual({
        hash: 'h3',
        takenBy: null,
        ...ticket({ owner: BEN }),
      })
      await tickets.end('session', ANN, ['h1', 'h2', 'h3'])
      expect([await hashes(ANN), await hashes(BEN)]).toEqual([[], ['h3']])
      expect(await tickets.find('h2', now)).toBeUndefined()
      expect(await tickets.find('h4', now)).toBeDefined()
    })
  })
}
