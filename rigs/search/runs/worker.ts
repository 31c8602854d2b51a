/**
 * A worker, one run at a time, from the claim to the end: src/worker/queue/claims.ts, attempt.ts, lease.ts,
 * block-charges.ts and finish.ts.
 *
 * A block is paid for concurrently, as in the worker: the attempt may renew its lease or end during the payment.
 *
 * It never checks the clock before it writes, like a worker that is frozen between the check and the append. So every
 * worker that thaws after its lease is one of the interleavings.
 *
 * @module
 */
import type { RunId } from '../../../src/domain/ids.ts'
import { isLeased, type RunCommand } from '../../../src/domain/run.ts'
import type { Step } from '../engine.ts'
import type { Written } from '../stream.ts'
import type { Actor } from './actor.ts'
import { type Job, jobOn, work } from './job.ts'
import { type Entry, READ, writeEntry } from './ledger-entry.ts'
import {
  ACCOUNT,
  type ActorName,
  BLOCK,
  LEASE_S,
  type Rules,
  type Runs,
  runOf,
  step,
  TASK,
  type World,
} from './world.ts'

/** Bounds of a worker. */
export type WorkerBounds = {
  /** renewals in one attempt */
  readonly renewals: number
  /** further blocks of the price in one attempt */
  readonly blocks: number
  /** whether it may abandon its run silently, like a worker that cannot renew its lease */
  readonly givesUp: boolean
  /** whether it may shut down and hand its run back, at most once per run */
  readonly handsBack: boolean
  /** whether it may also end a run as failed, or keep only a part of the charges */
  readonly endsVary: boolean
}

type Ending = { readonly status: 'succeeded' | 'failed'; readonly spent: number | 'all' }
type Attempt = {
  readonly run: RunId
  readonly attempt: number
  /** the stream of the run as the worker knows it */
  readonly known: Runs
  readonly renewed: number
  readonly blocks: number
  /** the charges reported by the ledger with the blocks so far */
  readonly total?: number | undefined
}
/** A pending payment for a block. It continues concurrently with the worker, even after the end of its attempt. */
type Payment = { readonly run: RunId; readonly block: number; readonly entry: Entry | 'written' }
export type Worker = { readonly pays?: Payment | undefined } & (
  | { readonly at: 'idle' }
  | { readonly at: 'claim'; readonly run: RunId; readonly command: RunCommand; readonly job: Job }
  | (Attempt & { readonly at: 'works' })
  | (Attempt & { readonly at: 'ends'; readonly ending: Ending })
  | (Attempt & {
      readonly at: 'job'
      readonly command: RunCommand
      readonly job: Job
      readonly ending?: Ending | undefined
    })
)

const IDLE: Worker = { at: 'idle' }

export const worker = (name: ActorName, bounds: WorkerBounds): Actor => ({
  name,
  initial: IDLE,
  crashed: (local) => (isIdle(local as Worker) ? undefined : IDLE),
  isIdle: (local) => isIdle(local as Worker),
  steps: (rules, world) => [...stepsOf(rules, world, name, bounds), ...payment(rules, world, name)],
})

const isIdle = ({ at, pays }: Worker): boolean => at === 'idle' && pays === undefined

/** Sets the step of the worker; a pending payment continues. */
const become = (world: World, name: ActorName, next: Worker): World => {
  const { pays } = world[name] as Worker
  return { ...world, [name]: pays ? { ...next, pays } : next }
}

function stepsOf(rules: Rules, world: World, name: ActorName, bounds: WorkerBounds): Step<World>[] {
  const me = world[name] as Worker
  const idle = (state: World) => become(state, name, IDLE)
  switch (me.at) {
    case 'idle':
      return Object.entries(world.runs).flatMap(([id, known]) => {
        if (known.state.status !== 'queued') return []
        const run = id as RunId
        const now = world.clock
        const command = { type: 'start', now, leaseS: LEASE_S, worker: name } as const
        const claim = (state: World, job: Job) => become(state, name, { at: 'claim', run, command, job })
        const state = jobOn(rules, world, run, command, known, {
          next: claim,
          done: idle,
          refused: idle,
          unavailable: idle,
        })
        return [step(name, 'hears of a queued run', state)]
      })
    case 'claim': {
      const { run, command, job } = me
      return work(rules, world, name, run, command, job, {
        next: (state, next) => become(state, name, { ...me, job: next }),
        done: (state, known) => {
          if (!isLeased(known.state)) return idle(state)
          const { attempt } = known.state
          return become(state, name, { at: 'works', run, attempt, known, renewed: 0, blocks: 0 })
        },
        refused: idle,
        unavailable: idle,
      })
    }
    case 'works':
      return atWork(rules, world, name, me, bounds)
    case 'ends':
      return [
        step(name, 'counts what the run cost', finish(rules, world, name, me, me.ending)),
        step(name, 'gives the run up', idle(world), true),
      ]
    case 'job': {
      const { run, command, job, ending, attempt, known, renewed, blocks, total } = me
      const own = { run, attempt, known, renewed, blocks, total }
      return work(rules, world, name, run, command, job, {
        next: (state, next) => become(state, name, { ...me, job: next }),
        done: (state, newer) =>
          command.type === 'progress' && isLeased(newer.state)
            ? become(state, name, { ...own, known: newer, at: 'works' })
            : idle(state),
        refused: idle,
        // Retried with the run as the worker knows it.
        unavailable: (state) =>
          become(state, name, ending ? { ...own, at: 'ends', ending } : { ...own, at: 'works' }),
      })
    }
  }
}

