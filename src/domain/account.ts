/**
 * An account and its credits. The balance is never negative. A run is charged once at its kickoff and once for each
 * further block. Refunds never exceed charges.
 *
 * The state does not include the charges of single runs, because it would grow without bound. The caller supplies them
 * for the run that a command names (see src/accounts/).
 *
 * @module
 */
import type { ACCOUNT_EVENTS, DomainEvent, EventData, Limits } from './events.ts'
import type { AccountId, RunId } from './ids.ts'
import {
  decideMembers,
  evolveMembers,
  isMemberCommand,
  type MemberCommand,
  type MemberRefusal,
  type Members,
  NO_MEMBERS,
} from './members.ts'
import type { RunCredits } from './run-credits.ts'

export { evolveRunCredits, type RunCredits } from './run-credits.ts'

export type AccountState = {
  readonly status: 'none' | 'open'
  readonly name: string
  readonly balance: number
  readonly tasks: readonly string[]
  readonly limits: Limits
  readonly suspended: boolean
  /** ids of the latest operator calls, so that no call is executed twice; older ids are in a read model */
  readonly operations: readonly string[]
  readonly members: Members
}

/** How many operator calls the account state remembers: many more than can be under way at once. */
const REMEMBERED_OPERATIONS = 20

export type AccountEvent = DomainEvent<keyof typeof ACCOUNT_EVENTS>

type Operation = EventData<'CreditsGranted'>['operation']
/** `operation` identifies an operator call, which may be repeated. */
type ByOperator = { readonly operation?: Operation }
type CreditCommand =
  | { readonly type: 'rename'; readonly name: string }
  | (ByOperator & { readonly type: 'open'; readonly name: string; readonly credits: number })
  | (ByOperator & { readonly type: 'grant'; readonly amount: number; readonly reason?: string | undefined })
  | (ByOperator & {
      readonly type: 'entitle'
      readonly tasks?: readonly string[] | undefined
      /** only the changed limits; null restores the service's default */
      readonly limits?: { readonly [Name in keyof Limits]?: number | null | undefined } | undefined
      readonly suspended?: boolean | undefined
    })
  | {
      readonly type: 'charge'
      readonly runId: RunId
      readonly taskKey: string
      readonly amount: number
      /** the number of a further block, 1 for the first one after the kickoff; absent for the kickoff */
      readonly block?: number | undefined
    }
  | {
      readonly type: 'refund'
      readonly runId: RunId
      /** how much of the run's charges, including further blocks, the service keeps; the rest is refunded */
      readonly keep: number
      readonly reason: string
    }
export type AccountCommand = MemberCommand | ({ readonly accountId: AccountId } & CreditCommand)
type Command<Type extends CreditCommand['type']> = AccountCommand & { readonly type: Type }

/** Why the account's command is refused; the response is 403 or 404. */
export type AccountRefusal =
  /** no such account; for a further block: the run has ended and was refunded */
  | { readonly code: 'not-found' }
  | { readonly code: 'account-suspended' }
  | { readonly code: 'task-not-allowed' }
  | { readonly code: 'insufficient-credits'; readonly required: number; readonly balance: number }
  | MemberRefusal
/** Why a run may not be charged at its kickoff. */
export type KickoffRefusal = Exclude<AccountRefusal, { readonly code: 'last-owner' | 'not-owner' }>
export type AccountDecision = readonly AccountEvent[] | AccountRefusal

export const initialAccount: AccountState = {
  status: 'none',
  name: '',
  balance: 0,
  tasks: ['*'],
  limits: {},
  suspended: false,
  operations: [],
  members: NO_MEMBERS,
}

/** Whether a list of patterns (`*`, `forum.*`, a task's key) names a task. */
export const allowsTask = (patterns: readonly string[], taskKey: string): boolean =>
  patterns.some((p) => p === '*' || p === taskKey || (p.endsWith('.*') && taskKey.startsWith(p.slice(0, -1))))

export function evolveAccount(state: AccountState, event: DomainEvent): AccountState {
  switch (event.type) {
    case 'AccountOpened':
      return { ...state, status: 'open', name: event.data.name }
    case 'EntitlementsSet': {
      const { tasks, limits, suspended, operation } = event.data
      return { ...state, tasks, limits, suspended, operations: remember(state, operation) }
    }
    case 'CreditsGranted':
      return {
        ...state,
        balance: event.data.balance_after,
        operations: remember(state, event.data.operation),
      }
    case 'CreditsCharged':
    case 'CreditsRefunded':
      return { ...state, balance: event.data.balance_after }
    case 'AccountRenamed':
      return { ...state, name: event.data.name }
    default: {
      const members = evolveMembers(state.members, event)
      return members === state.members ? state : { ...state, members }
    }
  }
}

