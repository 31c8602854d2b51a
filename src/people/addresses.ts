/**
 * E-mail addresses of people. An address belongs to one person. The log contains its keyed hash, never the address.
 *
 * @module
 */
import { type AddressCommand, type AddressState, decideAddress } from '../domain/address.ts'
import { type AccountId, addressStream, type PersonId } from '../domain/ids.ts'
import type { EventLog } from '../log/event-log.ts'
import { type Cause, execute, load } from '../log/execute.ts'
import { addressFold } from '../log/folds.ts'
import type { Vault } from '../vault/vault.ts'

/** The cause of the events of a call, without the account. */
export type PeopleCause = Omit<Cause, 'accountId'>

/** The cause of what a person does themselves. */
export const byPerson = (personId: PersonId, cause: PeopleCause): PeopleCause => ({
  ...cause,
  actor: `person:${personId}`,
})

/** The person who holds an address, and since when in milliseconds since 1970. */
export type Holder = NonNullable<AddressState['holder']>

export class Addresses {
  constructor(
    private readonly log: EventLog,
    private readonly vault: Vault,
  ) {}

  /** The holder of an address; undefined when it is free. */
  async holder(email: string): Promise<Holder | undefined> {
    const { state } = await load(this.log, addressStream(await this.digestOf(email)), addressFold)
    return state.holder
  }

  /**
   * Claims an address for a person, or releases it.
   *
   * @returns the holder if another person holds the address; nothing is changed then
   */
  async execute(email: string, command: AddressCommand, cause: PeopleCause): Promise<Holder | undefined> {
    return this.executeOn(await this.digestOf(email), command, cause)
  }

  /** As {@link execute}, for an address or identity of which only the keyed hash is known. */
  async executeOn(digest: string, command: AddressCommand, cause: PeopleCause): Promise<Holder | undefined> {
    let taken: Holder | undefined
    const decide = (state: AddressState) => {
      const decision = decideAddress(command, state)
      taken = 'code' in decision ? { personId: decision.by, since: decision.since } : undefined
      return 'code' in decision ? [] : decision
    }
    await execute(this.log, addressStream(digest), addressFold, decide, operatorsOf(cause))
    return taken
  }

  private digestOf(email: string): Promise<string> {
    return this.vault.digest(addressKey(email))
  }
}

/** The key shared by all spellings of an address: no mail service distinguishes users by case. */
export const addressKey = (email: string): string => email.trim().normalize('NFC').toLowerCase()

/** Only the operator may see the events of people and addresses. */
const OPERATORS = 'operator' as AccountId

/** The cause of an event of a person or address. */
export const operatorsOf = (cause: PeopleCause): Cause => ({ ...cause, accountId: OPERATORS })
