/**
 * The reconciler, in the steps of src/runs/reconcile.ts: a row of the to-do list, and its action, decided on the
 * streams.
 *
 * It handles charges without runs, and missing refunds, as soon as a row exists, as if its clock ran ahead of all
 * others. A row that is read early and handled late is one of the interleavings.
 *
 * @module
 */
import type { RunId } from '../../../src/domain/ids.ts'
import { isAdmitted, isEnded, type RunCommand } from '../../../src/domain/run.ts'
import type { Step } from '../engine.ts'
import type { Actor } from './actor.ts'
import { type Job, LOAD, refund, work } from './job.ts'
import { type Entry, READ } from './ledger-entry.ts'
import { ACCOUNT, type ActorName, LEASE_S, type Rules, type Runs, runOf, step, type World } from './world.ts'

export type Reconciler =
  | { readonly at: 'idle' }
  | { readonly at: 'job'; readonly run: RunId; readonly command: RunCommand; readonly job: Job }
  | { readonly at: 'refund'; readonly run: RunId; readonly known: Runs; readonly entry: Entry }

const IDLE: Reconciler = { at: 'idle' }

export const reconciler = (name: ActorName): Actor => ({
  name,
  initial: IDLE,
  crashed: ({ at }) => (at === 'idle' ? undefined : IDLE),
  isIdle: ({ at }) => at === 'idle',
  steps: (rules, world) => stepsOf(rules, world, name),
})

function stepsOf(rules: Rules, world: World, name: ActorName): Step<World>[] {
  const me = world[name] as Reconciler
  const become = (state: World, next: Reconciler): World => ({ ...state, [name]: next })
  const idle = (state: World) => become(state, IDLE)
  const back = (state: World, run: RunId, known: Runs) => {
    const isPaidBack = known.state.status === 'closed' || (isAdmitted(known.state) && isEnded(known.state))
    return isPaidBack ? become(state, { at: 'refund', run, known, entry: READ }) : idle(state)
  }
  switch (me.at) {
    case 'idle':
      return Object.values(world.rows).flatMap((row) => {
        const run = row.run_id as RunId
        const now = world.clock
        if (row.kind === 'admission' || row.kind === 'refund') {
          const what = row.kind === 'refund' ? 'looks after a refund' : 'finds a charge without its run'
          if (!rules.closesFirst)
            return [
              step(name, what, become(world, { at: 'refund', run, known: runOf(world, run), entry: READ })),
            ]
          const command = { type: 'close', runId: run, accountId: ACCOUNT } as const
          return [step(name, what, become(world, { at: 'job', run, command, job: LOAD }))]
        }
        if (row.due > now) return []
        const command = { type: 'tick', now, leaseS: LEASE_S } as const
        return [step(name, 'finds a run that is due', become(world, { at: 'job', run, command, job: LOAD }))]
      })
    case 'job': {
      const { run, command, job } = me
      return work(rules, world, name, run, command, job, {
        next: (state, next) => become(state, { ...me, job: next }),
        done: (state, known) =>
          command.type === 'close' && rules.closesFirst ? back(state, run, known) : idle(state),
        refused: idle,
        unavailable: idle,
      })
    }
    case 'refund': {
      const { run, known, entry } = me
      return refund(rules, world, name, run, known, entry, {
        next: (state, next) => become(state, { ...me, entry: next }),
        done: (state) => {
          if (rules.closesFirst || runOf(state, run).state.status !== 'none') return idle(state)
          const command = { type: 'close', runId: run, accountId: ACCOUNT } as const
          return become(state, { at: 'job', run, command, job: LOAD })
        },
        unavailable: idle,
      })
    }
  }
}
