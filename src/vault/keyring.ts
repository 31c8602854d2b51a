/**
 * The keys that wrap accounts' data keys: the setting VAULT_KEY, else a file in the data folder, created when it is first
 * needed. Other keys still open what they wrapped: VAULT_KEY_OLD, and the files, also when VAULT_KEY was set later.
 *
 * Keys are decoded for each use and filled with zeros after it. Files are read each time, so that a process never wraps by
 * a key that another one has replaced.
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

/** None of the known keys opens a data key. Setting the right one heals it. */
export class VaultLocked extends StoreUnavailable {}

/** A key, decoded. Its id is derived from it and tells nothing of it. */
type LoadedKey = { readonly name: KeyName; readonly id: Buffer; readonly key: Buffer }

export class Keyring {
  /** Private at run time, so that printing an object with a keyring prints no key. */
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

  /** Where the file of a key is, or would be. */
  pathOf(name: KeyFile): string {
    return join(this.#options.dataDir, name)
  }

  /** Wraps a data key for its path. Creates the key's file when there is neither file nor setting. */
  wrap(dataKey: Uint8Array, path: string): Buffer {
    const { current } = this
    this.ensureCurrent()
    return this.withKeys((keys) => {
      const loaded = keys.find(({ name }) => name === current)
      if (!loaded) throw new StoreUnavailable(`${current} was deleted just now`)
      return seal(loaded.key, loaded.id, dataKey, path)
    })
  }

  /**
   * Opens a wrapped data key. The caller fills it with zeros when it is done with it.
   *
   * @throws {VaultLocked} when the key that wrapped it is missing
   * @throws {VaultDamaged} when it is not what was wrapped for this path
   */
  unwrap(wrapped: Uint8Array, path: string): Buffer {
    return this.withKeys((keys) => {
      const loaded = wrapperOf(wrapped, keys)
      if (!loaded)
        throw new VaultLocked(
          'no key opens a data key of the vault: the one that wrapped it must be set as VAULT_KEY or VAULT_KEY_OLD, or lie in DATA_DIR as vault.key',
        )
      return unseal(loaded.key, wrapped, path)
    })
  }

  /** Whether the current key wrapped it. @throws {VaultDamaged} for anything that was never wrapped */
  isCurrent(wrapped: Uint8Array): boolean {
    return this.withKeys((keys) => wrapperOf(wrapped, keys)?.name === this.current)
  }

  /**
   * Keys for another use than wrapping: one derived (HKDF-SHA-256) from each known key, the current one's first, with
   * that key's id. Creates the key's file when there is neither file nor setting.
   *
   * @param use what they are for; another use has other keys
   * @param salt what they are for within the use
   */
  derived(use: string, salt: string): { readonly id: Buffer; readonly key: Buffer }[] {
    this.ensureCurrent()
    return this.withKeys((keys) =>
      keys.map(({ id, key }) => ({ id, key: Buffer.from(hkdfSync('sha256', key, salt, use, KEY_BYTES)) })),
    )
  }

  /**
   * From now on the new key wraps: VAULT_KEY if it is set, else a new file beside the one in use until
   * {@link endRotation}. An interrupted rotation continues with the file that it created.
   */
  beginRotation(): void {
    this.rotating = true
    this.ensureCurrent()
  }

  /** The new key wraps all data keys: a new file replaces the old one. */
  endRotation(): void {
    if (this.current === 'vault.key.new')
      replaceKeyFile(this.pathOf('vault.key'), this.pathOf('vault.key.new'))
    this.rotating = false
  }

  /** Creates the file of the key that wraps, where that is one and there is none. */
  private ensureCurrent(): void {
    const { current } = this
    if (current !== 'VAULT_KEY') ensureKeyFile(this.pathOf(current))
  }

  /** Lends all keys that exist to `use`, the current one first. */
  private withKeys<T>(use: (keys: readonly LoadedKey[]) => T): T {
    const keys: LoadedKey[] = []
    try {
      for (const name of NAMES) {
        const key = this.keyOf(name)
        if (key) keys.push({ name, key, id: idOf(key) })
      }
      // The same key may be kept in two places: it counts as the current one.
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

/** The new file before the one that it will replace: in this order none is missed during the renaming. */
const NAMES = ['VAULT_KEY', 'VAULT_KEY_OLD', 'vault.key.new', 'vault.key'] as const

const wrapperOf = (wrapped: Uint8Array, keys: readonly LoadedKey[]): LoadedKey | undefined => {
  const id = keyIdOf(wrapped)
  return keys.find((one) => one.id.equals(id))
}

const idOf = (key: Buffer): Buffer =>
  createHmac('sha256', key).update('gleaner vault key').digest().subarray(0, ID_BYTES)
