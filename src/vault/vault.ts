/**
 * The vault: signed-in states of accounts at sources, sealed wherever they lie. A state counts only while its login's
 * stream names its ref; what no stream names is swept by whoever reads the streams.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import type { AccountId } from '../domain/ids.ts'
import { copyVault } from './copy.ts'
import { type DataKey, DataKeys } from './data-keys.ts'
import type { Keyring } from './keyring.ts'
import { newStateRef, parsePlace, statePlace, statesOf } from './names.ts'
import type { VaultObjects } from './objects.ts'
import { checkKeys, type KeysFound, rewrapKeys } from './rotation.ts'
import { keyIdOf, seal, unseal } from './sealing.ts'

/** A state that lies in the vault, and when it was last written: milliseconds since 1970. */
export type StoredState = {
  readonly account: AccountId
  readonly source: string
  readonly ref: string
  readonly at: number
}

/**
 * States are texts. All methods throw {@link StoreUnavailable} when the store is away, and {@link VaultLocked}, which is
 * one too, when a data key is wrapped by a key that is not there.
 */
export class Vault {
  private readonly keys: DataKeys

  constructor(
    private readonly objects: VaultObjects,
    private readonly keyring: Keyring,
  ) {
    this.keys = new DataKeys(objects, keyring)
  }

  /** Keeps a new state, durably. @returns its ref, for the event that makes it count */
  async save(account: AccountId, source: string, state: string): Promise<string> {
    const ref = newStateRef(Date.now(), randomBytes(10))
    const place = placeOf(account, source, ref)
    const dataKey = await this.keys.toSealWith(account)
    await this.objects.put(place, sealed(dataKey, state, place))
    return ref
  }

  /**
   * A state; undefined when it is not there, or when its data key was destroyed.
   *
   * @throws {VaultDamaged} when what lies there is not what was saved: it is lost, and somebody has to sign in again
   */
  async load(account: AccountId, source: string, ref: string): Promise<string | undefined> {
    const place = statePlace(account, source, ref)
    const found = place === undefined ? undefined : await this.find(account, place)
    if (place === undefined || !found) return undefined
    const { body, dataKey } = found
    try {
      const plain = unseal(dataKey.key, body, place)
      const state = plain.toString()
      plain.fill(0)
      return state
    } finally {
      dataKey.key.fill(0)
    }
  }

  /** Keeps a state in place of the one under a ref, where that is still there: a destroyed one does not come back. */
  async replace(account: AccountId, source: string, ref: string, state: string): Promise<void> {
    const place = statePlace(account, source, ref)
    const found = place === undefined ? undefined : await this.find(account, place)
    if (place === undefined || !found) return
    await this.objects.replace(place, sealed(found.dataKey, state, place))
  }

  /**
   * Destroys the states of a login: all of them, or those that are older than the one to keep. A newer one may be that
   * of a sign-in which is about to be named.
   */
  async destroy(account: AccountId, source: string, keepRef?: string): Promise<void> {
    for (const { key } of await this.objects.list(statesOf(account, source))) {
      const place = parsePlace(key)
      if (place?.kind !== 'state') continue
      if (keepRef === undefined || place.ref < keepRef) await this.objects.delete(key)
    }
  }

  /** Destroys one state. That it is not there is a success. */
  async remove(account: AccountId, source: string, ref: string): Promise<void> {
    const place = statePlace(account, source, ref)
    if (place !== undefined) await this.objects.delete(place)
  }

  /**
   * All states that were last written before a time, those of all accounts: for who sweeps what no stream names.
   *
   * @param before milliseconds since 1970
   */
  async list(before: number): Promise<StoredState[]> {
    return (await this.objects.list('')).flatMap(({ key, at }) => {
      const place = parsePlace(key)
      if (place?.kind !== 'state' || at >= before) return []
      const { account, source, ref } = place
      return [{ account, source, ref, at }]
    })
  }

  /** Destroys an account's data keys, by which all of its states become unreadable, and then these. @returns how many */
  async forget(account: AccountId): Promise<{ readonly keys: number; readonly states: number }> {
    const keys = await this.keys.destroy(account)
    const states = await this.objects.list(statesOf(account))
    for (const { key } of states) await this.objects.delete(key)
    return { keys, states: states.length }
  }

  /** Whether the data keys of all accounts can be opened. */
  check(): Promise<KeysFound> {
    return checkKeys(this.objects, this.keyring)
  }

  /** Wraps by the current key all data keys that another one wraps. */
  async rewrap(): Promise<{ readonly rewrapped: number }> {
    return { rewrapped: await rewrapKeys(this.objects, this.keyring) }
  }

  /**
   * Wraps all data keys by the key that is to stay: VAULT_KEY, or else a new one, which takes the place of vault.key when
   * all is done. Killed at any point it leaves every data key to be opened, and goes on when it is called again.
   *
   * Where the key is a file nobody else may use the vault meanwhile.
   */
  async rotate(): Promise<{ readonly rewrapped: number; readonly found: KeysFound }> {
    this.keyring.beginRotation()
    const { rewrapped } = await this.rewrap()
    const found = await this.check()
    if (found.outdated === 0) this.keyring.endRotation()
    return { rewrapped, found }
  }

  /** Brings another store along, see {@link copyVault}. @returns how many states */
  copyFrom(from: VaultObjects, signal: AbortSignal): Promise<number> {
    return copyVault({ from, to: this.objects, keyring: this.keyring, signal })
  }

  close(): Promise<void> {
    return this.objects.close()
  }

  /** What lies at a state's place, and the data key that opens it. */
  private async find(
    account: AccountId,
    place: string,
  ): Promise<{ readonly body: Uint8Array; readonly dataKey: DataKey } | undefined> {
    const body = await this.objects.get(place)
    const dataKey = body && (await this.keys.toOpenWith(account, keyIdOf(body)))
    return body && dataKey && { body, dataKey }
  }
}

function placeOf(account: AccountId, source: string, ref: string): string {
  const place = statePlace(account, source, ref)
  if (place === undefined) throw new TypeError(`no ref of a state: ${JSON.stringify(ref)}`)
  return place
}

/** Seals a state; the data key is gone afterwards. */
function sealed({ id, key }: DataKey, state: string, place: string): Buffer {
  const plain = Buffer.from(state)
  try {
    return seal(key, id, plain, place)
  } finally {
    plain.fill(0)
    key.fill(0)
  }
}
