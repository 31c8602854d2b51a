/**
 * What tests of the vault are made of.
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
/** A state as a browser gives one, with something in it that must be seen nowhere. */
export const aState = (): string =>
  JSON.stringify({ cookies: [{ name: 'session', value: randomBytes(24).toString('hex') }], origins: [] })

let folders = 0
/** An empty data folder below another one. */
export function aFolder(base: string): string {
  const path = join(base, `data-${folders++}`)
  mkdirSync(path)
  return path
}

/** Where the vault of a data folder lies, and its file. */
export const fileOf = (dataDir: string): string => join(dataDir, 'vault.db')

export const keyringIn = (dataDir: string, settings: Partial<KeyringOptions> = {}): Keyring =>
  new Keyring({ vaultKey: null, vaultKeyOld: null, dataDir, ...settings })

/** Opens the vault of a data folder, as a process of its own does; with objects of its own where they are given. */
export const vaultIn = (
  dataDir: string,
  settings: Partial<KeyringOptions> = {},
  objects: VaultObjects = objectsIn(dataDir),
): Vault => new Vault(objects, keyringIn(dataDir, settings))

export const objectsIn = (dataDir: string): VaultObjects =>
  openSqliteVault({ path: fileOf(dataDir), now: Date.now })
