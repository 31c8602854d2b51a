/** The sessions and links of people that simulations use keep the contract. */
import { expect, test } from 'bun:test'
import { MemoryTickets } from '../simulation/stores/tickets.ts'
import { ticketsContract } from './tickets.ts'

ticketsContract('memory', async () => ({ tickets: new MemoryTickets(), close: async () => {} }))

test('of a store that was emptied nothing is left', async () => {
  const tickets = new MemoryTickets()
  await tickets.put('h', { kind: 'session', owner: 'per_1', expiresAt: 2, text: '{}' })
  expect(await tickets.find('h', 1)).toBeDefined()
  tickets.clear()
  expect(await tickets.find('h', 1)).toBeUndefined()
  expect(await tickets.list('session', 'per_1', 1)).toEqual([])
})
