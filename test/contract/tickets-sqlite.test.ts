/** The embedded back end of people's sessions and links keeps the contract, and they outlive a restart. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openSqliteTickets } from '../../src/people/sqlite/tickets.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { ticketsContract } from './tickets.ts'

ticketsContract('a SQLite file', async () => {
  const tickets = openSqliteTickets(':memory:')
  return { tickets, close: () => tickets.shut() }
})

test('a session of before a restart is still one', async () => {
  const path = join(temporaryFolder(), 'volatile.db')
  const before = openSqliteTickets(path)
  const session = { kind: 'session', owner: 'per_1', expiresAt: Date.now() + 60_000, text: '{}' } as const
  await before.put('h', session)
  await before.shut()
  const after = openSqliteTickets(path)
  expect(await after.find('h', Date.now())).toEqual(session)
  await after.shut()
})
