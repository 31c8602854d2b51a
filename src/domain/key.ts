/**
 * An API key: made once, shown once, revoked for ever.
 *
 * @module
 */
import type { DomainEvent, EventData, KEY_EVENTS, Metadata } from './events.ts'
import type { AccountId, KeyId, PersonId } from './ids.ts'

export const SCOPES = ['runs', 'admin', 'events'] as const
/** What a key may be used for; none implies another. */
export type Scope = (typeof SCOPES)[number]

type Made = {
  readonly keyId: KeyId
  readonly accountId: AccountId
  readonly hash: string
  readonly scopes: readonly Scope[]
  /** milliseconds since 1970, null for never */
  readonly expiresAt: number | null
  /** the person who made it; undefined when a key or the operator did */
  readonly madeBy?: PersonId
}
export type KeyState =
  | { readonly status: 'none' }
  | (Made & { readonly status: 'active' })
  | (Made & { readonly status: 'revoked' })

export type KeyEvent = DomainEvent<keyof typeof KEY_EVENTS>
export type KeyCommand =
  | { readonly type: 'create'; readonly key: EventData<'KeyCreated'> }
  | { readonly type: 'revoke' }

export const initialKey: KeyState = { status: 'none' }

export function evolveKey(state: KeyState, event: DomainEvent, meta?: Metadata): KeyState {
  switch (event.type) {
    case 'KeyCreated': {
      const { key_id, account_id, hash, scopes, expires_at } = event.data
      return {
        status: 'active',
        keyId: key_id,
        accountId: account_id,
        hash,
        scopes,
        expiresAt: expires_at === null ? null : Date.parse(expires_at),
        ...(meta?.actor?.startsWith('person:')
          ? { madeBy: meta.actor.slice('person:'.length) as PersonId }
          : {}),
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
        ? [{ type: 'KeyRevoked', data: { key_id: state.keyId, account_id: state.accountId } }]
        : []
  }
}

/** Why a key is refused at `now` (milliseconds), or undefined when it is good. */
export function refusalOf(
  state: KeyState,
  now: number,
): 'invalid-key' | 'revoked-key' | 'expired-key' | undefined {
  if (state.status === 'none') return 'invalid-key'
  if (state.status === 'revoked') return 'revoked-key'
  return state.expiresAt !== null && state.expiresAt <= now ? 'expired-key' : undefined
}
