/** The vault soon destroys states that no login refers to, such as after a crash between a state and its event. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import type { AccountId } from '../../src/domain/ids.ts'
import { sweepStates } from '../../src/login/vault-sweep.ts'
import { openS3Vault } from '../../src/vault/s3.ts'
import { openSqliteVault } from '../../src/vault/sqlite.ts'
import { Vault } from '../../src/vault/vault.ts'
import { testBucket } from '../artifacts/s3.ts'
import { aState, keyringIn } from '../vault/parts.ts'
import { openStand, type Stand } from '../worker/stand.ts'

const folder = temporaryFolder()
const bucket = await testBucket(folder)
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
let stand: Stand
beforeEach(async () => {
  stand = await openStand()
})
afterEach(() => stand.close())

const cause = () => ({ correlationId: 'test', causationId: 'test', now: stand.now() })

describe.each([
  ['SQLite', () => openSqliteVault({ path: join(folder, 'vault.db'), now: Date.now })],
  ['S3', () => openS3Vault({ bucket, pageKeys: 3 })],
])('the vault sweep in %s', (_, open) => {
  let vault: Vault
  beforeEach(async () => {
    vault = new Vault(open(), keyringIn(folder))
    for (const { account, source, ref } of await vault.list(Number.MAX_SAFE_INTEGER))
      await vault.remove(account, source, ref)
  })
  afterEach(() => vault.close())

  /** Sweeps with a clock that is `aheadMs` ahead. @returns the number of destroyed states */
  const sweep = (aheadMs = DAY_MS): Promise<number> =>
    sweepStates({ vault, logins: stand.logins, now: () => Date.now() + aheadMs })
  const name = (account: AccountId, ref: string, validUntil: number | null = null) =>
    stand.logins.complete(account, 'site', { ref, validUntil, startedAt: stand.now() }, cause())
  const isThere = async (account: AccountId, ref: string) =>
    (await vault.load(account, 'site', ref)) !== undefined

  test('destroys a saved state that no login refers to after an hour, not before', async () => {
    const account = await stand.openAccount()
    const ref = await vault.save(account, 'site', aState())
    expect(await sweep(HOUR_MS - 60_000)).toBe(0)
    expect(await isThere(account, ref)).toBe(true)
    expect(await sweep()).toBe(1)
    expect(await isThere(account, ref)).toBe(false)
  })

  test('keeps the state that a login uses, and destroys earlier ones', async () => {
    const account = await stand.openAccount()
    const older = await vault.save(account, 'site', aState())
    await name(account, older)
    const current = await vault.save(account, 'site', aState())
    // The stand uses another vault, so the event destroys nothing in this one, as after a crash.
    await name(account, current)
    expect(await sweep()).toBe(1)
    expect([await isThere(account, older), await isThere(account, current)]).toEqual([false, true])
  })

  test('destroys the states of rejected, deleted and expired logins', async () => {
    const accounts = await Promise.all([1, 2, 3].map(() => stand.openAccount()))
    const refs: string[] = []
    for (const account of accounts) refs.push(await vault.save(account, 'site', aState()))
    const [rejected, deleted, expired] = accounts as [AccountId, AccountId, AccountId]
    await name(rejected, refs[0]!)
    await stand.logins.reject(rejected, 'site', { ref: refs[0]!, reason: 'refused' }, cause())
    await name(deleted, refs[1]!)
    await stand.logins.delete(deleted, 'site', cause())
    await name(expired, refs[2]!, stand.now() + HOUR_MS)
    expect(await sweep()).toBe(2)
    stand.clock.offset = 2 * HOUR_MS
    expect(await sweep()).toBe(1)
    expect(await vault.list(Number.MAX_SAFE_INTEGER)).toEqual([])
  })

  test('does not keep a state because another account or source has a login', async () => {
    const [one, other] = [await stand.openAccount(), await stand.openAccount()]
    const ref = await vault.save(one, 'site', aState())
    await name(one, ref)
    await vault.save(other, 'site', aState())
    await vault.save(one, 'elsewhere', aState())
    expect(await sweep()).toBe(2)
    expect(await isThere(one, ref)).toBe(true)
  })
})
