/**
 * The kickoff of a client and the API process that serves it, in the steps of src/runs/admit.ts: locate the id, charge
 * the price, request the run. A client that got no answer, or a conflict, may repeat the call.
 *
 * @module
 */
import type { RunId } from '../../../src/domain/ids.ts'
import type { RunState } from '../../../src/domain/run.ts'
import { isAdmitted } from '../../../src/domain/run.ts'
import type { Step } from '../engine.ts'
import type { Actor } from './actor.ts'
import { type Entry, READ, writeEntry } from './ledger-entry.ts'
import {
  ACCOUNT,
  type ActorName,
  append,
  iso,
  KEY,
  NO_RUN,
  PRICE,
  QUEUE_LIMIT_S,
  RUN_LIMIT_S,
  type Rules,
  repeat,
  runOf,
  type Sent,
  step,
  TASK,
  theAccount,
  theRun,
  unsigned,
  type World,
} from './world.ts'

/** The state of a kickoff, in the client and its API process. `tries`: how often it may still be sent. */
export type Kickoff = { readonly tries: number } & (
  | { readonly at: 'locate'; readonly closed: number }
  | { readonly at: 'charge'; readonly run: RunId; readonly entry: Entry }
  /** it was charged before, by this or another process */
  | { readonly at: 'paid' | 'doubt'; readonly run: RunId }
  | { readonly at: 'request'; readonly run: RunId }
  | { readonly at: 'request-again'; readonly run: RunId; readonly sent: Sent<RunState> }
  | { readonly at: 'answered'; readonly run: RunId }
  | { readonly at: 'refused'; readonly code: string }
  /** 409, 503, or its process died */
  | { readonly at: 'unanswered' }
)

/** A kickoff gives up after this number of closed tries. The real one continues with the next id. */
export const MOST_CLOSED = 1

export const kickoff = (name: ActorName, idempotencyKey: string, tries: number): Actor => ({
  name,
  initial: { at: 'locate', closed: 0, tries } as Kickoff,
  crashed: (local) => {
    const { tries } = local as Kickoff
    return isEnd(local as Kickoff) ? undefined : ({ at: 'unanswered', tries } as Kickoff)
  },
  isIdle: (local) => isEnd(local as Kickoff),
  steps: (rules, world) => stepsOf(rules, world, name, idempotencyKey),
})

const isEnd = ({ at }: Kickoff): boolean => at === 'answered' || at === 'refused' || at === 'unanswered'

function stepsOf(rules: Rules, world: World, name: ActorName, idempotencyKey: string): Step<World>[] {
  const me = world[name] as Kickoff
  const { tries } = me
  const become = (state: World, next: Kickoff): World => ({ ...state, [name]: next })
  const locate = (state: World) => become(state, { at: 'locate', closed: 0, tries })
  const unanswered = (state: World) => become(state, { at: 'unanswered', tries })
  switch (me.at) {
    case 'locate': {
      const run = rules.runIdOf(idempotencyKey, me.closed)
      const { state } = runOf(world, run)
      if (me.closed > MOST_CLOSED) return [step(name, 'is answered 503', unanswered(world))]
      if (isAdmitted(state))
        return [step(name, 'is answered 202', become(world, { at: 'answered', run, tries }))]
      const next: Kickoff =
        state.status === 'closed'
          ? { at: 'locate', closed: me.closed + 1, tries }
          : { at: 'charge', run, entry: READ, tries }
      return [step(name, `finds its run ${state.status}`, become(world, next))]
    }
    case 'charge': {
      const { run } = me
      const command = {
        type: 'charge',
        accountId: ACCOUNT,
        runId: run,
        taskKey: TASK,
        amount: PRICE,
      } as const
      return writeEntry(rules, world, name, me.entry, command, {
        next: (state, entry) => become(state, { ...me, entry }),
        done: (state, wrote) => become(state, { at: wrote ? 'request' : 'paid', run, tries }),
        refused: (state, code) => become(state, { at: 'refused', code, tries }),
        conflict: locate,
        unavailable: unanswered,
      })
    }
    case 'paid': {
      const { run } = me
      const credits = world.account.state.credits[run]
      const isWhole = credits?.charged === PRICE && credits.refunded === 0 && credits.reason === TASK
      const next: Kickoff = { at: isWhole ? 'request' : 'doubt', run, tries }
      return [step(name, 'looks at the charge of before', become(world, next))]
    }
    case 'doubt': {
      const isNone = runOf(world, me.run).state.status === 'none'
      const what = isNone ? 'is answered 409' : 'starts again'
      return [step(name, what, isNone ? unanswered(world) : locate(world))]
    }
    case 'request': {
      const { run } = me
      const batch = { what: 'requests the run', target: theRun(run), known: NO_RUN, events: [requested(run)] }
      return append(rules, world, name, batch, {
        ok: (state) => become(state, { at: 'answered', run, tries }),
        conflict: locate,
        unanswered: (state, sent) => become(state, { at: 'request-again', run, sent, tries }),
        unavailable: unanswered,
      })
    }
    case 'request-again':
      return repeat(rules, world, name, theRun(me.run), me.sent, {
        ok: (state) => become(state, { at: 'answered', run: me.run, tries }),
        conflict: locate,
      })
    case 'unanswered':
      if (tries === 0) return []
      return [step(name, 'is sent again', become(world, { at: 'locate', closed: 0, tries: tries - 1 }), true)]
    default:
      return []
  }
}

/** Decided at time 0, however late it is written. */
const requested = (run: RunId) =>
  ({
    type: 'RunRequested',
    data: {
      run_id: run,
      account_id: ACCOUNT,
      key_id: KEY,
      task_key: TASK,
      price: PRICE,
      input_ref: 'the input',
      fingerprint: 'the same input',
      queue_until: iso(QUEUE_LIMIT_S * 1000),
      run_limit_s: RUN_LIMIT_S,
    },
  }) as const

/** A world in which a run was charged and requested. */
export function admitted(rules: Rules, world: World): World {
  const run = rules.runIdOf('a key of before', 0)
  const charged = rules.decideAccount(charge(run), world.account.state.account)
  if ('refused' in charged) throw new Error('there is no money for the run')
  const paid = theAccount.with(
    world,
    world.account.append(world.account.revision, charged.map(unsigned))!,
    rules,
  )
  return theRun(run).with(paid, NO_RUN.append(-1, [unsigned(requested(run))])!, rules)
}

const charge = (runId: RunId) =>
  ({ type: 'charge', accountId: ACCOUNT, runId, taskKey: TASK, amount: PRICE }) as const
