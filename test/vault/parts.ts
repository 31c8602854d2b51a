/**
 * Helpers for tests of the vault.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { newAccountId } from '../../src/domain/ids.ts'
import { Keyring, type KeyringOptions } from '../../src/vault/keyring.ts'
import type { VaultObjects } from '../../src/vault/objects.ts'
import { openSqliteVault } from '../../src/vault/sqlite.ts'
import { Vault } from '../../src/vault/vault.ts'

export const anAccount = () => newAccountId(Date.now(), randomBytes(10))
export const aVaultKey = (): string => randomBytes(32).toString('base64')
/** A state as exported by a browser, with a secret that must appear nowhere in clear. */
export const aState = (): string =>
  JSON.stringify({ cookies: [{ name: 'session', value: randomBytes(24).toString('hex') }], origins: [] })

let folders = 0
/** An empty data folder below another one. */
export function aFolder(base: string): string {
  const path = join(base, `data-${folders++}`)
  mkdirSync(path)
  return path
}

/** The vault's database file in a data folder. */
export const fileOf = (dataDir: string): string => join(dataDir, 'vault.db')

export const keyringIn = (dataDir: string, settings: Partial<KeyringOptions> = {}): Keyring =>
  new Keyring({ vaultKey: null, vaultKeyOld: null, dataDir, ...settings })

/** Opens the vault of a data folder as a separate process would. @param objects a replacement for its store */
export const vaultIn = (
  dataDir: string,
  settings: Partial<KeyringOptions> = {},
  objects: VaultObjects = objectsIn(dataDir),
): Vault => new Vault(objects, keyringIn(dataDir, settings))

export const objectsIn = (dataDir: string): VaultObjects =>
  openSqliteVault({ path: fileOf(dataDir), now: Date.now })
