/**
 * The vault: signed-in states of accounts at sources, and people's personal data, sealed wherever they are stored.
 * A state is valid only while its login's stream names its ref; the sweep (`login/vault-sweep.ts`) destroys the others.
 *
 * @module
 */
import { createHmac } from 'node:crypto'
import { clock } from '../async/clock.ts'
import type { AccountId, PersonId } from '../domain/ids.ts'
import { randomBytes } from '../random.ts'
import { type DataKey, DataKeys, type KeyCheck } from './data-keys.ts'
import type { Keyring } from './keyring.ts'
import type { VaultObjects } from './objects.ts'
import {
  newStateRef,
  type Owner,
  parsePath,
  recordPath,
  statePath,
  statesOf,
  type VaultPath,
} from './paths.ts'
import { keyIdOf, seal, unseal } from './sealing.ts'

/** A state in the vault. */
export type StoredState = Extract<VaultPath, { readonly kind: 'state' }>

/**
 * States are texts. All methods throw {@link StoreUnavailable} when the store is unavailable, and its subclass
 * {@link VaultLocked} when the key that wrapped a data key is missing.
 */
export class Vault {
  private readonly keys: DataKeys

  constructor(
    private readonly objects: VaultObjects,
    private readonly keyring: Keyring,
  ) {
    this.keys = new DataKeys(objects, keyring)
  }

  /** Durably saves a new state. @returns its ref, for the event that makes the state valid */
  async save(account: AccountId, source: string, state: string): Promise<string> {
    const ref = newStateRef(clock.now(), randomBytes(10))
    const path = statesOf(account, source) + ref
    const dataKey = await this.keys.toSealWith(account)
    await this.objects.put(path, sealed(dataKey, state, path))
    return ref
  }

  /**
   * Loads a state. Undefined if it does not exist, or if its data key was destroyed.
   *
   * @throws {VaultDamaged} when it is not what was saved. The state is lost, and somebody has to sign in again.
   */
  async load(account: AccountId, source: string, ref: string): Promise<string | undefined> {
    const object = await this.find(account, statePath(account, source, ref))
    return object && opened(object)
  }

  /** Replaces the state under a ref if it still exists: a destroyed state does not come back. */
  async replace(account: AccountId, source: string, ref: string, state: string): Promise<void> {
    const object = await this.find(account, statePath(account, source, ref))
    if (object) await this.objects.replace(object.path, sealed(object.dataKey, state, object.path))
  }

  /**
   * Destroys the states of a login: all of them, or only the ones older than the state to keep. A newer state may
   * belong to a sign-in whose event is about to be appended.
   */
  async destroy(account: AccountId, source: string, keepRef?: string): Promise<void> {
    for (const { key } of await this.objects.list(statesOf(account, source))) {
      const path = parsePath(key)
      if (path?.kind !== 'state') continue
      if (keepRef === undefined || path.ref < keepRef) await this.objects.delete(key)
    }
  }

  /** Destroys one state. Succeeds if it does not exist. */
  async remove(account: AccountId, source: string, ref: string): Promise<void> {
    const path = statePath(account, source, ref)
    if (path !== undefined) await this.objects.delete(path)
  }

  /**
   * The states of all accounts that were last written before a time.
   *
   * @param before milliseconds since 1970
   */
  async list(before: number): Promise<StoredState[]> {
    return (await this.writtenBefore(before)).filter((path) => path.kind === 'state')
  }

  /** Durably saves a text of an owner under a name, and replaces an existing one. */
  async saveRecord(owner: Owner, name: string, text: string): Promise<void> {
    const path = recordPath(owner, name)
    await this.objects.put(path, sealed(await this.keys.toSealWith(owner), text, path))
  }

  /** Loads a record. Undefined if it does not exist, or if its data key was destroyed. @throws {VaultDamaged} */
  async loadRecord(owner: Owner, name: string): Promise<string | undefined> {
    const object = await this.find(owner, recordPath(owner, name))
    return object && opened(object)
  }

  /** Destroys a record. Succeeds if it does not exist. */
  removeRecord(owner: Owner, name: string): Promise<void> {
    return this.objects.delete(recordPath(owner, name))
  }

  /**
   * The records that were last written before a time, by owner and name.
   *
   * @param owners prefix of the owners' ids: `per_` or `acc_`
   * @param before milliseconds since 1970
   */
  async records(owners: string, before: number): Promise<{ readonly owner: Owner; readonly name: string }[]> {
    return (await this.writtenBefore(before, owners)).filter((path) => path.kind === 'record')
  }

