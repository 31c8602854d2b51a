/**
 * An API key: created once, shown once, revoked permanently.
 *
 * @module
 */
import type { DomainEvent, EventData, KEY_EVENTS, Metadata } from './events.ts'
import type { PersonId } from './ids.ts'
import type { Role } from './people-events.ts'

export const SCOPES = ['runs', 'admin', 'events'] as const
/** What a key may be used for. No scope implies another. */
export type Scope = (typeof SCOPES)[number]

/**
 * The least role of a person who can create keys with a scope. Their keys lose it with the role, but every role can
 * read with a key of the scope `runs`.
 */
export const LEAST_ROLE: Readonly<Record<Scope, Role>> = { runs: 'member', admin: 'owner', events: 'viewer' }

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

export const initialKey: KeyState = { status: 'none' }

/**
 * The person who created a key, directly or with another key. Undefined if nobody did: its creator is the operator, the
 * service, or a key without a person behind it.
 */
export function makerOf({ made_by }: EventData<'KeyCreated'>, { actor }: ByActor): PersonId | undefined {
  const [kind, id] = actor?.split(':') ?? []
  return made_by ?? (kind === 'person' ? (id as PersonId) : undefined)
}

export function evolveKey(state: KeyState, event: DomainEvent, meta: ByActor): KeyState {
  switch (event.type) {
    case 'KeyCreated':
      return { status: 'active', key: event.data, madeBy: makerOf(event.data, meta) }
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
