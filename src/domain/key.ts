/**
 * An API key: made once, shown once, revoked for ever.
 *
 * @module
 */
import type { DomainEvent, EventData, KEY_EVENTS, Metadata } from './events.ts'
import type { PersonId } from './ids.ts'

export const SCOPES = ['runs', 'admin', 'events'] as const
/** What a key may be used for; none implies another. */
export type Scope = (typeof SCOPES)[number]

export type KeyState =
  | { readonly status: 'none' }
  | {
      readonly status: 'active' | 'revoked'
      /** as it was made */
      readonly key: EventData<'KeyCreated'>
      /** the person who made it; undefined when a key or the operator did */
      readonly madeBy: PersonId | undefined
    }

export type KeyEvent = DomainEvent<keyof typeof KEY_EVENTS>
export type KeyCommand =
  | { readonly type: 'create'; readonly key: EventData<'KeyCreated'> }
  | { readonly type: 'revoke' }

export const initialKey: KeyState = { status: 'none' }

export function evolveKey(state: KeyState, event: DomainEvent, meta?: Metadata): KeyState {
  switch (event.type) {
    case 'KeyCreated': {
      const [kind, person] = meta?.actor?.split(':') ?? []
      return {
        status: 'active',
        key: event.data,
        madeBy: kind === 'person' ? (person as PersonId) : undefined,
      }
    }
    case 'KeyRevoked':
      return state.status === 'active' ? { ...state, status: 'revoked' } : state
    default:
      return state
  }
}

/**
 * The events that a command leads to; none when it changes nothing (a key made or revoked again).
 * A key that does not exist can't be revoked: that is the caller's 404.
 */
export function decideKey(command: KeyCommand, state: KeyState): KeyEvent[] {
  switch (command.type) {
    case 'create':
      return state.status === 'none' ? [{ type: 'KeyCreated', data: command.key }] : []
    case 'revoke':
      return state.status === 'active'
        ? [{ type: 'KeyRevoked', data: { key_id: state.key.key_id, account_id: state.key.account_id } }]
        : []
  }
}

/** Why a key is refused: 401 with this code. */
export type KeyRefusal = 'invalid-key' | 'revoked-key' | 'expired-key'

/** Why a key is refused at `now` (milliseconds), or undefined when it is good. */
export function refusalOf(state: KeyState, now: number): KeyRefusal | undefined {
  if (state.status === 'none') return 'invalid-key'
  if (state.status === 'revoked') return 'revoked-key'
  const { expires_at } = state.key
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired-key' : undefined
}
