/**
 * Data keys: 32 random bytes each, of one owner, wrapped by a key of the keyring. They are never cached, so a destroyed
 * key opens nothing from that moment on, in any process.
 *
 * @module
 */
import { randomBytes } from '../random.ts'
import { type Keyring, VaultLocked } from './keyring.ts'
import type { VaultObjects } from './objects.ts'
import { dataKeyPath, dataKeysOf, type Owner, parsePath } from './paths.ts'
import { ID_BYTES, KEY_BYTES, VaultDamaged } from './sealing.ts'

/** An unwrapped data key. The caller fills `key` with zeros after use. */
export type DataKey = { readonly id: Buffer; readonly key: Buffer }

/** What a check of all data keys found. */
export type KeyCheck = {
  /** accounts and people with a data key */
  readonly owners: number
  readonly keys: number
  /** how many are wrapped by a key other than the current one */
  readonly outdated: number
  /** owners with a data key that cannot be opened: the key that wrapped it is missing, or the data key is damaged */
  readonly lost: readonly Owner[]
}

type WrappedKey = { readonly owner: Owner; readonly path: string; readonly wrapped: Uint8Array }

export class DataKeys {
  constructor(
    private readonly objects: VaultObjects,
    private readonly keyring: Keyring,
  ) {}

  /**
   * The key that seals for an owner, created if there is none. Two processes may concurrently create one each; both are
   * valid.
   *
   * @throws {VaultLocked} when the owner has keys and none can be opened: a wrong setting must not go unnoticed
   */
  async toSealWith(owner: Owner): Promise<DataKey> {
    let locked: VaultLocked | undefined
    for (const path of await this.pathsOf(owner)) {
      try {
        const stored = await this.read(path)
        if (stored) return stored
      } catch (error) {
        if (!(error instanceof VaultLocked)) throw error
        locked = error
      }
    }
    if (locked) throw locked
    return this.create(owner)
  }

  /**
   * The key of this name, which all processes share. It is created when first needed. The caller fills it with zeros.
   *
   * @param name 32 hexadecimal digits
   * @throws {VaultLocked} when no key opens it
   */
  async shared(owner: Owner, name: string): Promise<Buffer> {
    const path = dataKeyPath(owner, Buffer.from(name, 'hex'))
    for (;;) {
      const stored = await this.read(path)
      if (stored) return stored.key
      const key = randomBytes(KEY_BYTES)
      // If two processes create it concurrently, one succeeds and both read its key.
      await this.objects.create(path, this.keyring.wrap(key, path))
      key.fill(0)
    }
  }

  /** A key by its id. Undefined if it was destroyed. @throws {VaultLocked} when no key opens it */
  toOpenWith(owner: Owner, id: Buffer): Promise<DataKey | undefined> {
    return this.read(dataKeyPath(owner, id))
  }

  /** Destroys the keys of an owner. @returns how many */
  async destroy(owner: Owner): Promise<number> {
    const paths = await this.pathsOf(owner)
    for (const path of paths) await this.objects.delete(path)
    return paths.length
  }

  /** Tries to open every data key. */
  async check(): Promise<KeyCheck> {
    const owners = new Set<Owner>()
    const lost = new Set<Owner>()
    let keys = 0
    let outdated = 0
    for await (const { owner, path, wrapped } of this.all()) {
      keys++
      owners.add(owner)
      if (!this.opens(wrapped, path)) lost.add(owner)
      else if (!this.keyring.isCurrent(wrapped)) outdated++
    }
    return { owners: owners.size, keys, outdated, lost: [...lost] }
  }

  /**
   * Wraps every data key by the current key. A key that cannot be opened is left unchanged; {@link check} reports it.
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

  private async create(owner: Owner): Promise<DataKey> {
    const id = randomBytes(ID_BYTES)
    const key = randomBytes(KEY_BYTES)
    try {
      const path = dataKeyPath(owner, id)
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

  private async pathsOf(owner: Owner): Promise<string[]> {
    return (await this.objects.list(dataKeysOf(owner))).map(({ key }) => key)
  }

  /** All data keys, except keys that are destroyed during the iteration. */
  private async *all(): AsyncGenerator<WrappedKey> {
    for (const { key: path } of await this.objects.list('')) {
      const parsed = parsePath(path)
      const wrapped = parsed?.kind === 'key' ? await this.objects.get(path) : undefined
      if (parsed?.kind === 'key' && wrapped) yield { owner: parsed.owner, path, wrapped }
    }
  }
}
