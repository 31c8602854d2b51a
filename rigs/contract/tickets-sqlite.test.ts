/** The embedded tickets and sign-in links fulfil the contract and survive a restart. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { AccountId } from '../../src/domain/ids.ts'
import { openSqliteTickets } from '../../src/ephemeral/sqlite/tickets.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { SignInLinks } from '../../src/signin/links.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { signInsContract } from './sign-in-links.ts'
import { ticketsContract } from './tickets.ts'

const open = async () => {
  const tickets = openSqliteTickets(':memory:')
  return { tickets, close: () => tickets.close() }
}
ticketsContract('a SQLite file', open)
signInsContract('a SQLite file', open)

test('a session survives a restart', async () => {
  const path = join(temporaryFolder(), 'volatile.db')
  const before = openSqliteTickets(path)
  const session = { kind: 'session', owner: 'per_1', expiresAt: Date.now() + 60_000, text: '{}' } as const
  await before.put('h', session)
  await before.close()
  const after = openSqliteTickets(path)
  expect(await after.find('h', Date.now())).toEqual({ ...session, hash: 'h', takenBy: null })
  await after.close()
})

test('a sign-in link survives a restart', async () => {
  const path = join(temporaryFolder(), 'volatile.db')
  const before = openSqliteTickets(path)
  const link = { account: 'acc_1' as AccountId, source: 'site', expiresAt: Date.now() + 60_000 }
  await new SignInLinks(before).add('h', link, Date.now())
  await before.close()
  const after = openSqliteTickets(path)
  expect(await new SignInLinks(after).find('h', Date.now())).toEqual({ ...link, opened: null })
  await after.close()
})

test('a failure of the file is an unavailable store', async () => {
  const path = join(temporaryFolder(), 'volatile.db')
  const tickets = openSqliteTickets(path)
  const other = new DatabaseSync(path)
  other.exec('DROP TABLE tickets')
  other.close()
  const ticket = { kind: 'setup', owner: '', expiresAt: Date.now() + 60_000, text: '' } as const
  const calls = [
    tickets.put('h', ticket),
    tickets.replace('h', ticket),
    tickets.find('h', Date.now()),
    tickets.take('h', 'browser', Date.now()),
    tickets.list('setup', '', Date.now()),
    tickets.end('setup', '', ['h']),
  ]
  for (const call of await Promise.allSettled(calls)) {
    expect(call.status === 'rejected' && call.reason).toBeInstanceOf(StoreUnavailable)
  }
  await tickets.close()
})
