/** The embedded back end of what is known of sign-ins keeps the contract, and its links outlive a restart. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { AccountId } from '../../src/domain/ids.ts'
import { openSqliteSignInStore } from '../../src/login/sqlite/sign-in-store.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { signInsContract } from './login-links.ts'

signInsContract('a SQLite file', async () => {
  const signIns = openSqliteSignInStore(':memory:')
  return { signIns, close: () => signIns.shut() }
})

test('a link that was given out before a restart still leads to its sign-in', async () => {
  const path = join(temporaryFolder(), 'volatile.db')
  const before = openSqliteSignInStore(path)
  const link = { account: 'acc_1' as AccountId, source: 'site', expiresAt: 2000 }
  await before.offer('h', link, 1000)
  await before.shut()
  const after = openSqliteSignInStore(path)
  expect(await after.find('h', 1000)).toEqual({ ...link, opened: null })
  await after.shut()
})
