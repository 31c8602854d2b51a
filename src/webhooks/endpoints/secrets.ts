/**
 * The URL and the signing secrets of endpoints, stored in the vault under the account's key because a URL often
 * contains a secret. Each change is saved under a new ref, which takes effect when an event names it.
 *
 * @module
 */
import { clock } from '../../async/clock.ts'
import { type AccountId, timeOrdered } from '../../domain/ids.ts'
import { randomBytes } from '../../random.ts'
import { VaultDamaged } from '../../vault/sealing.ts'
import type { Vault } from '../../vault/vault.ts'

export type Secrets = {
  readonly url: string
  /** `whsec_…` */
  readonly secret: string
  /** the previous secret, which also signs until a time, in milliseconds since 1970 */
  readonly previous?: { readonly secret: string; readonly until: number }
}

const PREFIX = 'webhook_'

export class SecretStore {
  constructor(
    private readonly vault: Pick<Vault, 'saveRecord' | 'loadRecord' | 'removeRecord' | 'records'>,
  ) {}

  /** @returns the ref, which takes effect when an event names it */
  async save(account: AccountId, secrets: Secrets): Promise<string> {
    const ref = `${PREFIX}${timeOrdered(clock.now(), randomBytes(10))}`
    await this.vault.saveRecord(account, ref, JSON.stringify(secrets))
    return ref
  }

  /**
   * Undefined when the vault has lost the secrets: its keys were destroyed, an older vault was restored, or the record is
   * damaged.
   */
  async load(account: AccountId, ref: string): Promise<Secrets | undefined> {
    try {
      const text = await this.vault.loadRecord(account, ref)
      return text === undefined ? undefined : JSON.parse(text)
    } catch (error) {
      if (error instanceof VaultDamaged) return undefined
      throw error
    }
  }

  /** The refs of all accounts that were saved before a time, in milliseconds since 1970. */
  async list(before: number): Promise<ReadonlyMap<AccountId, readonly string[]>> {
    const stored = (await this.vault.records('acc_', before)).filter(({ name }) => name.startsWith(PREFIX))
    const byAccount = Map.groupBy(stored, ({ owner }) => owner as AccountId)
    return new Map([...byAccount].map(([account, records]) => [account, records.map(({ name }) => name)]))
  }

  remove(account: AccountId, ref: string): Promise<void> {
    return this.vault.removeRecord(account, ref)
  }
}

/** Replaces a lost URL: events contain only its host. */
export const lostUrl = (host: string): string => `https://${host}/`

/** The secrets that are valid for signing at a time, the newest first. @param now milliseconds since 1970 */
export const signingSecrets = ({ secret, previous }: Secrets, now: number): readonly string[] =>
  previous && previous.until > now ? [secret, previous.secret] : [secret]
