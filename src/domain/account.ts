/**
 * An account and its credits. The balance is never negative. A run is charged once at its kickoff and once for each
 * further block. Refunds never exceed charges.
 *
 * The state does not include the charges of single runs, because it would grow without bound. A command that names a run
 * carries them (see src/accounts/).
 *
 * @module
 */
import type { Decider, Decision } from './decider.ts'
import type { ACCOUNT_EVENTS, DomainEvent, EventData, Limits, Metadata } from './events.ts'
import type { AccountId, RunId } from './ids.ts'
import {
  isMemberCommand,
  type MemberCommand,
  type MemberRefusal,
  type Members,
  membersDecider,
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
  /** the balance below which it is low, in credits; null if no owner set one */
  readonly creditsLevel: number | null
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
/** `paid`: the charges and refunds of the run so far; undefined when it has none. The account writer supplies it. */
type OfRun = { readonly runId: RunId; readonly paid?: RunCredits | undefined }
type CreditCommand =
  | { readonly type: 'rename'; readonly name: string }
  | { readonly type: 'set-credits-level'; readonly level: number | null }
  | (ByOperator & { readonly type: 'open'; readonly name: string; readonly credits: number })
  | (ByOperator & { readonly type: 'grant'; readonly amount: number; readonly reason?: string | undefined })
  | (ByOperator & {
      readonly type: 'entitle'
      readonly tasks?: readonly string[] | undefined
      /** only the changed limits; null restores the service's default */
      readonly limits?: { readonly [Name in keyof Limits]?: number | null | undefined } | undefined
      readonly suspended?: boolean | undefined
    })
  | (OfRun & {
      readonly type: 'charge'
      readonly taskKey: string
      readonly amount: number
      /** the number of a further block, 1 for the first one after the kickoff; absent for the kickoff */
      readonly block?: number | undefined
    })
  | (OfRun & {
      readonly type: 'refund'
      /** how much of the run's charges, including further blocks, the service keeps; the rest is refunded */
      readonly keep: number
      readonly reason: string
    })
export type AccountCommand = MemberCommand | ({ readonly accountId: AccountId } & CreditCommand)
type Command<Type extends CreditCommand['type']> = AccountCommand & { readonly type: Type }

/** Why a run may not be charged at its kickoff; the response is 403 or 404. */
export type KickoffRefusal =
  /** there is no such account */
  | { readonly refused: 'not-found' }
  | { readonly refused: 'account-suspended' }
  | { readonly refused: 'task-not-allowed' }
  | { readonly refused: 'insufficient-credits'; readonly required: number; readonly balance: number }
export type AccountRefusal =
  | KickoffRefusal
  /** the run to be charged has ended and was refunded */
  | { readonly refused: 'run-ended' }
  | MemberRefusal
type AccountDecision = Decision<AccountEvent, AccountRefusal>

export const accountDecider: Decider<AccountCommand, AccountState, AccountEvent, AccountRefusal> = {
  initial: {
    status: 'none',
    name: '',
    balance: 0,
    tasks: ['*'],
    limits: {},
    suspended: false,
    creditsLevel: null,
    operations: [],
    members: membersDecider.initial,
  },
  evolve,
  decide,
}

/** Whether a list of patterns (`*`, `forum.*`, a task's key) names a task. */
export const allowsTask = (patterns: readonly string[], taskKey: string): boolean =>
  patterns.some((p) => p === '*' || p === taskKey || (p.endsWith('.*') && taskKey.startsWith(p.slice(0, -1))))

function evolve(state: AccountState, event: DomainEvent, meta: Metadata): AccountState {
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
    case 'CreditsLevelSet':
      return { ...state, creditsLevel: event.data.level }
    case 'AccountRenamed':
      return { ...state, name: event.data.name }
    default: {
      const members = membersDecider.evolve(state.members, event, meta)
      return members === state.members ? state : { ...state, members }
    }
  }
}

const remember = ({ operations }: AccountState, operation: Operation): readonly string[] =>
  operation ? [...operations, operation.id].slice(-REMEMBERED_OPERATIONS) : operations

function decide(command: AccountCommand, state: AccountState): AccountDecision {
  const account_id = command.accountId
  if (command.type === 'open') return open(command, state)
  if (state.status === 'none') return { refused: 'not-found' }
  const operation = 'operation' in command ? command.operation : undefined
  if (operation && state.operations.includes(operation.id)) return []
  if (isMemberCommand(command)) return membersDecider.decide(command, state.members)
  switch (command.type) {
    case 'rename':
      if (command.name === state.name) return []
      return [{ type: 'AccountRenamed', data: { account_id, name: command.name } }]
    case 'set-credits-level':
      if (command.level === state.creditsLevel) return []
      return [{ type: 'CreditsLevelSet', data: { account_id, level: command.level } }]
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
      return charge(command, state)
    case 'refund':
      return refund(command, state)
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
  const details = { ...(reason !== undefined && { reason }), ...(operation && { operation }) }
  return { type: 'CreditsGranted', data: { ...sums, ...details } }
}

/** Why an account may not start a task at this price, in credits; undefined when it may. */
export function kickoffRefusal(
  state: AccountState,
  taskKey: string,
  price: number,
): KickoffRefusal | undefined {
  if (state.status === 'none') return { refused: 'not-found' }
  if (state.suspended) return { refused: 'account-suspended' }
  if (!allowsTask(state.tasks, taskKey)) return { refused: 'task-not-allowed' }
  return shortOf(state, price)
}

const shortOf = ({ balance }: AccountState, required: number): KickoffRefusal | undefined =>
  balance < required ? { refused: 'insufficient-credits', required, balance } : undefined

function charge(command: Command<'charge'>, state: AccountState): AccountDecision {
  const { accountId: account_id, runId: run_id, paid, taskKey, amount, block } = command
  if (paid && (block === undefined || block <= paid.blocks)) return []
  // A worker that was presumed lost continues after its run was ended and refunded. Nobody would refund this charge.
  if (paid && paid.refunded > 0) return { refused: 'run-ended' }
  const refusal = block === undefined ? kickoffRefusal(state, taskKey, amount) : shortOf(state, amount)
  if (refusal) return refusal
  if (amount === 0) return []
  const balance = state.balance - amount
  const data = { account_id, amount, balance_after: balance, run_id, reason: taskKey }
  const ofBlock = block !== undefined && { block, ...startedBy(paid) }
  return [{ type: 'CreditsCharged', data: { ...data, ...ofBlock } }, ...low(account_id, state, balance)]
}

/** What follows a charge that takes the balance below the level that an owner set. */
function low(
  account_id: AccountId,
  { balance: before, creditsLevel: level }: AccountState,
  balance: number,
): AccountEvent[] {
  if (level === null || before < level || balance >= level) return []
  return [{ type: 'CreditsLow', data: { account_id, balance, level } }]
}

const startedBy = (paid: RunCredits | undefined) => paid?.startedBy && { started_by: paid.startedBy }

function refund(command: Command<'refund'>, state: AccountState): AccountEvent[] {
  const { accountId: account_id, runId: run_id, paid, keep, reason } = command
  if (!paid) return []
  const amount = paid.charged - paid.refunded - keep
  if (amount <= 0) return []
  const data = { account_id, amount, balance_after: state.balance + amount, run_id, reason }
  const of = { ...(paid.reason !== undefined && { task_key: paid.reason }), ...startedBy(paid) }
  return [{ type: 'CreditsRefunded', data: { ...data, ...of } }]
}
