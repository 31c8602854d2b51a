/**
 * API keys: authenticating, creating, revoking and listing them. Every request checks its key against the key's stream,
 * so a revoked key fails on the very next request, on every node.
 *
 * @module
 */
import { timingSafeEqual } from 'node:crypto'
import { type KeyRow, keys as keysModel } from '../../projections/keys.ts'
import { timestamp } from '../async/clock.ts'
import { BoundedCache } from '../bounded-cache.ts'
import type { Operation } from '../domain/event-type.ts'
import { type AccountId, type KeyId, keyStream, type PersonId, type StreamName } from '../domain/ids.ts'
import { type KeyCommand, type KeyState, keyDecider, keyIssue } from '../domain/key.ts'
import type { Scope } from '../domain/roles.ts'
import type { EphemeralStore } from '../ephemeral/ephemeral-store.ts'
import { unlessAway } from '../log/away.ts'
import type { EventLog, Recorded } from '../log/event-log.ts'
import { type Cause, execute, foldFrom, type Loaded, load } from '../log/execute.ts'
import { pagesOf } from '../read/pages.ts'
import type { Handled, ReadModels } from '../read/read-models.ts'
import { requireProjected, type WaitUntilProjected } from '../read/wait-until-projected.ts'
import { factsOf, hashOf, isApiKey, keyIdOf, newApiKey } from './api-key.ts'
import type { KeyIssue, KeyPrincipal, Principal } from './principal.ts'

/** A key as its account sees it. Times are RFC 3339. */
export type KeyRecord = Pick<
  KeyRow,
  'key_id' | 'name' | 'prefix' | 'scopes' | 'created_at' | 'expires_at' | 'revoked_at'
> & { readonly last_used_at: string | null }

/** The properties of a new key. */
export type KeyRequest = {
  readonly accountId: AccountId
  readonly name: string | null
  readonly scopes: readonly Scope[]
  /** RFC 3339 in UTC; null: never */
  readonly expiresAt: string | null
  /** the person behind the key that creates this one; a person who acts themselves is the actor of the cause */
  readonly madeBy?: PersonId | undefined
  /** identifies the call, so that its repeat is recognised */
  readonly operation?: Operation | undefined
}

export type KeysOptions = {
  readonly log: EventLog
  readonly readModels: ReadModels
  readonly ephemeral: EphemeralStore
  readonly waitUntilProjected: WaitUntilProjected
  /** null: there is no operator */
  readonly operatorKey: string | null
  /** milliseconds since 1970 */
  readonly now: () => number
}

/** An existing key, folded up to a revision. The next request reads only later events. */
type Known = {
  readonly stream: StreamName
  readonly principal: KeyPrincipal
  loaded: Loaded<KeyState>
}

/** Limit of keys cached in memory. Only existing keys are cached, so guessing cannot fill the cache. */
const MOST_KNOWN = 20_000
type KeyEvent = Handled<'KeyCreated' | 'KeyRevoked'>
const OPERATOR: Principal = { kind: 'operator' }

export class Keys {
  private readonly known = new BoundedCache<string, Known>(MOST_KNOWN)
  private readonly operatorHash: Buffer | undefined

  constructor(private readonly options: KeysOptions) {
    const { operatorKey } = options
    this.operatorHash = operatorKey === null ? undefined : Buffer.from(hashOf(operatorKey))
  }

  /**
   * Returns the owner of a key, or why the key is refused. A malformed key is refused without a lookup.
   *
   * @throws {StoreUnavailable}
   */
  authenticate(token: string): Principal | KeyIssue | Promise<Principal | KeyIssue> {
    const hash = hashOf(token)
    const known = this.known.get(hash)
    if (known) {
      const tail = this.options.log.readStream(known.stream, known.loaded.revision + 1)
      return tail.then((events) => this.verdict(known, events))
    }
    // Hashes have equal length, and the time to compare them reveals nothing about the key.
    if (this.operatorHash && timingSafeEqual(Buffer.from(hash), this.operatorHash)) return OPERATOR
    return isApiKey(token) ? this.first(hash) : 'invalid-key'
  }

  /** Drops the cache, because the log was restored or replaced. */
  forget(): void {
    this.known.clear()
  }

  /**
   * Creates a key.
   *
   * @param apiKey the key, if the settings provide it; a new random key by default
   * @returns its record, and the key, which is not stored
   */
  async create(
    request: KeyRequest,
    cause: Omit<Cause, 'accountId'>,
    apiKey: string = newApiKey(),
  ): Promise<{ readonly record: KeyRecord; readonly apiKey: string }> {
    const { accountId, name, scopes, expiresAt, madeBy, operation } = request
    const { key_id, ...facts } = factsOf(apiKey)
    const settings = { name, scopes: [...scopes], expires_at: expiresAt }
    const maker = madeBy === undefined ? {} : { made_by: madeBy }
    const key = {
      key_id,
      account_id: accountId,
      ...facts,
      ...settings,
      ...maker,
      ...(operation && { operation }),
    }
    const record = await this.handle(key_id, { type: 'create', key }, { ...cause, accountId })
    return { record, apiKey }
  }