/** `BlockCharges.charge`: the block is charged, then the sum of the charges is read. */
function payment(rules: Rules, world: World, name: ActorName): Step<World>[] {
  const { pays } = world[name] as Worker
  if (!pays) return []
  const { run, block, entry } = pays
  const set = (state: World, next?: Payment): World => ({
    ...state,
    [name]: { ...(state[name] as Worker), pays: next },
  })
  if (entry === 'written') {
    const me = world[name] as Worker
    const total = world.account.state.credits[run]?.charged
    const paid = 'attempt' in me && me.run === run ? { ...world, [name]: { ...me, total } } : world
    return [step(name, 'reads what it has paid', set(paid))]
  }
  const lost = (state: World): World => {
    const { at } = state[name] as Worker
    return set(at === 'works' ? become(state, name, IDLE) : state)
  }
  const paid = (state: World) => set(state, { ...pays, entry: 'written' })
  const charged = { accountId: ACCOUNT, runId: run, taskKey: TASK, amount: BLOCK, block }
  return [
    ...writeEntry(
      rules,
      world,
      name,
      entry,
      { type: 'charge', ...charged },
      {
        next: (state, next) => set(state, { ...pays, entry: next }),
        done: paid,
        refused: (state, code) => (code === 'insufficient-credits' ? paid(state) : lost(state)),
        unavailable: (state) => set(state, { ...pays, entry: READ }),
      },
    ),
    step(name, 'gives the payment up', lost(world), true),
  ]
}

/** `costOf` and `write` in src/worker: reads the charges, then writes the end, on the run as the worker knows it. */
function finish(rules: Rules, world: World, name: ActorName, me: Attempt, ending: Ending): World {
  const charged = world.account.state.credits[me.run]?.charged ?? 0
  const unused = ending.spent === 'all' ? 0 : Math.max(0, charged - ending.spent)
  const end = { status: ending.status, code: null, charged, unused }
  const command = { type: 'finish', attempt: me.attempt, end } as const
  return begin(rules, world, name, me, command, ending)
}

function begin(
  rules: Rules,
  world: World,
  name: ActorName,
  me: Attempt,
  command: RunCommand,
  ending?: Ending,
): World {
  const idle = (state: World) => become(state, name, IDLE)
  return jobOn(rules, world, me.run, command, me.known, {
    next: (state, job) => become(state, name, { ...me, at: 'job', command, job, ending }),
    done: idle,
    refused: idle,
    unavailable: idle,
  })
}

const isHandedBack = ({ event }: Written): boolean =>
  event.type === 'RunRequeued' && event.data.reason === 'shutdown'

/** The next steps of an attempt. All except its end are choices of the plugin, the client or the operator. */
function atWork(
  rules: Rules,
  world: World,
  name: ActorName,
  me: Attempt & { readonly at: 'works' },
  bounds: WorkerBounds,
): Step<World>[] {
  const { run, attempt, known, total } = me
  // The choice of an end and of its cost are one step, because nothing is visible to others between them.
  const end = (ending: Ending): World => finish(rules, world, name, me, ending)
  const steps = [step(name, 'has it all', end({ status: 'succeeded', spent: 'all' }))]
  if (bounds.givesUp) steps.push(step(name, 'gives the run up', become(world, name, IDLE), true))
  if (bounds.endsVary) {
    steps.push(step(name, 'has it all, for less', end({ status: 'succeeded', spent: 10 }), true))
    steps.push(step(name, 'has failed', end({ status: 'failed', spent: 'all' }), true))
  }
  const current = runOf(world, run)
  if (current !== known) {
    const isHeld = isLeased(current.state) && current.state.attempt === attempt
    steps.push(step(name, 'hears of its run', become(world, name, isHeld ? { ...me, known: current } : IDLE)))
  }
  if (me.renewed < bounds.renewals) {
    const progress = { done: 0, total: null, message: null }
    const charged = total === undefined ? {} : { charged: total }
    const command = {
      type: 'progress',
      attempt,
      now: world.clock,
      leaseS: LEASE_S,
      progress,
      ...charged,
    } as const
    const state = begin(rules, world, name, { ...me, renewed: me.renewed + 1 }, command)
    steps.push(step(name, 'renews its lease', state, true))
  }
  if (me.blocks < bounds.blocks && !(world[name] as Worker).pays) {
    const block = me.blocks + 1
    const paying: Worker = { ...me, blocks: block, pays: { run, block, entry: READ } }
    steps.push(step(name, 'needs another block', { ...world, [name]: paying }, true))
  }
  if (bounds.handsBack && !known.after(-1).some(isHandedBack))
    steps.push(step(name, 'shuts down', begin(rules, world, name, me, { type: 'hand-back', attempt }), true))
  return steps
}
