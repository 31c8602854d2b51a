/**
 * Data keys: 32 random bytes each, of one account, wrapped by a key of the keyring. None is cached, so that a destroyed
 * one opens nothing from that moment on, in any process.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import type { AccountId } from '../domain/ids.ts'
import { type Keyring, VaultLocked } from './keyring.ts'
import type { VaultObjects } from './objects.ts'
import { dataKeyPath, dataKeysOf, parsePath } from './paths.ts'
import { ID_BYTES, KEY_BYTES, VaultDamaged } from './sealing.ts'

/** An unwrapped data key. The caller fills `key` with zeros after use. */
export type DataKey = { readonly id: Buffer; readonly key: Buffer }

/** What a check of all data keys found. */
export type KeysFound = {
  readonly accounts: number
  readonly keys: number
  /** how many are wrapped by another key than the current one */
  readonly outdated: number
  /** accounts with a data key that cannot be opened: the key that wrapped it is missing, or it is damaged */
  readonly lost: readonly AccountId[]
}

type WrappedKey = { readonly account: AccountId; readonly path: string; readonly wrapped: Uint8Array }

export class DataKeys {
  constructor(
    private readonly objects: VaultObjects,
    private readonly keyring: Keyring,
  ) {}

  /**
   * The key that seals for an account, created if it has none. Two processes may each create one at once; both are valid.
   *
   * @throws {VaultLocked} when the account has keys and none can be opened: a wrong setting must not go unnoticed
   */
  async toSealWith(account: AccountId): Promise<DataKey> {
    let locked: VaultLocked | undefined
    for (const path of await this.pathsOf(account)) {
      try {
        const found = await this.read(path)
        if (found) return found
      } catch (error) {
        if (!(error instanceof VaultLocked)) throw error
        locked = error
      }
    }
    if (locked) throw locked
    return this.create(account)
  }

  /** Undefined when it was destroyed. @throws {VaultLocked} when no key opens it */
  toOpenWith(account: AccountId, id: Buffer): Promise<DataKey | undefined> {
    return this.read(dataKeyPath(account, id))
  }

  /** Destroys the keys of an account. @returns how many */
  async destroy(account: AccountId): Promise<number> {
    const paths = await this.pathsOf(account)
    for (const path of paths) await this.objects.delete(path)
    return paths.length
  }

  /** Tries to open every data key of every account. */
  async check(): Promise<KeysFound> {
    const accounts = new Set<AccountId>()
    const lost = new Set<AccountId>()
    let keys = 0
    let outdated = 0
    for await (const { account, path, wrapped } of this.all()) {
      keys++
      accounts.add(account)
      if (!this.opens(wrapped, path)) lost.add(account)
      else if (!this.keyring.isCurrent(wrapped)) outdated++
    }
    return { accounts: accounts.size, keys, outdated, lost: [...lost] }
  }

  /**
   * Wraps every data key by the current key. One that cannot be opened stays as it is; {@link check} reports it.
   *
   * @returns how many were wrapped by another key
   */
  async rewrapAll(): Promise<number> {
    let rewrapped = 0
    for await (const { path, wrapped } of this.all()) {
      if (!this.opens(wrapped, path) || this.keyring.isCurrent(wrapped)) continue
      if (await this.objects.replace(path, this.rewrap(wrapped, path))) rewrapped++
    }
    return rewrapped
  }

  /** The same data key, wrapped by the current key. @throws {VaultLocked} */
  rewrap(wrapped: Uint8Array, path: string): Buffer {
    const key = this.keyring.unwrap(wrapped, path)
    try {
      return this.keyring.wrap(key, path)
    } finally {
      key.fill(0)
    }
  }

  private async create(account: AccountId): Promise<DataKey> {
    const id = randomBytes(ID_BYTES)
    const key = randomBytes(KEY_BYTES)
    try {
      const path = dataKeyPath(account, id)
      await this.objects.put(path, this.keyring.wrap(key, path))
      return { id, key }
    } catch (error) {
      key.fill(0)
      throw error
    }
  }

  private async read(path: string): Promise<DataKey | undefined> {
    const parsed = parsePath(path)
    const wrapped = await this.objects.get(path)
    if (parsed?.kind !== 'key' || !wrapped) return undefined
    return { id: parsed.id, key: this.keyring.unwrap(wrapped, path) }
  }

  private opens(wrapped: Uint8Array, path: string): boolean {
    try {
      this.keyring.unwrap(wrapped, path).fill(0)
      return true
    } catch (error) {
      if (error instanceof VaultLocked || error instanceof VaultDamaged) return false
      throw error
    }
  }

  private async pathsOf(account: AccountId): Promise<string[]> {
    return (await this.objects.list(dataKeysOf(account))).map(({ key }) => key)
  }

  /** The data keys of all accounts, without those that are destroyed meanwhile. */
  private async *all(): AsyncGenerator<WrappedKey> {
    for (const { key: path } of await this.objects.list('')) {
      const parsed = parsePath(path)
      const wrapped = parsed?.kind === 'key' ? await this.objects.get(path) : undefined
      if (parsed && wrapped) yield { account: parsed.account, path, wrapped }
    }
  }
}
