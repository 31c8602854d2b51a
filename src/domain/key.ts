/**
 * An API key: created once, shown once, revoked permanently.
 *
 * @module
 */
import type { DomainEvent, EventData, KEY_EVENTS, Metadata } from './events.ts'
import type { PersonId } from './ids.ts'

export const SCOPES = ['runs', 'admin', 'events'] as const
/** What a key may be used for. No scope implies another. */
export type Scope = (typeof SCOPES)[number]

export type KeyState =
  | { readonly status: 'none' }
  | {
      readonly status: 'active' | 'revoked'
      /** as it was created */
      readonly key: EventData<'KeyCreated'>
      /** the person who created it; undefined when a key or the operator did */
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
 * The events that a command produces; none when it changes nothing (a key is created or revoked a second time).
 * Revoking a key that does not exist also produces none: the caller must answer 404.
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

/** Why a key is refused: the response is 401 with this code. */
export type KeyRefusal = 'invalid-key' | 'revoked-key' | 'expired-key'

/** Why a key is refused at `now` (milliseconds since 1970), or undefined when it is valid. */
export function refusalOf(state: KeyState, now: number): KeyRefusal | undefined {
  if (state.status === 'none') return 'invalid-key'
  if (state.status === 'revoked') return 'revoked-key'
  const { expires_at } = state.key
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired-key' : undefined
}
