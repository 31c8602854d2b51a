/**
 * An actor in a model of runs.
 *
 * @module
 */
import type { Step } from '../engine.ts'
import type { ActorName, Local, Rules, World } from './world.ts'

export type Actor = {
  readonly name: ActorName
  readonly initial: Local
  /** its possible next steps */
  steps(rules: Rules, world: World): readonly Step<World>[]
  /** its state after its process dies; undefined when a crash has no effect */
  crashed(local: Local): Local | undefined
  /** whether it has nothing left to do */
  isIdle(local: Local): boolean
}
