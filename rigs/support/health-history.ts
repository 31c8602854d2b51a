/**
 * Months of runs as the read models of health have them, made by their own projections: for pages that show them.
 *
 * @module
 */
import { type HealthRow, health } from '../../projections/health.ts'
import { type HealthDayRow, healthDays } from '../../projections/health-days.ts'
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import type { Model, ReadModels, Row } from '../../src/read/read-models.ts'

const DAY_MS = 86_400_000

export type HistoryOptions = {
  /** the time of the last run, in milliseconds since 1970 */
  readonly now: number
  readonly days: number
  /** of each task and day */
  readonly runs: number
  /** a field that is empty in the last days: its task, its name and for how many days */
  readonly lost?: { readonly task: string; readonly field: string; readonly days: number }
  /** a task whose last runs fail */
  readonly broken?: string
}

/** Generates the rows of tasks. The same options give the same rows. */
export function historyOf(tasks: readonly CatalogueTask[], options: HistoryOptions) {
  const rows = new Map<string, HealthRow>()
  const days = new Map<string, HealthDayRow[]>()
  for (const task of tasks) {
    const own: HealthDayRow[] = []
    for (let day = options.days - 1; day >= 0; day--) {
      let row: HealthDayRow | null = null
      for (let n = 0; n < options.runs; n++) {
        const end = endOf(task, day, n, options)
        rows.set(task.key, health.apply(rows.get(task.key), end)!)
        row = healthDays.apply(row ?? undefined, end as never)
      }
      own.push(row!)
    }
    days.set(task.key, own)
  }
  return { rows, days }
}

function endOf(
  { key, schema, fields }: CatalogueTask,
  day: number,
  n: number,
  { now, runs, lost, broken }: HistoryOptions,
): Parameters<typeof health.apply>[1] {
  const at = new Date(now - day * DAY_MS - (runs - n - 1) * 60_000).toISOString()
  const isBad = (n * 7 + day) % 19 === 0 || (key === broken && day === 0 && n > runs - 6)
  const code = isBad ? 'source-changed' : n % 13 === 5 ? 'not-found' : n % 17 === 8 ? 'source-blocked' : null
  const shares = fields.map((field, i) => {
    if (lost && lost.task === key && lost.field === field && day < lost.days) return 0
    return i % 9 === 8 ? 0 : 1000 - 20 * i
  })
  const fill = { schema, input: String(n % 8).padStart(8, '0'), items: 24, shares }
  const data = { run_id: `run_${day}`, task_key: key, code, ms: 400 + ((n * 37 + day * 11) % 900) }
  return {
    event: {
      type: code === null ? 'RunSucceeded' : 'RunFailed',
      data: code === null ? { ...data, fill } : data,
    },
    meta: { at, account_id: 'acc_w40fqkg0hg2erg33fbraz4fv50' },
  } as never
}

/** The read models with these rows in place of their own. */
export function withHistory(
  readModels: ReadModels,
  { rows, days }: ReturnType<typeof historyOf>,
): ReadModels {
  const own: Partial<ReadModels> = {
    getMany: async <R extends Row>(model: Model<R>, keys: readonly string[]) =>
      model.name === health.name
        ? (keys.map((key) => rows.get(key)) as unknown as (R | undefined)[])
        : readModels.getMany(model, keys),
    list: async <R extends Row>(model: Model<R>, index: string, query: Parameters<ReadModels['list']>[2]) =>
      model.name === healthDays.name
        ? ((days.get(String(query.equals[0])) ?? []).slice(-query.limit) as unknown as R[])
        : readModels.list(model, index, query),
  }
  return new Proxy(readModels, {
    get: (target, name) => {
      const value = own[name as keyof ReadModels] ?? Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
