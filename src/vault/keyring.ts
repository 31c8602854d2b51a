/**
 * The keys that wrap data keys: the setting VAULT_KEY, else a file in the data folder, created when first needed. Other
 * keys can still unwrap: VAULT_KEY_OLD, and the files, even if VAULT_KEY was set later.
 *
 * Keys are decoded for each use and filled with zeros after it. Files are read each time, so a process never wraps by a
 * key that another process has replaced.
 *
 * @module
 */
import { createHmac, hkdfSync } from 'node:crypto'
import { join } from 'node:path'
import { StoreUnavailable } from '../log/event-log.ts'
import { decodeKey, ensureKeyFile, readKeyFile, replaceKeyFile } from './key-file.ts'
import { ID_BYTES, KEY_BYTES, keyIdOf, seal, unseal } from './sealing.ts'

/** Files of keys in the data folder: the one in use, and the one of an unfinished rotation. */
export type KeyFile = 'vault.key' | 'vault.key.new'
/** Where a key is kept: a setting, or a file. */
export type KeyName = 'VAULT_KEY' | 'VAULT_KEY_OLD' | KeyFile

export type KeyringOptions = {
  /** 32 bytes in base64; null: the key is in a file */
  readonly vaultKey: string | null
  /** the previous one, during a rotation */
  readonly vaultKeyOld: string | null
  /** the folder of the files */
  readonly dataDir: string
}

/** None of the known keys opens a data key. Setting the right key fixes this. */
export class VaultLocked extends StoreUnavailable {}

/** A decoded key. Its id is derived from the key but reveals nothing about it. */
type LoadedKey = { readonly name: KeyName; readonly id: Buffer; readonly key: Buffer }

export class Keyring {
  /** Private at run time, so that printing an object that contains a keyring prints no key. */
  readonly #options: KeyringOptions
  private rotating = false

  constructor(options: KeyringOptions) {
    this.#options = options
  }

  /** The key that wraps, whether or not its file exists yet. */
  get current(): 'VAULT_KEY' | KeyFile {
    if (this.#options.vaultKey !== null) return 'VAULT_KEY'
    return this.rotating ? 'vault.key.new' : 'vault.key'
  }

  /** The keys that exist. */
  known(): KeyName[] {
    return this.withKeys((keys) => keys.map(({ name }) => name))
  }

  /** The path of a key's file, whether or not it exists. */
  pathOf(name: KeyFile): string {
    return join(this.#options.dataDir, name)
  }

  /** Wraps a data key for its path. Creates the key file if there is neither a file nor a setting. */
  wrap(dataKey: Uint8Array, path: string): Buffer {
    const { current } = this
    this.ensureCurrent()
    return this.withKeys((keys) => {
      const loaded = keys.find(({ name }) => name === current)
      if (!loaded) throw new StoreUnavailable(`${current} has just been deleted`)
      return seal(loaded.key, loaded.id, dataKey, path)
    })
  }

  /**
   * Unwraps a data key. The caller fills it with zeros after use.
   *
   * @throws {VaultLocked} when the key that wrapped it is missing
   * @throws {VaultDamaged} when the bytes are not what was wrapped for this path
   */
  unwrap(wrapped: Uint8Array, path: string): Buffer {
    return this.withKeys((keys) => {
      const loaded = wrapperOf(wrapped, keys)
      if (!loaded)
        throw new VaultLocked(
          'no key opens a data key of the vault: set the key that wrapped it as VAULT_KEY or VAULT_KEY_OLD, or put it into DATA_DIR as vault.key',
        )
      return unseal(loaded.key, wrapped, path)
    })
  }

  /** Whether the current key wrapped a data key. @throws {VaultDamaged} for bytes that were never wrapped */
  isCurrent(wrapped: Uint8Array): boolean {
    return this.withKeys((keys) => wrapperOf(wrapped, keys)?.name === this.current)
  }

  /**
   * Keys for uses other than wrapping: one derived (HKDF-SHA-256) from each known key, the current one first, with that
   * key's id. Creates the key file if there is neither a file nor a setting.
   *
   * @param use the purpose of the keys; each purpose has its own keys
   * @param salt distinguishes keys within a purpose
   */
  derived(use: string, salt: string): { readonly id: Buffer; readonly key: Buffer }[] {
    this.ensureCurrent()
    return this.withKeys((keys) =>
      keys.map(({ id, key }) => ({ id, key: Buffer.from(hkdfSync('sha256', key, salt, use, KEY_BYTES)) })),
    )
  }

  /**
   * Makes the new key the one that wraps: VAULT_KEY if it is set, else a new file, which is kept beside the old one
   * until {@link endRotation}. An interrupted rotation continues with the file that it created.
   */
  beginRotation(): void {
    this.rotating = true
    this.ensureCurrent()
  }

  /** Ends a rotation once the new key wraps all data keys: a new file replaces the old one. */
  endRotation(): void {
    if (this.current === 'vault.key.new')
      replaceKeyFile(this.pathOf('vault.key'), this.pathOf('vault.key.new'))
    this.rotating = false
  }

  /** Creates the file of the current key if the key is kept in a file and the file does not exist. */
  private ensureCurrent(): void {
    const { current } = this
    if (current !== 'VAULT_KEY') ensureKeyFile(this.pathOf(current))
  }

  /** Passes all existing keys to `use`, the current one first. */
  private withKeys<T>(use: (keys: readonly LoadedKey[]) => T): T {
    const keys: LoadedKey[] = []
    try {
      for (const name of NAMES) {
        const key = this.keyOf(name)
        if (key) keys.push({ name, key, id: idOf(key) })
      }
      // The same key may be kept in two places: it then counts as the current one.
      keys.sort((one, other) => Number(other.name === this.current) - Number(one.name === this.current))
      return use(keys)
    } finally {
      for (const { key } of keys) key.fill(0)
    }
  }

  private keyOf(name: KeyName): Buffer | undefined {
    const { vaultKey, vaultKeyOld } = this.#options
    if (name === 'vault.key' || name === 'vault.key.new') return readKeyFile(this.pathOf(name))
    return decodeKey((name === 'VAULT_KEY' ? vaultKey : vaultKeyOld) ?? '')
  }
}

/** The new file comes before the one that it will replace: in this order no key is missed during the rename. */
const NAMES = ['VAULT_KEY', 'VAULT_KEY_OLD', 'vault.key.new', 'vault.key'] as const

const wrapperOf = (wrapped: Uint8Array, keys: readonly LoadedKey[]): LoadedKey | undefined => {
  const id = keyIdOf(wrapped)
  return keys.find((one) => one.id.equals(id))
}

const idOf = (key: Buffer): Buffer =>
  createHmac('sha256', key).update('gleaner vault key').digest().subarray(0, ID_BYTES)
