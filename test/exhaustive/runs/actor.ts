/**
 * Who takes part in a model of runs.
 *
 * @module
 */
import type { Step } from '../engine.ts'
import type { ActorName, Local, Rules, World } from './world.ts'

export type Actor = {
  readonly name: ActorName
  readonly initial: Local
  /** what it may do next */
  steps(rules: Rules, world: World): readonly Step<World>[]
  /** what is left of its memory when its process dies; undefined when it has nothing to lose */
  crashed(local: Local): Local | undefined
  /** whether it has nothing to do any more */
  isIdle(local: Local): boolean
}
