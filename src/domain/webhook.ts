/**
 * A webhook endpoint: created, changed, disabled and enabled, deleted permanently.
 *
 * @module
 */
import type { Decider } from './decider.ts'
import type { DomainEvent, EventData, Metadata } from './events.ts'
import type { AccountId, WebhookId } from './ids.ts'
import type { DisabledReason, WEBHOOK_EVENTS } from './webhook-events.ts'

type Checkpoint = Pick<EventData<'WebhookAdvanced'>, 'position' | 'log' | 'until'>

/** An endpoint that exists. */
export type Webhook = {
  readonly status: 'enabled' | 'disabled'
  readonly webhookId: WebhookId
  readonly accountId: AccountId
  readonly host: string
  readonly types: readonly string[]
  readonly description: string | null
  /** key of its URL and signing secrets in the vault */
  readonly secretsRef: string
  /** null while it is enabled */
  readonly reason: DisabledReason | null
  /** RFC 3339 */
  readonly createdAt: string
  /** the latest checkpoint in its stream: deliveries resume here when everything except the log is lost */
  readonly checkpoint: Checkpoint | null
}
export type WebhookState = { readonly status: 'none' | 'deleted' } | Webhook

export type WebhookEvent = DomainEvent<keyof typeof WEBHOOK_EVENTS>
/** `from`: the secrets that a call has changed. The command is refused when they are no longer the current ones. */
export type WebhookCommand =
  | { readonly type: 'create'; readonly webhook: EventData<'WebhookCreated'> }
  | {
      readonly type: 'change'
      readonly host?: string | undefined
      readonly types?: readonly string[] | undefined
      readonly description?: string | null | undefined
      readonly secretsRef?: string | undefined
      readonly from?: string | undefined
      readonly state?: 'enabled' | 'disabled' | undefined
      /** why it is disabled; default: `requested` */
      readonly reason?: DisabledReason | undefined
    }
  | { readonly type: 'rotate'; readonly secretsRef: string; readonly from: string }
  | { readonly type: 'advance'; readonly checkpoint: Checkpoint }
  | { readonly type: 'delete' }
type ChangeCommand = Extract<WebhookCommand, { type: 'change' }>

/** `not-found`: there is no such endpoint. `stale`: the secrets of a command's `from` were replaced. */
export type WebhookRefusal = { readonly refused: 'not-found' | 'stale' }

export const webhookDecider: Decider<WebhookCommand, WebhookState, WebhookEvent, WebhookRefusal> = {
  initial: { status: 'none' },
  evolve,
  decide,
}

/** Whether the endpoint exists. */
export const isWebhook = (state: WebhookState): state is Webhook =>
  state.status === 'enabled' || state.status === 'disabled'

function evolve(state: WebhookState, event: DomainEvent, { at }: Metadata): WebhookState {
  if (event.type === 'WebhookCreated') {
    const { webhook_id, account_id, host, types, description, secrets_ref } = event.data
    return {
      status: 'enabled',
      webhookId: webhook_id,
      accountId: account_id,
      host,
      types,
      description,
      secretsRef: secrets_ref,
      reason: null,
      createdAt: at,
      checkpoint: null,
    }
  }
  if (!isWebhook(state)) return state
  switch (event.type) {
    case 'WebhookChanged': {
      const { host, types, description, secrets_ref } = event.data
      return {
        ...state,
        host: host ?? state.host,
        types: types ?? state.types,
        description: description === undefined ? state.description : description,
        secretsRef: secrets_ref ?? state.secretsRef,
      }
    }
    case 'WebhookSecretRotated':
      return { ...state, secretsRef: event.data.secrets_ref }
    case 'WebhookDisabled':
      return { ...state, status: 'disabled', reason: event.data.reason }
    case 'WebhookEnabled':
      return { ...state, status: 'enabled', reason: null }
    case 'WebhookAdvanced': {
      const { position, log, until } = event.data
      return { ...state, checkpoint: { position, log, until } }
    }
    case 'WebhookDeleted':
      return { status: 'deleted' }
    default:
      return state
  }
}

function decide(command: WebhookCommand, state: WebhookState): WebhookEvent[] | WebhookRefusal {
  if (command.type === 'create')
    return state.status === 'none' ? [{ type: 'WebhookCreated', data: command.webhook }] : []
  if (!isWebhook(state)) return { refused: 'not-found' }
  if ('from' in command && command.from !== undefined && command.from !== state.secretsRef)
    return { refused: 'stale' }
  const ids = { webhook_id: state.webhookId, account_id: state.accountId }
  switch (command.type) {
    case 'change':
      return [...changed(command, state), ...switched(command, state)]
    case 'rotate':
      return [{ type: 'WebhookSecretRotated', data: { ...ids, secrets_ref: command.secretsRef } }]
    case 'advance': {
      const { checkpoint } = command
      if (checkpoint.log === state.checkpoint?.log && checkpoint.position <= state.checkpoint.position)
        return []
      return [{ type: 'WebhookAdvanced', data: { ...ids, ...checkpoint } }]
    }
    case 'delete':
      return [{ type: 'WebhookDeleted', data: ids }]
  }
}

function changed({ host, types, description, secretsRef }: ChangeCommand, state: Webhook): WebhookEvent[] {
  const data = {
    ...(secretsRef === undefined || secretsRef === state.secretsRef
      ? {}
      : { host: host ?? state.host, secrets_ref: secretsRef }),
    ...(types === undefined || String(types) === String(state.types) ? {} : { types: [...types] }),
    ...(description === undefined || description === state.description ? {} : { description }),
  }
  if (Object.keys(data).length === 0) return []
  const { webhookId: webhook_id, accountId: account_id } = state
  return [{ type: 'WebhookChanged', data: { webhook_id, account_id, ...data } }]
}

function switched({ state: to, reason = 'requested' }: ChangeCommand, state: Webhook): WebhookEvent[] {
  if (to === undefined || to === state.status) return []
  const data = { webhook_id: state.webhookId, account_id: state.accountId }
  return to === 'enabled'
    ? [{ type: 'WebhookEnabled', data }]
    : [{ type: 'WebhookDisabled', data: { ...data, reason } }]
}
