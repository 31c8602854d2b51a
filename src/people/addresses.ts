/**
 * E-mail addresses of people. An address belongs to one person. The log contains its keyed hash, never the address.
 *
 * @module
 */
import { type AddressCommand, type AddressState, addressDecider } from '../domain/address.ts'
import { addressStream, OPERATORS, type PersonId } from '../domain/ids.ts'
import type { EventLog } from '../log/event-log.ts'
import { type Cause, execute, load } from '../log/execute.ts'
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
    const { state } = await load(this.log, addressStream(await this.digestOf(email)), addressDecider)
    return state.holder
  }

  /** Claims an address for a person, or releases it. @throws {Refused} `taken`, with its holder */
  async handle(email: string, command: AddressCommand, cause: PeopleCause): Promise<void> {
    await this.handleFor(await this.digestOf(email), command, cause)
  }

  /** As {@link handle}, for an address or identity of which only the keyed hash is known. */
  async handleFor(digest: string, command: AddressCommand, cause: PeopleCause): Promise<void> {
    await execute(this.log, addressStream(digest), addressDecider, command, operatorsOf(cause))
  }

  private digestOf(email: string): Promise<string> {
    return this.vault.digest(addressKey(email))
  }
}

/** The key shared by all spellings of an address: no mail service distinguishes users by case. */
export const addressKey = (email: string): string => email.trim().normalize('NFC').toLowerCase()

/** The cause of an event of a person or address. */
export const operatorsOf = (cause: PeopleCause): Cause => ({ ...cause, accountId: OPERATORS })
