/**
 * An API key: created once, shown once, revoked permanently.
 *
 * @module
 */
import type { Decider } from './decider.ts'
import type { DomainEvent, EventData, KEY_EVENTS, Metadata } from './events.ts'
import type { PersonId } from './ids.ts'

export type KeyState =
  | { readonly status: 'none' }
  | {
      readonly status: 'active' | 'revoked'
      /** as it was created */
      readonly key: EventData<'KeyCreated'>
      /** see {@link makerOf} */
      readonly madeBy: PersonId | undefined
    }

type ByActor = Pick<Metadata, 'actor'>
export type KeyEvent = DomainEvent<keyof typeof KEY_EVENTS>
export type KeyCommand =
  | { readonly type: 'create'; readonly key: EventData<'KeyCreated'> }
  | { readonly type: 'revoke' }
/** A key is created or revoked a second time without an event. */
export type KeyRefusal = { readonly refused: 'not-found' }

export const keyDecider: Decider<KeyCommand, KeyState, KeyEvent, KeyRefusal> = {
  initial: { status: 'none' },
  evolve,
  decide,
}

/**
 * The person who created a key, directly or with another key. Undefined if nobody did: its creator is the operator, the
 * service, or a key without a person behind it.
 */
export function makerOf({ made_by }: EventData<'KeyCreated'>, { actor }: ByActor): PersonId | undefined {
  const [kind, id] = actor.split(':')
  return made_by ?? (kind === 'person' ? (id as PersonId) : undefined)
}

function evolve(state: KeyState, event: DomainEvent, meta: ByActor): KeyState {
  switch (event.type) {
    case 'KeyCreated':
      return { status: 'active', key: event.data, madeBy: makerOf(event.data, meta) }
    case 'KeyRevoked':
      return state.status === 'active' ? { ...state, status: 'revoked' } : state
    default:
      return state
  }
}

function decide(command: KeyCommand, state: KeyState): KeyEvent[] | KeyRefusal {
  if (command.type === 'create')
    return state.status === 'none' ? [{ type: 'KeyCreated', data: command.key }] : []
  if (state.status === 'none') return { refused: 'not-found' }
  if (state.status === 'revoked') return []
  return [{ type: 'KeyRevoked', data: { key_id: state.key.key_id, account_id: state.key.account_id } }]
}

/** Why a key does not authenticate a request: the response is 401 with this code. */
export type KeyIssue = 'invalid-key' | 'revoked-key' | 'expired-key'

/** Why a key does not authenticate at `now` (milliseconds since 1970), or undefined when it is valid. */
export function keyIssue(state: KeyState, now: number): KeyIssue | undefined {
  if (state.status === 'none') return 'invalid-key'
  if (state.status === 'revoked') return 'revoked-key'
  const { expires_at } = state.key
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired-key' : undefined
}
