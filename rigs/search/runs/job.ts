/**
 * A command to a run, in the steps of `RunCommands.execute` in src/runs/commands.ts: read, count the charges if the
 * command may end the run, decide, append, and refund.
 *
 * @module
 */
import type { RunId } from '../../../src/domain/ids.ts'
import { isAdmitted, isEnded, type RunCommand, type RunState, refundOf } from '../../../src/domain/run.ts'
import type { Step } from '../engine.ts'
import { type Entry, READ, writeEntry } from './ledger-entry.ts'
import {
  ACCOUNT,
  type ActorName,
  append,
  type Rules,
  type Runs,
  repeat,
  runOf,
  type Sent,
  step,
  theRun,
  type World,
} from './world.ts'

export type Job =
  | { readonly at: 'load' }
  | { readonly at: 'count'; readonly known: Runs }
  | { readonly at: 'append'; readonly known: Runs; readonly charged?: number | undefined }
  | { readonly at: 'repeat'; readonly sent: Sent<RunState> }
  | { readonly at: 'refund'; readonly run: Runs; readonly entry: Entry }

export type Done = {
  /** continues with the job */
  next(world: World, job: Job): World
  /** @param run after the command, or as the command found it */
  done(world: World, run: Runs): World
  refused(world: World): World
  unavailable(world: World): World
}

export const LOAD: Job = { at: 'load' }

/** Commands that may end the run, except those of its worker. */
const MAY_END: ReadonlySet<RunCommand['type']> = new Set(['start', 'hand-back', 'cancel', 'tick'])

const withCharges = (command: RunCommand, charged: number | undefined): RunCommand =>
  charged === undefined ? command : { ...command, charged }

/** The next step of a job, on the run as the job knows it. */
function withKnown(
  rules: Rules,
  state: World,
  runId: RunId,
  command: RunCommand,
  known: Runs,
  on: Done,
): World {
  const run = known.state
  const isCounted = MAY_END.has(command.type) && isAdmitted(run) && !isEnded(run) && run.attempt > 0
  if (isCounted) return on.next(state, { at: 'count', known })
  return decided(rules, state, runId, command, known, undefined, on)
}

function decided(
  rules: Rules,
  state: World,
  _runId: RunId,
  command: RunCommand,
  known: Runs,
  charged: number | undefined,
  on: Done,
): World {
  const decision = rules.decideRun(withCharges(command, charged), known.state)
  if ('refused' in decision) return on.refused(state)
  return decision.length === 0 ? on.done(state, known) : on.next(state, { at: 'append', known, charged })
}

/** Begins a job on a run that the actor has already read. */
export const jobOn = withKnown

export function work(
  rules: Rules,
  world: World,
  actor: ActorName,
  runId: RunId,
  command: RunCommand,
  job: Job,
  on: Done,
): Step<World>[] {
  const ok = (state: World, run: Runs): World =>
    isAdmitted(run.state) && refundOf(run.state) > 0
      ? on.next(state, { at: 'refund', run, entry: READ })
      : on.done(state, run)
  switch (job.at) {
    case 'load':
      return [step(actor, 'reads the run', withKnown(rules, world, runId, command, runOf(world, runId), on))]
    case 'count': {
      const charged = world.account.state.credits[runId]?.charged
      const state = decided(rules, world, runId, command, job.known, charged, on)
      return [step(actor, 'counts what the run was charged', state)]
    }
    case 'append': {
      const { known, charged } = job
      const decision = rules.decideRun(withCharges(command, charged), known.state)
      if ('refused' in decision) throw new Error('decided before')
      const what = `${command.type} (${decision.map(({ type }) => type).join(', ')})`
      const at = 'now' in command ? command.now : 0
      return append(
        rules,
        world,
        actor,
        { what, target: theRun(runId), known, events: decision, at },
        {
          ok,
          conflict: (state) => decided(rules, state, runId, command, runOf(state, runId), charged, on),
          unanswered: (state, sent) => on.next(state, { at: 'repeat', sent }),
          unavailable: on.unavailable,
        },
      )
    }
    case 'repeat':
      return repeat(rules, world, actor, theRun(runId), job.sent, {
        ok,
        conflict: (state) => on.unavailable(state),
      })
    case 'refund':
      return refund(rules, world, actor, runId, job.run, job.entry, {
        next: (state, entry) => on.next(state, { ...job, entry }),
        done: (state) => on.done(state, job.run),
        unavailable: on.unavailable,
      })
  }
}

/** `RunCommands.refund`, and the refund of a closed run by the reconciler. */
export function refund(
  rules: Rules,
  world: World,
  actor: ActorName,
  runId: RunId,
  run: Runs,
  entry: Entry,
  on: {
    next(world: World, entry: Entry): World
    done(world: World): World
    unavailable(world: World): World
  },
): Step<World>[] {
  const { state } = run
  const keep = isAdmitted(state) && isEnded(state) ? state.charged - state.refunded : 0
  const command = { type: 'refund', accountId: ACCOUNT, runId, keep, reason: state.status } as const
  return writeEntry(rules, world, actor, entry, command, { ...on, refused: on.done })
}
