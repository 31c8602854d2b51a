/**
 * Announces how the health of tasks changes. Every process with the role worker judges all tasks; the one whose append
 * comes first announces the change.
 *
 * @module
 */
import { health as healthRows } from '../../projections/health.ts'
import type { Repeated } from '../async/repeat.ts'
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import type { Drift } from '../domain/health/drift.ts'
import { badEndsOf, type Health } from '../domain/health/standing.ts'
import { OPERATORS, sourceStream } from '../domain/ids.ts'
import { type SourceState, sourceDecider } from '../domain/source-health.ts'
import { unlessAway } from '../log/away.ts'
import type { EventLog } from '../log/event-log.ts'
import { execute, type Loaded, load } from '../log/execute.ts'
import type { Logger } from '../logger.ts'
import { type Checkpoint, isSame } from '../read/read-models.ts'
import { type HealthReads, type Standing, standingsOf } from './standings.ts'

/** An announced change. */
export type HealthChange = {
  readonly task: CatalogueTask
  readonly from: Health
  readonly to: Health
  /** RFC 3339: when the runs began to end so, which is before the announcement */
  readonly since: string
  readonly drift: readonly Drift[]
  /** of the bad ends of the last day */
  readonly codes: readonly (string | null)[]
}

export type HealthWatchOptions = HealthReads & {
  readonly log: EventLog
  readonly catalogue: { readonly tasks: readonly CatalogueTask[] }
  readonly logger: Logger
  /** called for each change that this process announced; must not throw */
  readonly onChanged: (change: HealthChange) => void
}

/** How often tasks are judged, and how soon a change is mailed, in milliseconds. */
const JUDGED_EVERY_MS = 15_000
/** How soon a change that follows from the time alone is judged, in milliseconds: ends count for a day only. */
const JUDGED_ANYWAY_MS = 300_000
/** This many bad ends of the last day show that a task is degraded. */
const TELLING_FAILURES = 2

export class HealthWatch {
  private latest: readonly Standing[] = []
  private judged: { readonly checkpoint: Checkpoint | null; readonly at: number } | undefined
  /** Streams as last read, by the name of the source. */
  private readonly sources = new Map<string, Loaded<SourceState>>()

  constructor(private readonly options: HealthWatchOptions) {}

  /** All tasks as last judged; none before the first round. */
  get standings(): readonly Standing[] {
    return this.latest
  }

  /** Whether fields of the task had lost their values when it was last judged. */
  isDrifting(taskKey: string): boolean {
    return this.latest.some(({ task, drift }) => task.key === taskKey && drift.length > 0)
  }

  /** Judges all tasks, unless nothing happened since the last time. Does nothing while a store is unavailable. */
  async once(): Promise<void> {
    await unlessAway(this.judge())
  }

  /** The log was replaced: what was read from it is invalid. */
  forget(): void {
    this.sources.clear()
    this.judged = undefined
  }

  private async judge(): Promise<void> {
    const { readModels, now, catalogue } = this.options
    const at = now()
    const checkpoint = await readModels.checkpoint(healthRows)
    const { judged } = this
    if (judged && isSame(judged.checkpoint, checkpoint) && at - judged.at < JUDGED_ANYWAY_MS) return
    this.latest = await standingsOf(this.options, catalogue.tasks)
    for (const standing of this.latest) await this.announce(standing, at)
    this.judged = { checkpoint, at }
  }

  private async announce(standing: Standing, now: number): Promise<void> {
    const { task, row, health, drift, since } = standing
    if (isAnnounced(standing) || isLoneFailure(standing, now)) return
    const { log, logger, onChanged } = this.options
    const { name } = task.source
    const stream = sourceStream(name)
    const command = { type: 'judge', taskKey: task.key, health, drift, now } as const
    const cause = { accountId: OPERATORS, correlationId: 'health', causationId: 'health', now }
    // The rows of read models lag behind the stream.
    const known = await load(log, stream, sourceDecider, this.sources.get(name))
    const { events, ...loaded } = await execute(log, stream, sourceDecider, command, cause, known)
    this.sources.set(name, loaded)
    for (const { event } of events) {
      if (event.type !== 'TaskHealthChanged') continue
      const { from, to } = event.data
      logger[to === 'healthy' ? 'info' : 'warn'](
        { task: task.key, from, to, drift },
        `The health of a task changed. The operator's page of its source shows why.`,
      )
      const codes = badEndsOf(row?.ends ?? [], now).map(({ code }) => code)
      onChanged({ task, from, to, since: since ?? new Date(now).toISOString(), drift, codes })
    }
  }
}

/** Whether a look into the stream can be saved, because the read model shows that there is nothing to announce. */
function isAnnounced({ row, health, drift }: Standing): boolean {
  const { health: announced = 'healthy', drift: before = [] } = row?.announced ?? {}
  if (health === 'unknown') return true
  return (
    announced === health &&
    (health !== 'drifting' || drift.every(({ field }) => before.some((each) => each.field === field)))
  )
}

/** One bad end makes a task with few runs degraded, as the API shows. Nobody is told of it until there is a second one. */
function isLoneFailure({ row, health }: Standing, now: number): boolean {
  const announced = row?.announced?.health ?? 'healthy'
  return (
    health === 'degraded' &&
    announced !== 'broken' &&
    badEndsOf(row?.ends ?? [], now).length < TELLING_FAILURES
  )
}

/** What a worker repeats: judging, and mailing what changed. A slow mail server does not delay the judging. */
export const healthRounds = (
  watch: HealthWatch,
  mail: { send(signal: AbortSignal): Promise<void> },
): readonly Repeated[] => [
  {
    everyMs: JUDGED_EVERY_MS,
    act: () => watch.once(),
    failure: 'The health of tasks could not be judged. The next round tries again.',
  },
  {
    everyMs: JUDGED_EVERY_MS,
    act: (signal) => mail.send(signal),
    failure: 'Changes in the health of tasks could not be mailed. The next round tries again.',
  },
]
