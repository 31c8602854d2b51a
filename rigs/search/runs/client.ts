/**
 * A client that cancels a run, once: `RunCommands.execute` on behalf of src/http/routes/runs.ts.
 *
 * @module
 */
import type { RunId } from '../../../src/domain/ids.ts'
import { isAdmitted } from '../../../src/domain/run.ts'
import type { Actor } from './actor.ts'
import { type Job, LOAD, work } from './job.ts'
import { type ActorName, KEY, step } from './world.ts'

type Client =
  | { readonly at: 'waits' }
  | { readonly at: 'done' }
  | { readonly at: 'job'; readonly run: RunId; readonly job: Job }

const DONE: Client = { at: 'done' }

export const cancellingClient = (name: ActorName): Actor => ({
  name,
  initial: { at: 'waits' },
  crashed: ({ at }) => (at === 'job' ? DONE : undefined),
  isIdle: ({ at }) => at !== 'job',
  steps(rules, world) {
    const me = world[name] as Client
    if (me.at === 'done') return []
    if (me.at === 'waits')
      return Object.entries(world.runs).flatMap(([run, { state }]) => {
        if (!isAdmitted(state)) return []
        const job: Client = { at: 'job', run: run as RunId, job: LOAD }
        return [step(name, 'cancels the run', { ...world, [name]: job }, true)]
      })
    const done = (state: typeof world) => ({ ...state, [name]: DONE })
    const command = { type: 'cancel', keyId: KEY } as const
    return work(rules, world, name, me.run, command, me.job, {
      next: (state, job) => ({ ...state, [name]: { ...me, job } }),
      done,
      refused: done,
      unavailable: done,
    })
  },
})
