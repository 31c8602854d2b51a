/**
 * A person who signs in to the console. Personal data is in the vault only. The stream records that the person exists,
 * which password is current, and since when sessions are valid.
 *
 * ```
 * none ── PersonJoined ──> active ── PersonErased ──> erased
 *   └──────────────── PersonErased ──────────────────────^
 * ```
 *
 * @module
 */
import type { Decider, Decision } from './decider.ts'
import type { DomainEvent, EventData, Metadata } from './events.ts'
import type { PersonId } from './ids.ts'
import type { PERSON_EVENTS } from './people-events.ts'

export type Person = {
  readonly personId: PersonId
  /** how they joined: determines the event in the account's stream, even if the process dies between the two events */
  readonly joined: EventData<'PersonJoined'>
  /** key of their password in the vault; undefined: they sign in through a provider */
  readonly passwordRef: string | undefined
  /** keyed hashes of their identities at providers */
  readonly identities: readonly string[]
  readonly isOperator: boolean
  /** sessions that began before this time have ended: milliseconds since 1970 */
  readonly sessionsSince: number
  /** how often all sessions were ended: a session counts while this is what it was when the person proved who they are */
  readonly epoch: number
}
export type PersonState =
  | { readonly status: 'none' }
  | (Person & { readonly status: 'active' })
  | { readonly status: 'erased' }

export type PersonEvent = DomainEvent<keyof typeof PERSON_EVENTS>

export type PersonCommand = { readonly personId: PersonId } & (
  | { readonly type: 'join'; readonly joined: EventData<'PersonJoined'>; readonly isOperator?: boolean }
  /** `from`: the password that authorizes the change; it must still be the current one */
  | { readonly type: 'change-password'; readonly ref: string; readonly from?: string | undefined }
  | { readonly type: 'link' | 'unlink'; readonly identity: string }
  | { readonly type: 'set-operator'; readonly isOperator: boolean }
  /**
   * Also for an id whose person never joined: nobody can join with this id afterwards. With `unlessJoined` the command
   * is refused if the person has joined. Other callers than the person use it, since their view may be out of date.
   */
  | { readonly type: 'erase'; readonly unlessJoined?: true }
)

/**
 * `not-found`: nobody has this id, or the person was erased. `joined`: the person has joined. `wrong-password`: it was
 * changed.
 */
export type PersonRefusal = { readonly refused: 'not-found' | 'joined' | 'wrong-password' }

export const personDecider: Decider<PersonCommand, PersonState, PersonEvent, PersonRefusal> = {
  initial: { status: 'none' },
  evolve,
  decide,
}

function evolve(state: PersonState, event: DomainEvent, meta: Metadata): PersonState {
  const at = Date.parse(meta.at)
  if (event.type === 'PersonJoined') {
    const { person_id: personId, password_ref: passwordRef } = event.data
    return {
      status: 'active',
      personId,
      passwordRef,
      joined: event.data,
      identities: [],
      isOperator: false,
      sessionsSince: at,
      epoch: 0,
    }
  }
  if (event.type === 'PersonErased') return { status: 'erased' }
  if (state.status !== 'active') return state
  const ended = { sessionsSince: at, epoch: state.epoch + 1 }
  switch (event.type) {
    case 'PasswordChanged':
      return { ...state, ...ended, passwordRef: event.data.password_ref }
    case 'SessionsRevoked':
      return { ...state, ...ended }
    case 'IdentityLinked':
      return { ...state, identities: [...state.identities, event.data.identity] }
    case 'IdentityUnlinked': {
      const identities = state.identities.filter((each) => each !== event.data.identity)
      return { ...state, ...ended, identities }
    }
    case 'OperatorGranted':
      return { ...state, isOperator: true }
    case 'OperatorRevoked':
      return { ...state, isOperator: false }
    default:
      return state
  }
}

function decide(command: PersonCommand, state: PersonState): Decision<PersonEvent, PersonRefusal> {
  const person_id = command.personId
  if (command.type === 'erase' && command.unlessJoined && state.status === 'active')
    return { refused: 'joined' }
  if (command.type === 'erase')
    return state.status === 'erased' ? [] : [{ type: 'PersonErased', data: { person_id } }]
  if (command.type === 'join') {
    if (state.status !== 'none') return { refused: 'not-found' }
    const joined: PersonEvent = { type: 'PersonJoined', data: command.joined }
    return command.isOperator ? [joined, { type: 'OperatorGranted', data: { person_id } }] : [joined]
  }
  if (state.status !== 'active') return { refused: 'not-found' }
  switch (command.type) {
    case 'change-password':
      if (command.from !== undefined && command.from !== state.passwordRef)
        return { refused: 'wrong-password' }
      return [{ type: 'PasswordChanged', data: { person_id, password_ref: command.ref } }]
    case 'link':
      return state.identities.includes(command.identity)
        ? []
        : [{ type: 'IdentityLinked', data: { person_id, identity: command.identity } }]
    case 'unlink':
      return state.identities.includes(command.identity)
        ? [{ type: 'IdentityUnlinked', data: { person_id, identity: command.identity } }]
        : []
    case 'set-operator': {
      if (state.isOperator === command.isOperator) return []
      return [{ type: command.isOperator ? 'OperatorGranted' : 'OperatorRevoked', data: { person_id } }]
    }
  }
}
