/**
 * The state of all tasks as the status page shows it: in words, without numbers of runs or anything of an account.
 *
 * @module
 */
import type { Catalogue, CatalogueTask } from '../../catalogue/catalogue.ts'
import type { Health } from '../../domain/health/standing.ts'
import { daysOf } from '../../health/days.ts'
import { type HealthReads, type Standing, standingsOf } from '../../health/standings.ts'
import { unlessAway } from '../../log/away.ts'
import type { Source } from '../../plugin.ts'
import { lastDays } from '../components/dates.ts'
import { worstOf } from '../components/health.ts'
import { type DayState, stateOfDay } from './day-state.ts'

/** How many days the page shows, today included. */
export const STATUS_DAYS = 30
/** How long a state is shown without reading it again, in milliseconds: anybody may ask. */
const FRESH_MS = 10_000

export type StatusDay = { readonly day: string; readonly state: DayState }
export type TaskStatus = {
  readonly task: CatalogueTask
  readonly health: Health
  /** RFC 3339; null before the first run that counts */
  readonly since: string | null
  /** the fields that lost their values */
  readonly drift: readonly string[]
  /** {@link STATUS_DAYS} days in UTC, oldest first; empty if they cannot be read */
  readonly days: readonly StatusDay[]
}
export type SourceStatus = {
  readonly source: Source
  readonly health: Health
  readonly tasks: readonly TaskStatus[]
}
export type Status = {
  /** when it was read, in milliseconds since 1970 */
  readonly at: number
  /** false while the read models are unavailable: every state is then unknown */
  readonly isKnown: boolean
  /** the worst state of all tasks */
  readonly health: Health
  readonly sources: readonly SourceStatus[]
}

/** Reads the state of all tasks, at most once in ten seconds. */
export class StatusBoard {
  private last: { readonly at: number; readonly status: Promise<Status> } | undefined

  constructor(private readonly deps: HealthReads & { readonly catalogue: Catalogue }) {}

  /** The state now, ten seconds old at most. */
  read(): Promise<Status> {
    const now = this.deps.now()
    const age = this.last ? now - this.last.at : Number.POSITIVE_INFINITY
    if (!this.last || age < 0 || age >= FRESH_MS) {
      const status = this.readNow(now)
      this.last = { at: now, status }
      // A defect is not kept: the next request reads again.
      status.catch(() => {
        if (this.last?.status === status) this.last = undefined
      })
    }
    return this.last!.status
  }

  private async readNow(at: number): Promise<Status> {
    const { catalogue } = this.deps
    const tasks = await unlessAway(this.tasks(at))
    const all = tasks ?? catalogue.tasks.map(unknownTask)
    const sources = catalogue.sources.flatMap((source): SourceStatus[] => {
      const own = all.filter(({ task }) => task.source.name === source.name)
      const health = worstOf(own.map((each) => each.health))
      return own.length === 0 ? [] : [{ source, health, tasks: own }]
    })
    return { at, isKnown: tasks !== undefined, health: worstOf(all.map(({ health }) => health)), sources }
  }

  private async tasks(at: number): Promise<TaskStatus[]> {
    const standings = await standingsOf(this.deps, this.deps.catalogue.tasks)
    return Promise.all(standings.map((standing) => this.task(standing, at)))
  }

  private async task(standing: Standing, at: number): Promise<TaskStatus> {
    const { task, row, health, since, drift } = standing
    const drifts = row?.drifts ?? []
    const read = new Map((await daysOf(this.deps, task, STATUS_DAYS)).map((day) => [day.day, day]))
    const days = lastDays(at, STATUS_DAYS).map((day) => ({
      day,
      state: stateOfDay(day, read.get(day), drifts),
    }))
    return { task, health, since, drift: drift.map(({ field }) => field), days }
  }
}

const unknownTask = (task: CatalogueTask): TaskStatus => ({
  task,
  health: 'unknown',
  since: null,
  drift: [],
  days: [],
})
