/**
 * Months of a task's traffic through its real projection, judged after every run as the watcher does.
 *
 * @module
 */
import { type HealthRow, health } from '../../projections/health.ts'
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import type { DomainEvent } from '../../src/domain/events.ts'
import { usualShare } from '../../src/domain/health/baseline.ts'
import { type Drift, documentedOf, driftOf } from '../../src/domain/health/drift.ts'
import { WINDOW } from '../../src/domain/health/fill-history.ts'
import { shareOf } from '../../src/domain/health/inputs.ts'
import type { RunId } from '../../src/domain/ids.ts'
import { Seeded } from '../simulation/random.ts'
import { type Habits, type Loss, type Run, START, Traffic } from './traffic.ts'

/** The row of a task, and the announcements of its drift. */
class Watched {
  row: HealthRow | undefined
  private isDrifting = false

  constructor(private readonly task: CatalogueTask) {}

  /** @returns the drift after one more run, announced at once */
  after({ at, fill }: Run): readonly Drift[] {
    const ended = {
      run_id: 'run_1' as RunId,
      task_key: this.task.key,
      code: null,
      charged: 1,
      refunded: 0,
      fill,
    }
    this.apply({ type: 'RunSucceeded', data: ended }, at)
    const drift = driftOf(this.row?.fill ?? null, this.task, this.row?.announced?.drift ?? [])
    if (drift.length > 0 !== this.isDrifting) {
      const [from, to] = this.isDrifting
        ? (['drifting', 'healthy'] as const)
        : (['healthy', 'drifting'] as const)
      const data = { task_key: this.task.key, from, to, drift: [...drift] }
      this.apply({ type: 'TaskHealthChanged', data }, at)
      this.isDrifting = !this.isDrifting
    }
    return drift
  }

  private apply(event: DomainEvent, at: number): void {
    const meta = { account_id: 'acc_1', at: new Date(at).toISOString() }
    this.row = health.apply(this.row, { event, meta } as never) ?? undefined
  }
}

export type Alarm = {
  readonly task: string
  readonly seed: number
  readonly at: number
  readonly drift: readonly Drift[]
}

/** A month of healthy traffic. @returns its runs, and the first alarm if there was one */
export function healthyMonth(
  task: CatalogueTask,
  seed: number,
): { readonly runs: number; readonly alarm: Alarm | undefined } {
  const traffic = new Traffic(new Seeded(seed), task)
  const watched = new Watched(task)
  let runs = 0
  for (const run of traffic.month()) {
    runs++
    const drift = watched.after(run)
    if (drift.length > 0) return { runs, alarm: { task: task.key, seed, at: run.at, drift } }
  }
  return { runs, alarm: undefined }
}

/** Why a loss was not noticed within 20 runs. */
export const WHYS = [
  'of a field that fewer than a third of the items have',
  'that leave half or more: half lost is the limit itself',
  'while too few of the runs had items or said anything about the field',
  'that could be chance: too few inputs, or too different ones',
] as const

export type Detection = {
  readonly task: string
  readonly field: string
  readonly habits: Habits
  /** runs that succeeded from the loss to the alarm; null without one within 100 */
  readonly after: number | null
  /** why not within 20 */
  readonly why: (typeof WHYS)[number]
}

const LIMIT = 100
const LEAST_TELLING = 10

/**
 * A month in which one field is lost on its 15th day.
 *
 * @param part of the items: 1 or 0.5
 * @returns undefined for a month with too few runs after the loss
 */
export function monthWithLoss(task: CatalogueTask, seed: number, part: number): Detection | undefined {
  const random = new Seeded(seed)
  const traffic = new Traffic(random.fork(), task)
  const { habits } = traffic
  const usual = habits.fields.flatMap(({ mean }, i) => (mean > 0 ? [i] : []))
  const lost = random.pick(usual)
  const loss: Loss = { field: lost, from: START + 14.3 * 86_400_000, part }
  const field = task.fields[lost]!
  const watched = new Watched(task)
  const about = { task: task.key, field, habits }
  let why: Detection['why'] = WHYS[3]
  let runs = 0
  for (const run of traffic.month(loss)) {
    const drift = watched.after(run)
    if (run.at < loss.from) continue
    runs++
    if (drift.some((each) => each.field === field)) return { ...about, after: runs, why }
    if (runs === WINDOW) why = whyNot(watched, task, lost)
    if (runs === LIMIT) return { ...about, after: null, why }
  }
  return undefined
}

function whyNot({ row }: Watched, task: CatalogueTask, field: number): Detection['why'] {
  const history = row!.fill!
  const mean = usualShare(history, field, documentedOf(task.documentedFill, task.fields[field]!)) ?? 0
  const shares = history.runs.flatMap((run) => {
    const input = history.inputs.find(([hash]) => hash === run[0])
    return shareOf(run, field, input) ?? []
  })
  if (mean < 1 / 3) return WHYS[0]
  if (shares.length < LEAST_TELLING) return WHYS[2]
  const now = shares.reduce((sum, share) => sum + share, 0) / shares.length / 1000
  return now > mean / 2 ? WHYS[1] : WHYS[3]
}
