/**
 * A model of runs, built from its actors, with crashes, the clock and the invariants.
 *
 * @module
 */
import type { RunId } from '../../../src/domain/ids.ts'
import type { Model, Step } from '../engine.ts'
import type { Actor } from './actor.ts'
import { wrongAtRest, wrongWith } from './invariants.ts'
import { admitted, kickoff, MOST_CLOSED } from './kickoff.ts'
import { type ActorName, REAL, type Rules, step, type World, worldOf } from './world.ts'

export type RunsBounds = {
  /** credits at the start */
  readonly balance: number
  /** total number of appends that may stay unanswered */
  readonly losses: number
  /** actors that may die, each at most once */
  readonly crashes: number
  /** milliseconds after the start to which the clock may jump, in order */
  readonly instants: readonly number[]
  /** the kickoffs, each with its Idempotency-Key */
  readonly keys: readonly string[]
  /** whether a run was charged and requested before the first state */
  readonly isAdmitted?: boolean
  /** how often each kickoff may be repeated */
  readonly tries: number
}

export function runsModel(
  bounds: RunsBounds,
  others: readonly Actor[],
  planted: Partial<Rules> = {},
): Model<World> {
  const rules: Rules = { ...REAL, ...planted }
  const kickoffs = bounds.keys.map((key, i) => kickoff(`@kickoff-${i + 1}`, key, bounds.tries))
  const actors = [...kickoffs, ...others]
  const closable = [...Array(MOST_CLOSED + 1).keys()]
  const idsOf = new Map<ActorName, readonly RunId[]>(
    bounds.keys.map((key, i) => [kickoffs[i]!.name, closable.map((closed) => rules.runIdOf(key, closed))]),
  )
  const memories = Object.fromEntries(actors.map((actor) => [actor.name, actor.initial]))
  const opened = worldOf(bounds.balance, bounds.losses, memories)
  const initial = bounds.isAdmitted ? admitted(rules, opened) : opened
  return {
    initial,
    steps: (world) => [
      ...actors.flatMap((actor) => [...actor.steps(rules, world), ...crash(world, actor, bounds.crashes)]),
      ...passing(world, bounds.instants),
    ],
    wrong: (world) => wrongWith(world, idsOf),
    isSettled: (world) =>
      actors.every(({ name, isIdle }) => isIdle(world[name]!)) && hasNothingDue(world, bounds.instants),
    wrongAtEnd: wrongAtRest,
    ends: ({ runs }) => Object.values(runs).map(({ state }) => state.status),
  }
}

/** All work is done. At the last instant a run may still be leased to a worker that will be lost. */
function hasNothingDue({ rows, clock }: World, instants: readonly number[]): boolean {
  const isLast = clock === (instants.at(-1) ?? 0)
  return Object.values(rows).every(({ kind, due }) => kind === 'lease' && due > clock && isLast)
}

function crash(world: World, { name, crashed }: Actor, most: number): Step<World>[] {
  if (world.crashed.length === most || world.crashed.includes(name)) return []
  const left = crashed(world[name]!)
  if (!left) return []
  const state = { ...world, crashed: [...world.crashed, name].sort(), [name]: left }
  return [step(name, 'dies', state, true)]
}

function passing(world: World, instants: readonly number[]): Step<World>[] {
  const clock = instants.find((instant) => instant > world.clock)
  return clock === undefined
    ? []
    : [{ name: `the clock is at ${clock / 1000} s`, state: { ...world, clock } }]
}
