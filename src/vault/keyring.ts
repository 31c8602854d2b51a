/**
 * The keys that wrap accounts' data keys: the setting VAULT_KEY, else a file in the data folder, which is made when it is
 * first needed. Others are known so that what they wrapped can still be opened: VAULT_KEY_OLD, and the files, also
 * where VAULT_KEY was set later.
 *
 * Keys are decoded for each use and filled with zeros after it; of a file nothing is remembered, so that a process never
 * wraps by a key that another one has replaced.
 *
 * @module
 */
import { createHmac, hkdfSync } from 'node:crypto'
import { join } from 'node:path'
import { StoreUnavailable } from '../log/event-log.ts'
import { decodeKey, ensureKeyFile, readKeyFile, replaceKeyFile } from './key-file.ts'
import { ID_BYTES, KEY_BYTES, keyIdOf, seal, unseal } from './sealing.ts'

/** Files of keys in the data folder: the one in use, and the one of a rotation that is not over. */
export type KeyFile = 'vault.key' | 'vault.key.new'
/** Where a key stands: a setting, or a file. */
export type KeyName = 'VAULT_KEY' | 'VAULT_KEY_OLD' | KeyFile

export type KeyringOptions = {
  /** 32 bytes in base64; null: the key is in a file */
  readonly vaultKey: string | null
  /** the one before, during a rotation */
  readonly vaultKeyOld: string | null
  /** the folder of the files */
  readonly dataDir: string
}

/** No key that is there opens a data key. Setting the right one heals it. */
export class VaultLocked extends StoreUnavailable {}

/** A key, decoded. Its id is derived from it and tells nothing of it. */
type Held = { readonly name: KeyName; readonly id: Buffer; readonly key: Buffer }

export class Keyring {
  /** Out of reach, so that whoever prints an object that has the ring prints no key. */
  readonly #options: KeyringOptions
  private rotating = false

  constructor(options: KeyringOptions) {
    this.#options = options
  }

  /** The key that wraps, whether or not its file is there yet. */
  get current(): 'VAULT_KEY' | KeyFile {
    if (this.#options.vaultKey !== null) return 'VAULT_KEY'
    return this.rotating ? 'vault.key.new' : 'vault.key'
  }

  /** The keys that are there. */
  known(): KeyName[] {
    return this.withKeys((keys) => keys.map(({ name }) => name))
  }

  /** Where the file of a key is, or would be. */
  pathOf(name: KeyFile): string {
    return join(this.#options.dataDir, name)
  }

  /** Wraps a data key for the place where it will lie. Makes the key's file when there is neither file nor setting. */
  wrap(dataKey: Uint8Array, place: string): Buffer {
    const { current } = this
    if (current !== 'VAULT_KEY') ensureKeyFile(this.pathOf(current))
    return this.withKeys((keys) => {
      const held = keys.find(({ name }) => name === current)
      if (!held) throw new StoreUnavailable(`${current} was deleted just now`)
      return seal(held.key, held.id, dataKey, place)
    })
  }

  /**
   * Opens a wrapped data key. The caller fills it with zeros when it is done with it.
   *
   * @throws {VaultLocked} when the key that wrapped it is not there
   * @throws {VaultDamaged} when it is not what was wrapped for this place
   */
  unwrap(wrapped: Uint8Array, place: string): Buffer {
    return this.withKeys((keys) => {
      const held = wrapperOf(wrapped, keys)
      if (!held)
        throw new VaultLocked(
          'no key opens a data key of the vault: the one that wrapped it must be set as VAULT_KEY or VAULT_KEY_OLD, or lie in DATA_DIR as vault.key',
        )
      return unseal(held.key, wrapped, place)
    })
  }

  /** Whether the current key wrapped it. @throws {VaultDamaged} for what was never wrapped */
  isCurrent(wrapped: Uint8Array): boolean {
    return this.withKeys((keys) => wrapperOf(wrapped, keys)?.name === this.current)
  }

  /**
   * Keys for another use than wrapping, each derived (HKDF-SHA-256) from one that is there, the current one's first,
   * with that one's id. Makes the key's file when there is neither file nor setting.
   *
   * @param use what they are for; another use has other keys
   * @param salt what they are for within the use
   */
  derived(use: string, salt: string): { readonly id: Buffer; readonly key: Buffer }[] {
    const { current } = this
    if (current !== 'VAULT_KEY') ensureKeyFile(this.pathOf(current))
    return this.withKeys((keys) =>
      keys.map(({ id, key }) => ({ id, key: Buffer.from(hkdfSync('sha256', key, salt, use, KEY_BYTES)) })),
    )
  }

  /**
   * From now on what is wrapped is wrapped by the key to stay. That is VAULT_KEY where it is set; else a new one, beside
   * the one in use until {@link endRotation}. A rotation that was broken off goes on with the key that it made.
   */
  beginRotation(): void {
    this.rotating = true
    if (this.current === 'vault.key.new') ensureKeyFile(this.pathOf('vault.key.new'))
  }

  /** All is wrapped by the key to stay: a new file takes the place of the old one. */
  endRotation(): void {
    if (this.current === 'vault.key.new')
      replaceKeyFile(this.pathOf('vault.key'), this.pathOf('vault.key.new'))
    this.rotating = false
  }

  /** Lends the keys that are there to `use`, the current one first. */
  private withKeys<T>(use: (keys: readonly Held[]) => T): T {
    const keys: Held[] = []
    try {
      for (const name of NAMES) {
        const key = this.keyOf(name)
        if (key) keys.push({ name, key, id: idOf(key) })
      }
      // Where one key stands at two places it is the current one.
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

/** The new file before the one whose name it will take: in this order none is missed while it does. */
const NAMES = ['VAULT_KEY', 'VAULT_KEY_OLD', 'vault.key.new', 'vault.key'] as const

const wrapperOf = (wrapped: Uint8Array, keys: readonly Held[]): Held | undefined => {
  const id = keyIdOf(wrapped)
  return keys.find((held) => held.id.equals(id))
}

const idOf = (key: Buffer): Buffer =>
  createHmac('sha256', key).update('gleaner vault key').digest().subarray(0, ID_BYTES)
