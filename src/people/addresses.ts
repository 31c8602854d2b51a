/**
 * E-mail addresses of people: each is one person's. The log has a keyed hash of an address, never the address.
 *
 * @module
 */
import { type AddressCommand, type AddressState, decideAddress } from '../domain/address.ts'
import { addressStream } from '../domain/ids.ts'
import type { EventLog } from '../log/event-log.ts'
import { type Cause, execute, load } from '../log/execute.ts'
import { addressFold } from '../log/folds.ts'
import type { Vault } from '../vault/vault.ts'

/** Whose an address is, and since when in milliseconds since 1970. */
export type Holder = NonNullable<AddressState['holder']>

export class Addresses {
  constructor(
    private readonly log: EventLog,
    private readonly vault: Vault,
  ) {}

  /** Undefined when it is free. */
  async holder(email: string): Promise<Holder | undefined> {
    const { state } = await load(this.log, await this.streamOf(email), addressFold)
    return state.holder
  }

  /**
   * Makes an address a person's, or free.
   *
   * @returns whose it is, when it is somebody else's: nothing was changed then
   */
  async execute(email: string, command: AddressCommand, cause: Cause): Promise<Holder | undefined> {
    let taken: Holder | undefined
    const decide = (state: AddressState) => {
      const decision = decideAddress(command, state)
      taken = 'code' in decision ? { personId: decision.by, since: decision.since } : undefined
      return 'code' in decision ? [] : decision
    }
    await execute(this.log, await this.streamOf(email), addressFold, decide, cause)
    return taken
  }

  private async streamOf(email: string) {
    return addressStream(await this.vault.digest(addressKey(email)))
  }
}

/** Two spellings of one address have one key: no mail service tells its users apart by case. */
export const addressKey = (email: string): string => email.trim().normalize('NFC').toLowerCase()
