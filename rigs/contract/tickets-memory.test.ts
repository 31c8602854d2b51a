/** The in-memory tickets of the simulation fulfil the contract. */
import { expect, test } from 'bun:test'
import { MemoryTickets } from '../simulation/stores/tickets.ts'
import { signInsContract } from './sign-in-links.ts'
import { ticketsContract } from './tickets.ts'

const open = async () => ({ tickets: new MemoryTickets(), close: async () => {} })
ticketsContract('memory', open)
signInsContract('memory', open)

test('clear deletes all tickets', async () => {
  const tickets = new MemoryTickets()
  await tickets.put('h', { kind: 'session', owner: 'per_1', expiresAt: 2, text: '{}' })
  expect(await tickets.find('h', 1)).toBeDefined()
  tickets.clear()
  expect(await tickets.find('h', 1)).toBeUndefined()
  expect(await tickets.list('session', 'per_1', 1)).toEqual([])
})