  /**
   * Revokes a key. Idempotent.
   *
   * @param account the account that must own the key; undefined: any account
   * @param options.even revoke it even if it is the account's last admin key
   */
  async revoke(
    keyId: KeyId,
    account: AccountId | undefined,
    cause: Omit<Cause, 'accountId'>,
    options: { readonly even?: boolean } = {},
  ): Promise<KeyRecord | 'not-found' | 'last-admin-key'> {
    const row = await this.row(keyId)
    if (!row || (account !== undefined && row.account_id !== account)) return 'not-found'
    if (row.revoked_at !== null) return this.record(row)
    if (!options.even && (await this.isLastAdmin(row))) return 'last-admin-key'
    return this.handle(keyId, { type: 'revoke' }, { ...cause, accountId: row.account_id })
  }

  /**
   * All keys of an account, newest first, revoked and expired ones too.
   *
   * @throws {StoreUnavailable} also when the read model does not catch up in time
   */
  async list(account: AccountId): Promise<KeyRecord[]> {
    return this.records(await this.rows(account))
  }

  /** The record of a key of an account; undefined when the account has none with this id. */
  async get(keyId: KeyId, account: AccountId): Promise<KeyRecord | undefined> {
    const row = await this.row(keyId)
    return row?.account_id === account ? this.record(row) : undefined
  }

  /** Whether a person created a key of an account, directly or with another key. */
  async isMadeBy(keyId: KeyId, accountId: AccountId, person: PersonId): Promise<boolean> {
    const row = await this.row(keyId)
    return row?.account_id === accountId && row.made_by === person
  }

  /**
   * Revokes the keys of an account that a person created, directly or with other keys. Idempotent.
   *
   * @throws {StoreUnavailable}
   */
  async revokeMadeBy(accountId: AccountId, person: PersonId, cause: Omit<Cause, 'accountId'>): Promise<void> {
    for (const { made_by, revoked_at, key_id } of await this.rows(accountId))
      if (made_by === person && revoked_at === null)
        await this.revoke(key_id, accountId, cause, { even: true })
  }

  /** Authenticates a key that is not cached: reads its whole stream, which has two events at most. */
  private async first(hash: string): Promise<Principal | KeyIssue> {
    const keyId = keyIdOf(hash)
    const stream = keyStream(keyId)
    const loaded = await load(this.options.log, stream, keyDecider)
    const { state } = loaded
    if (state.status === 'none' || state.key.hash !== hash) return 'invalid-key'
    const { madeBy, key } = state
    const { account_id: accountId, scopes } = key
    const known = { stream, loaded, principal: { kind: 'key', keyId, accountId, scopes, madeBy } as const }
    this.known.set(hash, known)
    return this.verdict(known, [])
  }

  private verdict(known: Known, tail: readonly Recorded[]): Principal | KeyIssue {
    if (tail.length > 0) known.loaded = foldFrom(keyDecider, known.loaded, tail)
    const now = this.options.now()
    const issue = keyIssue(known.loaded.state, now)
    if (issue) return issue
    this.options.ephemeral.used(known.principal.keyId, now)
    return known.principal
  }

  /** @returns the key's record after the command */
  private async handle(keyId: KeyId, command: KeyCommand, cause: Cause): Promise<KeyRecord> {
    await execute(this.options.log, keyStream(keyId), keyDecider, command, cause)
    const row = await this.row(keyId)
    if (!row) throw new Error(`${keyId} was written but cannot be read`)
    return this.record(row)
  }

  /** A key's row, built by the projection from the key's current stream. */
  private async row(keyId: KeyId): Promise<KeyRow | null> {
    const events = await this.options.log.readStream(keyStream(keyId))
    return events
      .filter(({ event }) => event !== undefined)
      .reduce<KeyRow | null>((row, event) => keysModel.apply(row ?? undefined, event as KeyEvent), null)
  }

  /**
   * All rows of an account, including all earlier writes.
   *
   * @throws {StoreUnavailable} also when the read model does not catch up in time
   */
  private async rows(account: AccountId): Promise<KeyRow[]> {
    await requireProjected(this.options, keysModel)
    const query = { equals: [account], order: 'descending' } as const
    const pages = await Array.fromAsync(pagesOf(this.options.readModels, keysModel, 'by_account', query))
    return pages.flat()
  }

  /** False if the list of keys is unavailable: an outage must not prevent revoking a key. */
  private async isLastAdmin(row: KeyRow): Promise<boolean> {
    const now = this.options.now()
    const opens = ({ scopes, expires_at, revoked_at }: KeyRow) =>
      scopes.includes('admin') && revoked_at === null && (expires_at === null || Date.parse(expires_at) > now)
    if (!opens(row)) return false
    const rows = await unlessAway(this.rows(row.account_id))
    if (!rows) return false
    return !rows.some((other) => other.key_id !== row.key_id && opens(other))
  }

  private async record(row: KeyRow): Promise<KeyRecord> {
    const [record] = await this.records([row])
    return record!
  }

  private async records(rows: readonly KeyRow[]): Promise<KeyRecord[]> {
    // Unknown while the store is unavailable: the time of last use may be lost, and no call fails because of it.
    const usedAt = await unlessAway(this.options.ephemeral.lastUsed(rows.map((row) => row.key_id)))
    return rows.map(({ account_id: _, created: __, made_by: ___, ...row }, i) => ({
      ...row,
      last_used_at: timestamp(usedAt?.[i]),
    }))
  }
}
