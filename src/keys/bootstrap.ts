/**
 * The first start on an empty store: an account `default` and its first key, so that there is something to sign in
 * with. A start that was cut off between the two is finished by the next one.
 *
 * @module
 */
import { hash } from 'node:crypto'
import type { Ledger } from '../accounts/ledger.ts'
import { ConfigError } from '../config.ts'
import { type AccountId, accountStream, derivedAccountId } from '../domain/ids.ts'
import { SCOPES } from '../domain/key.ts'
import type { EventLog } from '../log/event-log.ts'
import { isApiKey } from './api-key.ts'
import type { Keys } from './keys.ts'

/** The account's id is the same on every store, so that servers which start together open one account. */
export const DEFAULT_ACCOUNT: AccountId = derivedAccountId(hash('sha256', 'account default', 'buffer'))

export type BootstrapOptions = {
  readonly log: EventLog
  readonly ledger: Ledger
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
 * @returns the key that was made, to be shown once; null when none was made, or when it was given from outside
 * @throws {ConfigError} when the given key has not the form of one, also on a store that needs none
 */
export async function bootstrap(options: BootstrapOptions): Promise<string | null> {
  const { log, ledger, keys, key, credits, now } = options
  if (key !== null && !isApiKey(key)) {
    throw new ConfigError(
      'BOOTSTRAP_KEY must be a key of the form gln_<32 to 64 letters and digits>_<checksum>. Its value is not shown.',
    )
  }
  const [first] = await log.readAll(null, 1)
  if (first && first.stream !== accountStream(DEFAULT_ACCOUNT)) return null
  if (await firstKey(log)) return null
  const cause = { correlationId: 'bootstrap', causationId: 'bootstrap', now: now() }
  const accountId = DEFAULT_ACCOUNT
  await ledger.execute({ type: 'open', accountId, name: 'default', credits }, { ...cause, accountId })
  const request = { accountId, name: 'bootstrap', scopes: SCOPES, expiresAt: null }
  const made = await keys.create(request, cause, key ?? undefined)
  if (key !== null) return null
  if ((await firstKey(log)) === made.record.key_id) return made.apiKey
  // Another server, started at the same time, made its key first: one of them is enough.
  await keys.revoke(made.record.key_id, accountId, cause, { even: true })
  return null
}

/** The first key of the account. It is among the first events: before it, there is nobody to write more. */
async function firstKey(log: EventLog): Promise<string | undefined> {
  for (const { event } of await log.readAll(null, 200)) {
    if (event?.type === 'KeyCreated' && event.data.account_id === DEFAULT_ACCOUNT) return event.data.key_id
  }
  return undefined
}