  /** The people with any object, even just a data key, last written before a time in milliseconds since 1970. */
  async people(before: number): Promise<PersonId[]> {
    const paths = await this.writtenBefore(before, 'per_')
    return [...new Set(paths.flatMap((path) => ('owner' in path ? [path.owner as PersonId] : [])))]
  }

  /** Keyed hash of a text, lower-case hex: the same in all processes for the lifetime of the vault. */
  async digest(text: string): Promise<string> {
    const key = await this.keys.shared('people', ADDRESS_KEY)
    const digest = createHmac('sha256', key).update(text).digest('hex')
    key.fill(0)
    return digest
  }

  /** Destroys an owner's data keys, which makes all their objects unreadable, and then the objects. @returns counts */
  async forget(owner: Owner): Promise<{ readonly keys: number; readonly states: number }> {
    const keys = await this.keys.destroy(owner)
    const states = await this.objects.list(statesOf(owner))
    const records = await this.objects.list(`${owner}/record/`)
    for (const { key } of [...states, ...records]) await this.objects.delete(key)
    return { keys, states: states.length }
  }

  /** Whether the data keys of all accounts can be opened. */
  check(): Promise<KeyCheck> {
    return this.keys.check()
  }

  /**
   * Rotates the key: wraps all data keys by VAULT_KEY or, if it is not set, by a new key file, which replaces vault.key
   * at the end. If it is killed at any point, all data keys can still be opened, and the next call continues.
   *
   * If the key is a file, no other process may use the vault during the rotation.
   */
  async rotate(): Promise<{ readonly rewrapped: number; readonly check: KeyCheck }> {
    this.keyring.beginRotation()
    const rewrapped = await this.keys.rewrapAll()
    const keys = await this.check()
    if (keys.outdated === 0) this.keyring.endRotation()
    return { rewrapped, check: keys }
  }

  /**
   * Copies all objects of another store into this one: data keys wrapped by the current key, everything else unchanged.
   * Idempotent. Deletes nothing in this store.
   *
   * @returns the number of states
   * @throws {VaultLocked} when a data key cannot be opened
   * @throws the signal's reason when it was aborted
   */
  async copyFrom(from: VaultObjects, signal: AbortSignal): Promise<number> {
    let states = 0
    // In path order, so an account's data keys come before its states.
    for (const { key: path } of await from.list('')) {
      signal.throwIfAborted()
      const kind = parsePath(path)?.kind
      const body = await from.get(path)
      if (kind === undefined || !body) continue
      await this.objects.put(path, kind === 'key' ? this.keys.rewrap(body, path) : body)
      if (kind === 'state') states++
    }
    return states
  }

  close(): Promise<void> {
    return this.objects.close()
  }

  /** The parsed paths with a prefix that were last written before a time. */
  private async writtenBefore(before: number, beginning = ''): Promise<VaultPath[]> {
    const written = (await this.objects.list(beginning)).filter(({ at }) => at < before)
    return written.flatMap(({ key }) => parsePath(key) ?? [])
  }

  /** The sealed bytes at a path and their data key. Undefined if either does not exist, or if there is no path. */
  private async find(owner: Owner, path: string | undefined): Promise<Sealed | undefined> {
    const body = path === undefined ? undefined : await this.objects.get(path)
    const dataKey = body && (await this.keys.toOpenWith(owner, keyIdOf(body)))
    return path !== undefined && body && dataKey ? { path, body, dataKey } : undefined
  }
}

type Sealed = { readonly path: string; readonly body: Uint8Array; readonly dataKey: DataKey }

/** The id of the data key that is used to hash addresses. */
const ADDRESS_KEY = '0'.repeat(32)

/** Unseals a text, and fills the data key with zeros. @throws {VaultDamaged} */
function opened({ path, body, dataKey }: Sealed): string {
  try {
    const plain = unseal(dataKey.key, body, path)
    const text = plain.toString()
    plain.fill(0)
    return text
  } finally {
    dataKey.key.fill(0)
  }
}

/** Seals a state, and fills the data key with zeros. */
function sealed({ id, key }: DataKey, state: string, path: string): Buffer {
  const plain = Buffer.from(state)
  try {
    return seal(key, id, plain, path)
  } finally {
    plain.fill(0)
    key.fill(0)
  }
}
