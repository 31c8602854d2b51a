/**
 * The first start on an empty store: creates the account `default` and its first key. If a start is interrupted at any
 * point, the next one completes it, and shows the key again until it has been used.
 *
 * The log holds only the key's hash. So that a later start can show the key again, the key is derived: from the vault's
 * key and the id of the account's first event. Whoever has only one of the two cannot derive it.
 *
 * @module
 */
import { hash } from 'node:crypto'
import type { Accounts } from '../accounts/accounts.ts'
import { ConfigError } from '../config.ts'
import { CANARY_ACCOUNT_ID } from '../domain/health/canary.ts'
import { type AccountId, accountStream, categoryOf, derivedAccountId, type KeyId } from '../domain/ids.ts'
import { SCOPES } from '../domain/roles.ts'
import type { EphemeralStore } from '../ephemeral/ephemeral-store.ts'
import { unlessAway } from '../log/away.ts'
import type { EventLog, Recorded } from '../log/event-log.ts'
import { apiKeyOf, hashOf, isApiKey, keyIdOf } from './api-key.ts'
import type { Keys } from './keys.ts'

/** The account's id is the same on every store, so servers that start concurrently open a single account. */
export const DEFAULT_ACCOUNT: AccountId = derivedAccountId(hash('sha256', 'account default', 'buffer'))

export type BootstrapOptions = {
  readonly log: EventLog
  readonly accounts: Accounts
  readonly keys: Keys
  readonly ephemeral: Pick<EphemeralStore, 'lastUsed'>
  /** secrets that only this service can derive, the current one first; see `Keyring` */
  readonly secrets: { derived(use: string, salt: string): readonly { readonly key: Uint8Array }[] }
  /** BOOTSTRAP_KEY */
  readonly key: string | null
  /** BOOTSTRAP_CREDITS */
  readonly credits: number
  /** milliseconds since 1970 */
  readonly now: () => number
  /** called when the log belongs to something else, with the reason why it gets no first key */
  readonly onForeign?: (reason: string) => void
}

/** Marks the events of a first start. */
const BOOTSTRAP = 'bootstrap'
/** A first start writes fewer events than this, even if several servers start concurrently. */
const MOST_EVENTS = 200

/** @throws {ConfigError} when BOOTSTRAP_KEY is malformed, even if the store needs no key */
export function checkBootstrapKey(key: string | null): void {
  if (key === null || isApiKey(key)) return
  throw new ConfigError(
    'BOOTSTRAP_KEY must be a key of the form gln_<32 to 64 letters and digits>_<checksum>, as made by: gleaner keys generate. Its value is not shown.',
  )
}

/**
 * Prepares an empty store; writes nothing on any other.
 *
 * @returns the first key, to be shown; null when the settings provide it, or when the service has been used
 * @throws {ConfigError} as {@link checkBootstrapKey} does
 */
export async function bootstrap(options: BootstrapOptions): Promise<string | null> {
  const { log, accounts, keys, key, credits, now } = options
  checkBootstrapKey(key)
  const events = await log.readAll(null, MOST_EVENTS)
  const [first] = events
  if (first && first.stream !== accountStream(DEFAULT_ACCOUNT)) {
    options.onForeign?.(
      `The event log begins with the stream ${first.stream} and has no account "default": it belongs to another program, or a test filled it. No first key was created. Use an event log of its own, or create an account with OPERATOR_KEY.`,
    )
    return null
  }
  const existing = firstKey(events)
  if (existing) return key === null ? shownAgain(options, events, existing) : null

  const cause = { correlationId: BOOTSTRAP, causationId: BOOTSTRAP, now: now() }
  const accountId = DEFAULT_ACCOUNT
  await accounts.handle({ type: 'open', accountId, name: 'default', credits }, { ...cause, accountId })
  const request = { accountId, name: BOOTSTRAP, scopes: SCOPES, expiresAt: null }
  const [derived] = key === null ? derivedKeys(options, await log.readAll(null, 1)) : []
  const created = await keys.create(request, cause, key ?? derived)
  if (key !== null) return null
  if (firstKey(await log.readAll(null, MOST_EVENTS)) === created.record.key_id) return created.apiKey
  // Another server started concurrently and created a different key first. One key is enough.
  await keys.revoke(created.record.key_id, accountId, cause, { even: true })
  return null
}

/** The first key, if nobody has used the service since it was created and this service can derive the key. */
async function shownAgain(
  options: BootstrapOptions,
  events: readonly Recorded[],
  keyId: KeyId,
): Promise<string | null> {
  if (!events.every(isOwn)) return null
  const usedAt = await unlessAway(options.ephemeral.lastUsed([keyId]))
  if (!usedAt || usedAt[0] !== undefined) return null
  return derivedKeys(options, events).find((key) => keyIdOf(hashOf(key)) === keyId) ?? null
}

/** Whether the service wrote an event by itself: at its first start, for its canary, or about a source. */
const isOwn = ({ stream, meta }: Recorded): boolean =>
  meta.$correlationId === BOOTSTRAP ||
  meta.account_id === CANARY_ACCOUNT_ID ||
  categoryOf(stream) === 'source'

/** The keys that this service derives for a log, by its first event. */
function derivedKeys({ secrets }: BootstrapOptions, [first]: readonly Recorded[]): string[] {
  return first ? secrets.derived('first API key', first.id).map(({ key }) => apiKeyOf(key)) : []
}

/** The first key of the account. It is among the first events: nobody can write other events without a key. */
function firstKey(events: readonly Recorded[]): KeyId | undefined {
  for (const { event } of events)
    if (event?.type === 'KeyCreated' && event.data.account_id === DEFAULT_ACCOUNT)
      return event.data.key_id as KeyId
  return undefined
}
