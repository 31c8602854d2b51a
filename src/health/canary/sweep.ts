/**
 * The sweep that `CANARY=daily` adds to a process with the role worker.
 *
 * @module
 */
import { MINUTE_MS, type Repeated } from '../../async/repeat.ts'
import type { Config } from '../../config.ts'
import { DailyCanary, type DailyDeps } from './daily.ts'
import type { Obstacle } from './obstacles.ts'

type SweepDeps = DailyDeps & {
  readonly config: Pick<Config, 'canary'>
  readonly metrics: { watchCanary(notTried: () => ReadonlyMap<string, Obstacle>): void }
}

/** What is repeated: nothing when CANARY is off. */
export function canaryRounds(deps: SweepDeps): readonly Repeated[] {
  if (deps.config.canary === 'off') return []
  const canary = new DailyCanary(deps)
  deps.metrics.watchCanary(() => canary.notTried)
  return [
    {
      everyMs: MINUTE_MS,
      act: (signal) => canary.round(signal),
      failure: 'The canary could not look for its next run. It looks again in a minute.',
    },
  ]
}
