/**
 * Everything that the people module needs, on the embedded stores of a folder.
 *
 * @module
 */
import { projections } from '../../projections/all.ts'
import { quickPasswords } from '../../rigs/support/quick-passwords.ts'
import { Accounts } from '../../src/accounts/accounts.ts'
import { readConfig } from '../../src/config.ts'
import type { AccountId } from '../../src/domain/ids.ts'
import { Keys } from '../../src/keys/keys.ts'
import type { Mail } from '../../src/people/mail.ts'
import type { Newcomer } from '../../src/people/newcomer.ts'
import { openPeople } from '../../src/people/open.ts'
import { Projector } from '../../src/read/projector.ts'
import { waitingFor } from '../../src/read/wait-until-projected.ts'
import { openStores, type Stores } from '../../src/stores.ts'

quickPasswords()

export const A = 'acc_00000000000000000000000001' as AccountId
export const B = 'acc_00000000000000000000000002' as AccountId
export const CAUSE = { correlationId: 'test', causationId: 'test', now: Date.now() }

export const ann: Newcomer = {
  name: 'Ann',
  email: 'Ann@example.org',
  password: 'correct horse battery',
}
export const ben: Newcomer = { name: 'Ben', email: 'ben@example.org', password: 'staple staple staple' }

export type Stand = Awaited<ReturnType<typeof openStand>>

/**
 * Opens a stand with two accounts that have no members.
 *
 * @param broken replaces some stores, for example by stores of a dying process
 */
export async function openStand(
  dataDir: string,
  broken: (stores: Stores) => Partial<Stores> = () => ({}),
  mail?: Mail,
) {
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' })
  const opened = await openStores(config)
  const stores: Stores = { ...opened, ...broken(opened) }
  const { log, readModels, ephemeral } = stores
  const clock: { offset: number; stopped?: number } = { offset: 0 }
  const now = () => (clock.stopped ?? Date.now()) + clock.offset
  const projector = new Projector(log, readModels, projections)
  await projector.start()
  const accounts = new Accounts(log, readModels, undefined, now)
  const waitUntilProjected = waitingFor(log, readModels, projector)
  const keys = new Keys({ log, readModels, ephemeral, waitUntilProjected, operatorKey: null, now })
  const publicUrl = 'http://127.0.0.1:3000'
  const room = openPeople({ ...stores, waitUntilProjected, accounts, keys, publicUrl, mail, now })
  for (const accountId of [A, B])
    await accounts.handle({ type: 'open', accountId, name: 'team', credits: 0 }, { ...CAUSE, accountId })
  return {
    stores,
    clock,
    now,
    waitUntilProjected,
    accounts,
    keys,
    ...room,
    /** All event types of the log, from its start. */
    async types(): Promise<string[]> {
      return (await log.readAll(null, 1000)).map(({ type }) => type)
    },
    async close(): Promise<void> {
      await projector.stop()
      await opened.close()
    },
  }
}
