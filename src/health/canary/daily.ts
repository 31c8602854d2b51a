/**
 * `CANARY=daily`: tries every task each day with all its probes, spread over the day. What was done is known from the log
 * alone: each run's id is derived from its day, task and input, so a restart repeats nothing and several nodes make one
 * run.
 *
 * @module
 */
import type { Catalogue, CatalogueTask } from '../../catalogue/catalogue.ts'
import { CANARY_ACCOUNT_ID } from '../../domain/health/canary.ts'
import { isEnded } from '../../domain/run.ts'
import type { Admit } from '../../runs/admit.ts'
import { isBad } from './judge.ts'
import { type Obstacle, type ObstacleDeps, obstaclesOf } from './obstacles.ts'
import { type DueProbe, dayOf, probesOn, repeatOf } from './probes.ts'
import { type StartDeps, startProbe } from './start.ts'

export type DailyDeps = ObstacleDeps &
  StartDeps & {
    readonly catalogue: Pick<Catalogue, 'tasks'>
    readonly admit: Pick<Admit, 'find'>
  }

/** A bad run is repeated after this time, in milliseconds: most outages of a site are over by then. */
const REPEAT_MS = 10 * 60_000
/** A later repeat says nothing of the first run, in milliseconds. */
const REPEAT_WITHIN_MS = 55 * 60_000

/** A run to start. */
type Next = {
  readonly due: DueProbe
  /** the Idempotency-Key */
  readonly key: string
  /** milliseconds since 1970 */
  readonly at: number
  readonly isRepeat: boolean
}

export class DailyCanary {
  /** the keys of probes about which nothing is left to do, with their days */
  private readonly settled = new Map<string, number>()
  private obstacles: ReadonlyMap<string, Obstacle> = new Map()

  constructor(private readonly deps: DailyDeps) {}

  /** The tasks that are not tried, by key, as of the last round. */
  get notTried(): ReadonlyMap<string, Obstacle> {
    return this.obstacles
  }

  /**
   * Starts the run that is due, one at most: after a standstill the tasks are caught up one by one.
   *
   * @throws {StoreUnavailable}
   */
  async round(signal?: AbortSignal): Promise<void> {
    const { catalogue, now } = this.deps
    this.obstacles = await this.judged(catalogue.tasks)
    this.forget(dayOf(now()) - 1)
    const due: Next[] = []
    for (const task of catalogue.tasks) {
      if (signal?.aborted) return
      if (this.obstacles.has(task.key)) continue
      const next = await this.nextOf(task, now())
      if (next) due.push(next)
    }
    // A repeat counts only soon after its run.
    const [first] = due.toSorted((a, b) => Number(b.isRepeat) - Number(a.isRepeat) || a.at - b.at)
    if (first) await this.start(first)
  }

  private async judged(tasks: readonly CatalogueTask[]): Promise<ReadonlyMap<string, Obstacle>> {
    const obstacles = await obstaclesOf(this.deps, tasks)
    for (const [task, obstacle] of obstacles)
      if (obstacle === 'suspended' && this.obstacles.get(task) !== 'suspended') {
        this.deps.logger.warn(
          'The account canary is suspended, so no task is tried. Resume it in the console.',
        )
        break
      }
    return obstacles
  }

  private async start({ due, key }: Next): Promise<void> {
    const admission = await startProbe(this.deps, due.probe, key)
    // The plugin has another input since, or today's is invalid: there is nothing left to do on this day.
    if (!admission || admission.kind === 'key-reused') this.settled.set(due.key, due.day)
  }

  /** The next run of a task; undefined when none is due, or when another run of it must end first. */
  private async nextOf(task: CatalogueTask, now: number): Promise<Next | undefined> {
    const today = dayOf(now)
    // Runs of yesterday may still have to be repeated; what was not started yesterday is left out.
    for (const due of [...probesOn(today - 1, task), ...probesOn(today, task)]) {
      if (due.dueAt > now || this.settled.has(due.key)) continue
      const next = await this.stepOf(due, today, now)
      if (next === 'wait') return undefined
      if (next) return next
      this.settled.set(due.key, due.day)
    }
    return undefined
  }

  /** @returns undefined when nothing is left to do */
  private async stepOf(due: DueProbe, today: number, now: number): Promise<Next | 'wait' | undefined> {
    const { key, probe, day, dueAt } = due
    const run = await this.find(key)
    if (!run) return day < today ? undefined : { due, key, at: dueAt, isRepeat: false }
    if (!isEnded(run)) return 'wait'
    const repeat = await this.find(repeatOf(key))
    if (repeat) return isEnded(repeat) ? undefined : 'wait'
    const endedAt = Date.parse(run.finishedAt)
    if (now > endedAt + REPEAT_WITHIN_MS || !(await isBad(this.deps.admit, run, probe, day))) return undefined
    if (now < endedAt + REPEAT_MS) return 'wait'
    return { due, key: repeatOf(key), at: endedAt + REPEAT_MS, isRepeat: true }
  }

  private find(key: string) {
    return this.deps.admit.find(CANARY_ACCOUNT_ID, key)
  }

  private forget(before: number): void {
    for (const [key, day] of this.settled) if (day < before) this.settled.delete(key)
  }
}
