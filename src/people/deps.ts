/**
 * Dependencies of `people`.
 *
 * @module
 */
import type { Accounts } from '../accounts/accounts.ts'
import type { EphemeralStore } from '../ephemeral/ephemeral-store.ts'
import type { Keys } from '../keys/keys.ts'
import type { EventLog } from '../log/event-log.ts'
import type { ReadModels } from '../read/read-models.ts'
import type { WaitUntilProjected } from '../read/wait-until-projected.ts'
import type { Vault } from '../vault/vault.ts'
import type { Addresses } from './addresses.ts'
import type { Links } from './links.ts'
import type { Mail } from './mail.ts'
import type { Sessions } from './sessions.ts'

export type PeopleDeps = {
  readonly log: EventLog
  readonly readModels: ReadModels
  readonly waitUntilProjected: WaitUntilProjected
  readonly ephemeral: EphemeralStore
  readonly accounts: Accounts
  readonly keys: Pick<Keys, 'revokeMadeBy'>
  readonly vault: Vault
  readonly addresses: Addresses
  readonly sessions: Sessions
  readonly links: Links
  /** undefined: nothing is mailed; links are shown and must be passed on */
  readonly mail?: Mail | undefined
  /** milliseconds since 1970 */
  readonly now: () => number
}