const remember = ({ operations }: AccountState, operation: Operation): readonly string[] =>
  operation ? [...operations, operation.id].slice(-REMEMBERED_OPERATIONS) : operations

/**
 * The events that a command produces (none if it is already done), or why it is refused.
 *
 * @param run the charges and refunds so far of the run of a `charge` or `refund`; undefined when it has none
 */
export function decideAccount(
  command: AccountCommand,
  state: AccountState,
  run: RunCredits | undefined,
): AccountDecision {
  const account_id = command.accountId
  if (command.type === 'open') return open(command, state)
  if (state.status === 'none') return { code: 'not-found' }
  const operation = 'operation' in command ? command.operation : undefined
  if (operation && state.operations.includes(operation.id)) return []
  if (isMemberCommand(command)) return decideMembers(command, state.members)
  switch (command.type) {
    case 'rename':
      if (command.name === state.name) return []
      return [{ type: 'AccountRenamed', data: { account_id, name: command.name } }]
    case 'grant':
      return [granted(account_id, command.amount, state.balance, command.reason, operation)]
    case 'entitle': {
      const data = {
        account_id,
        tasks: [...(command.tasks ?? state.tasks)],
        limits: limitsAfter(state.limits, command.limits),
        suspended: command.suspended ?? state.suspended,
        balance_after: state.balance,
        ...(operation && { operation }),
      }
      return [{ type: 'EntitlementsSet', data }]
    }
    case 'charge':
      return charge(command, state, run)
    case 'refund':
      return refund(command, state, run)
  }
}

/** The limits that differ from the service's defaults. */
function limitsAfter(limits: Limits, changes: Command<'entitle'>['limits'] = {}): Limits {
  const all = Object.entries({ ...limits, ...changes })
  return Object.fromEntries(all.filter(([, value]) => value !== null && value !== undefined))
}

function open(command: Command<'open'>, state: AccountState): AccountEvent[] {
  if (state.status === 'open') return []
  const { accountId: account_id, name, credits, operation } = command
  const data = { account_id, name, ...(operation && { operation }) }
  const opened: AccountEvent = { type: 'AccountOpened', data }
  return credits === 0 ? [opened] : [opened, granted(account_id, credits, 0, 'opening')]
}

function granted(
  account_id: AccountId,
  amount: number,
  balance: number,
  reason: string | undefined,
  operation?: Operation,
): AccountEvent {
  const sums = { account_id, amount, balance_after: balance + amount }
  const told = { ...(reason !== undefined && { reason }), ...(operation && { operation }) }
  return { type: 'CreditsGranted', data: { ...sums, ...told } }
}

/** Why an account may not start a task at this price, in credits; undefined when it may. */
export function kickoffRefusal(
  state: AccountState,
  taskKey: string,
  price: number,
): KickoffRefusal | undefined {
  if (state.status === 'none') return { code: 'not-found' }
  if (state.suspended) return { code: 'account-suspended' }
  if (!allowsTask(state.tasks, taskKey)) return { code: 'task-not-allowed' }
  return shortOf(state, price)
}

const shortOf = ({ balance }: AccountState, required: number): KickoffRefusal | undefined =>
  balance < required ? { code: 'insufficient-credits', required, balance } : undefined

function charge(
  command: Command<'charge'>,
  state: AccountState,
  paid: RunCredits | undefined,
): AccountDecision {
  const { accountId: account_id, runId: run_id, taskKey, amount, block } = command
  if (paid && (block === undefined || block <= paid.blocks)) return []
  // A worker that was presumed lost continues after its run was ended and refunded. Nobody would refund this charge.
  if (paid && paid.refunded > 0) return { code: 'not-found' }
  const refusal = block === undefined ? kickoffRefusal(state, taskKey, amount) : shortOf(state, amount)
  if (refusal) return refusal
  if (amount === 0) return []
  const data = { account_id, amount, balance_after: state.balance - amount, run_id, reason: taskKey }
  return [{ type: 'CreditsCharged', data: block === undefined ? data : { ...data, block } }]
}

function refund(
  command: Command<'refund'>,
  state: AccountState,
  run: RunCredits | undefined,
): AccountEvent[] {
  const { accountId: account_id, runId: run_id, keep, reason } = command
  if (!run) return []
  const amount = run.charged - run.refunded - keep
  if (amount <= 0) return []
  const data = { account_id, amount, balance_after: state.balance + amount, run_id, reason }
  return [{ type: 'CreditsRefunded', data }]
}
