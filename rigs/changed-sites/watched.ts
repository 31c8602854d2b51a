/**
 * How the health of a task tells that its site changed: runs of recordings through the task's read model, judged after
 * every run as the watcher does.
 *
 * @module
 */
import { type HealthRow, health } from '../../projections/health.ts'
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { driftOf } from '../../src/domain/health/drift.ts'
import { healthOf } from '../../src/domain/health/standing.ts'
import type { Ran } from './recordings.ts'

const DAY_MS = 86_400_000
const START = Date.parse('2026-06-01T00:00:00Z')
const HEALTHY_DAYS = 3
const RUNS_PER_DAY = 24
/** Within so many runs of the changed site its change must be noticed. */
export const MOST_RUNS = 20
/** The different inputs of all runs together, at least. */
const INPUTS = 12

/** A recording's run on the answers before and after the change. */
export type Pair = { readonly before: Ran; readonly after: Ran }

/** `by`: the code of the failing runs, or the first of the drifting fields; `after`: the number of runs. */
export type Noticed = { readonly by: string; readonly after: number }

/** Reads a changed site again and again after days of healthy traffic. @returns undefined when nothing is noticed */
export function noticedAfter(task: CatalogueTask, pairs: readonly Pair[]): Noticed | undefined {
  const inputs = Array.from({ length: Math.ceil(INPUTS / pairs.length) }, (_, variant) =>
    pairs.map((pair, i) => ({ ...pair, hash: (variant * 1000 + i).toString(16).padStart(8, '0') })),
  ).flat()
  let row: HealthRow | undefined
  const end = ({ code, items, shares }: Ran, hash: string, at: number) => {
    const data = {
      run_id: 'run_1',
      task_key: task.key,
      code,
      charged: 1,
      refunded: 0,
      ...(code === null ? { fill: { schema: task.schema, input: hash, items, shares } } : {}),
    }
    const meta = { account_id: 'acc_1', at: new Date(at).toISOString() }
    row =
      health.apply(row, {
        event: { type: code === null ? 'RunSucceeded' : 'RunFailed', data },
        meta,
      } as never) ?? undefined
  }
  for (let day = 0; day < HEALTHY_DAYS; day++)
    for (let i = 0; i < RUNS_PER_DAY; i++) {
      const { before, hash } = inputs[(day * RUNS_PER_DAY + i) % inputs.length]!
      end(before, hash, START + day * DAY_MS + (DAY_MS * i) / RUNS_PER_DAY)
    }
  for (let i = 0; i < MOST_RUNS; i++) {
    const { after, hash } = inputs[i % inputs.length]!
    const at = START + HEALTHY_DAYS * DAY_MS + i * 60_000
    end(after, hash, at)
    const standing = row && healthOf(row.ends, at)
    if (standing === 'broken' || standing === 'degraded')
      return { by: row?.last_failure?.code ?? standing, after: i + 1 }
    const [drift] = driftOf(row?.fill ?? null, task, [])
    if (drift) return { by: 'drifting', after: i + 1 }
  }
  return undefined
}

/** Whether a change matters: a run ends otherwise, or has another number of items, or fields with another share. */
export const matters = ({ before, after }: Pair): boolean =>
  before.code !== after.code ||
  before.items !== after.items ||
  before.shares.some((share, i) => share !== after.shares[i])

/** What is lost by a change that nobody noticed. */
export type Loss = {
  /**
   * `little`: half of each field's values or more are left, which is no drift; `rare`: a field that many items had not
   * before, so that 20 runs prove little; `items`: some items are lost, not all; `fields`: more than half of a field's
   * values are lost; `end`: runs end otherwise, with a code that says nothing against the source
   */
  readonly kind: 'little' | 'rare' | 'items' | 'fields' | 'end'
  readonly words: string
}

/** A third of two thirds is no less than half. */
const ROUNDING = 2
/** Fewer items than these thousandths have a rare field. */
const RARE = 600

/** What the runs of a changed site lose, by the first of them. */
export function lossOf(task: CatalogueTask, pairs: readonly Pair[]): Loss {
  const failing = pairs.find(({ after }) => after.code !== null)
  if (failing) return { kind: 'end', words: `ends as ${failing.after.code}` }
  const fewer = pairs.find(({ before, after }) => after.items < before.items)
  if (fewer) return { kind: 'items', words: `${fewer.before.items} items became ${fewer.after.items}` }
  const fields = task.fields.map((name, i) => ({
    name,
    was: mean(pairs.map(({ before }) => before.shares[i] ?? 0)),
    now: mean(pairs.map(({ after }) => after.shares[i] ?? 0)),
  }))
  const lost = fields.filter(({ was, now }) => 2 * now < was - ROUNDING)
  const shown = lost.length > 0 ? lost : fields.filter(({ was, now }) => was !== now)
  const words = shown.map(({ name, was, now }) => `${name} ${was} -> ${now}`).slice(0, 4)
  const kind = lost.length === 0 ? 'little' : lost.every(({ was }) => was < RARE) ? 'rare' : 'fields'
  return { kind, words: words.join(', ') }
}

const mean = (values: readonly number[]): number =>
  Math.round(values.reduce((sum, value) => sum + value, 0) / values.length)
