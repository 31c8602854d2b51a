/**
 * An e-mail address, or an identity at a provider: it belongs to one person, or is free. Its stream is named by a keyed
 * hash, which makes an address unique without storing it in the log.
 *
 * @module
 */
import type { Decider, Decision } from './decider.ts'
import type { DomainEvent, Metadata } from './events.ts'
import type { PersonId } from './ids.ts'
import type { ADDRESS_EVENTS } from './people-events.ts'

/** The holder, and since when, in milliseconds since 1970; undefined when the address is free. */
export type AddressState = { readonly holder?: { readonly personId: PersonId; readonly since: number } }

export type AddressEvent = DomainEvent<keyof typeof ADDRESS_EVENTS>
export type AddressCommand =
  /** `from`: the previous holder, who never joined */
  | { readonly type: 'claim'; readonly personId: PersonId; readonly from?: PersonId | undefined }
  | { readonly type: 'release'; readonly personId: PersonId }
export type AddressRefusal = { readonly refused: 'taken'; readonly by: PersonId; readonly since: number }

export const addressDecider: Decider<AddressCommand, AddressState, AddressEvent, AddressRefusal> = {
  initial: {},
  evolve,
  decide,
}

function evolve(state: AddressState, event: DomainEvent, meta: Metadata): AddressState {
  if (event.type === 'AddressClaimed')
    return { holder: { personId: event.data.person_id, since: Date.parse(meta.at) } }
  return event.type === 'AddressReleased' ? {} : state
}

function decide(command: AddressCommand, { holder }: AddressState): Decision<AddressEvent, AddressRefusal> {
  const { personId: person_id } = command
  if (command.type === 'release')
    return holder?.personId === person_id ? [{ type: 'AddressReleased', data: { person_id } }] : []
  if (holder?.personId === person_id) return []
  const claimed: AddressEvent = { type: 'AddressClaimed', data: { person_id } }
  if (!holder) return [claimed]
  if (holder.personId !== command.from) return { refused: 'taken', by: holder.personId, since: holder.since }
  return [{ type: 'AddressReleased', data: { person_id: holder.personId } }, claimed]
}
