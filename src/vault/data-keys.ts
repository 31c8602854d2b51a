/**
 * Accounts' data keys: 32 random bytes each, wrapped by a key of the keyring. None is remembered, so that a destroyed
 * one opens nothing from that moment on, in any process.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import type { AccountId } from '../domain/ids.ts'
import { type Keyring, VaultLocked } from './keyring.ts'
import { keyPlace, keysOf, parsePlace } from './names.ts'
import type { VaultObjects } from './objects.ts'
import { ID_BYTES, KEY_BYTES } from './sealing.ts'

/** A data key, open: whoever asked for it fills `key` with zeros when it is done with it. */
export type DataKey = { readonly id: Buffer; readonly key: Buffer }

export class DataKeys {
  constructor(
    private readonly objects: VaultObjects,
    private readonly keyring: Keyring,
  ) {}

  /**
   * The key that seals for an account; one is made when it has none. Two processes that do so at once make two, of
   * which either is good.
   *
   * @throws {VaultLocked} when it has some, and none can be opened: a wrong setting must not go unseen
   */
  async toSealWith(account: AccountId): Promise<DataKey> {
    let locked: VaultLocked | undefined
    for (const place of await this.placesOf(account)) {
      try {
        const found = await this.at(place)
        if (found) return found
      } catch (error) {
        if (!(error instanceof VaultLocked)) throw error
        locked = error
      }
    }
    if (locked) throw locked
    return this.make(account)
  }

  /** Undefined when it was destroyed. @throws {VaultLocked} when no key opens it */
  toOpenWith(account: AccountId, id: Buffer): Promise<DataKey | undefined> {
    return this.at(keyPlace(account, id))
  }

  /** Destroys the keys of an account. @returns how many */
  async destroy(account: AccountId): Promise<number> {
    const places = await this.placesOf(account)
    for (const place of places) await this.objects.delete(place)
    return places.length
  }

  private async make(account: AccountId): Promise<DataKey> {
    const id = randomBytes(ID_BYTES)
    const key = randomBytes(KEY_BYTES)
    try {
      const place = keyPlace(account, id)
      await this.objects.put(place, this.keyring.wrap(key, place))
      return { id, key }
    } catch (error) {
      key.fill(0)
      throw error
    }
  }

  private async at(place: string): Promise<DataKey | undefined> {
    const parsed = parsePlace(place)
    const wrapped = await this.objects.get(place)
    if (parsed?.kind !== 'key' || !wrapped) return undefined
    return { id: parsed.id, key: this.keyring.unwrap(wrapped, place) }
  }

  private async placesOf(account: AccountId): Promise<string[]> {
    return (await this.objects.list(keysOf(account))).map(({ key }) => key)
  }
}
