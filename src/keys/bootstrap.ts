/**
 * The first start on an empty store: creates the account `default` and its first key. If a start is interrupted between
 * the two, the next start completes it.
 *
 * @module
 */
import { hash } from 'node:crypto'
import type { Accounts } from '../accounts/accounts.ts'
import { ConfigError } from '../config.ts'
import { type AccountId, accountStream, derivedAccountId } from '../domain/ids.ts'
import { SCOPES } from '../domain/key.ts'
import type { EventLog } from '../log/event-log.ts'
import { isApiKey } from './api-key.ts'
import type { Keys } from './keys.ts'

/** The account's id is the same on every store, so servers that start concurrently open a single account. */
export const DEFAULT_ACCOUNT: AccountId = derivedAccountId(hash('sha256', 'account default', 'buffer'))

export type BootstrapOptions = {
  readonly log: EventLog
  readonly accounts: Accounts
  readonly keys: Keys
  /** BOOTSTRAP_KEY */
  readonly key: string | null
  /** BOOTSTRAP_CREDITS */
  readonly credits: number
  /** milliseconds since 1970 */
  readonly now: () => number
}

/**
 * Prepares an empty store; does nothing on any other.
 *
 * @returns the created key, to be shown once; null when no key was created or when the settings provide it
 * @throws {ConfigError} when the provided key is malformed, even if the store needs no key
 */
export async function bootstrap(options: BootstrapOptions): Promise<string | null> {
  const { log, accounts, keys, key, credits, now } = options
  if (key !== null && !isApiKey(key)) {
    throw new ConfigError(
      'BOOTSTRAP_KEY must be a key of the form gln_<32 to 64 letters and digits>_<checksum>, as made by: gleaner keys generate. Its value is not shown.',
    )
  }
  const [first] = await log.readAll(null, 1)
  if (first && first.stream !== accountStream(DEFAULT_ACCOUNT)) return null
  if (await firstKey(log)) return null
  const cause = { correlationId: 'bootstrap', causationId: 'bootstrap', now: now() }
  const accountId = DEFAULT_ACCOUNT
  await accounts.execute({ type: 'open', accountId, name: 'default', credits }, { ...cause, accountId })
  const request = { accountId, name: 'bootstrap', scopes: SCOPES, expiresAt: null }
  const made = await keys.create(request, cause, key ?? undefined)
  if (key !== null) return null
  if ((await firstKey(log)) === made.record.key_id) return made.apiKey
  // Another server started concurrently and created its key first. One key is enough.
  await keys.revoke(made.record.key_id, accountId, cause, { even: true })
  return null
}

/** The first key of the account. It is among the first events: nobody can write other events without a key. */
async function firstKey(log: EventLog): Promise<string | undefined> {
  for (const { event } of await log.readAll(null, 200)) {
    if (event?.type === 'KeyCreated' && event.data.account_id === DEFAULT_ACCOUNT) return event.data.key_id
  }
  return undefined
}
