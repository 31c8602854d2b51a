/**
 * The vault: signed-in states of accounts at sources, and what names people, sealed wherever they are stored. A state
 * counts only while its login's stream names its ref; the sweep (`login/vault-sweep.ts`) destroys the others.
 *
 * @module
 */
import { createHmac } from 'node:crypto'
import { clock } from '../async/clock.ts'
import type { AccountId, PersonId } from '../domain/ids.ts'
import { randomBytes } from '../random.ts'
import { type DataKey, DataKeys, type KeysFound } from './data-keys.ts'
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

  /** Saves a new state, durably. @returns its ref, for the event that makes it count */
  async save(account: AccountId, source: string, state: string): Promise<string> {
    const ref = newStateRef(clock.now(), randomBytes(10))
    const path = statesOf(account, source) + ref
    const dataKey = await this.keys.toSealWith(account)
    await this.objects.put(path, sealed(dataKey, state, path))
    return ref
  }

  /**
   * A state; undefined when it is not there, or when its data key was destroyed.
   *
   * @throws {VaultDamaged} when it is not what was saved: it is lost, and somebody has to sign in again
   */
  async load(account: AccountId, source: string, ref: string): Promise<string | undefined> {
    const found = await this.find(account, statePath(account, source, ref))
    return found && opened(found)
  }

  /** Replaces the state under a ref if it is still there: a destroyed one does not come back. */
  async replace(account: AccountId, source: string, ref: string, state: string): Promise<void> {
    const found = await this.find(account, statePath(account, source, ref))
    if (found) await this.objects.replace(found.path, sealed(found.dataKey, state, found.path))
  }

  /**
   * Destroys the states of a login: all of them, or those that are older than the one to keep. A newer one may be that
   * of a sign-in which is about to be named.
   */
  async destroy(account: AccountId, source: string, keepRef?: string): Promise<void> {
    for (const { key } of await this.objects.list(statesOf(account, source))) {
      const path = parsePath(key)
      if (path?.kind !== 'state') continue
      if (keepRef === undefined || path.ref < keepRef) await this.objects.delete(key)
    }
  }

  /** Destroys one state. That it is not there is a success. */
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

  /** Saves a text of an owner under a name, in place of what is there, durably. */
  async saveRecord(owner: Owner, name: string, text: string): Promise<void> {
    const path = recordPath(owner, name)
    await this.objects.put(path, sealed(await this.keys.toSealWith(owner), text, path))
  }

  /** A record; undefined when it is not there, or when its data key was destroyed. @throws {VaultDamaged} */
  async loadRecord(owner: Owner, name: string): Promise<string | undefined> {
    const found = await this.find(owner, recordPath(owner, name))
    return found && opened(found)
  }

  /** Destroys a record. That it is not there is a success. */
  removeRecord(owner: Owner, name: string): Promise<void> {
    return this.objects.delete(recordPath(owner, name))
  }

  /**
   * The records that were last written before a time, by owner and name.
   *
   * @param owners how the owners' ids begin: `per_`, `acc_`
   * @param before milliseconds since 1970
   */
  async records(owners: string, before: number): Promise<{ readonly owner: Owner; readonly name: string }[]> {
    return (await this.writtenBefore(before, owners)).filter((path) => path.kind === 'record')
  }

  /** The people of whom something was written before a time, in milliseconds since 1970, if only a data key. */
  async people(before: number): Promise<PersonId[]> {
    const paths = await this.writtenBefore(before, 'per_')
    return [...new Set(paths.flatMap((path) => ('owner' in path ? [path.owner as PersonId] : [])))]
  }

  /** Keyed hash of a text, lower-case hex: the same in all processes for as long as the vault lives. */
  async digest(text: string): Promise<string> {
    const key = await this.keys.shared('people', ADDRESS_KEY)
    const digest = createHmac('sha256', key).update(text).digest('hex')
    key.fill(0)
    return digest
  }

  /** Destroys an owner's data keys, which makes all else of theirs unreadable at once, and then that. @returns how many */
  async forget(owner: Owner): Promise<{ readonly keys: number; readonly states: number }> {
    const keys = await this.keys.destroy(owner)
    const states = await this.objects.list(statesOf(owner))
    const records = await this.objects.list(`${owner}/record/`)
    for (const { key } of [...states, ...records]) await this.objects.delete(key)
    return { keys, states: states.length }
  }

  /** Whether the data keys of all accounts can be opened. */
  check(): Promise<KeysFound> {
    return this.keys.check()
  }

  /**
   * Wraps all data keys by the key that is to stay: VAULT_KEY, or else a new one, which takes the place of vault.key when
   * all is done. Killed at any point it leaves no data key that cannot be opened, and continues when it is called again.
   *
   * Where the key is a file nobody else may use the vault meanwhile.
   */
  async rotate(): Promise<{ readonly rewrapped: number; readonly found: KeysFound }> {
    this.keyring.beginRotation()
    const rewrapped = await this.keys.rewrapAll()
    const found = await this.check()
    if (found.outdated === 0) this.keyring.endRotation()
    return { rewrapped, found }
  }

  /**
   * Copies all of another store into this one: states as they are, data keys wrapped by the current key. Writing an object
   * again changes nothing, so it can be repeated; nothing is deleted here.
   *
   * @returns how many states
   * @throws {VaultLocked} when a data key cannot be opened
   * @throws the signal's reason when it was aborted
   */
  async copyFrom(from: VaultObjects, signal: AbortSignal): Promise<number> {
    let states = 0
    // In the order of their paths: an account's data keys come before its states.
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

  /** What lies at the paths with a beginning that were last written before a time. */
  private async writtenBefore(before: number, beginning = ''): Promise<VaultPath[]> {
    const written = (await this.objects.list(beginning)).filter(({ at }) => at < before)
    return written.flatMap(({ key }) => parsePath(key) ?? [])
  }

  /** What is sealed at a path, and the data key that opens it; undefined when either is gone, or there is no such path. */
  private async find(owner: Owner, path: string | undefined): Promise<Sealed | undefined> {
    const body = path === undefined ? undefined : await this.objects.get(path)
    const dataKey = body && (await this.keys.toOpenWith(owner, keyIdOf(body)))
    return path !== undefined && body && dataKey ? { path, body, dataKey } : undefined
  }
}

type Sealed = { readonly path: string; readonly body: Uint8Array; readonly dataKey: DataKey }

/** The id of the data key by which addresses are hashed. */
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
