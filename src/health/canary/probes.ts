/**
 * The probes of the canary: a task's example, and the further inputs that it declares. A day has each of them once.
 *
 * @module
 */
import { hash } from 'node:crypto'
import type { CatalogueTask } from '../../catalogue/catalogue.ts'

/** A task with one of its inputs. */
export type Probe = {
  readonly task: CatalogueTask
  /** 0: the example */
  readonly number: number
  readonly input: Readonly<Record<string, unknown>>
}

/** A probe on a day. */
export type DueProbe = {
  readonly probe: Probe
  /** days since 1970, UTC */
  readonly day: number
  /** milliseconds since 1970 */
  readonly dueAt: number
  /** the Idempotency-Key of its run */
  readonly key: string
}

export const DAY_MS = 86_400_000

export const dayOf = (now: number): number => Math.floor(now / DAY_MS)

export const probesOf = (task: CatalogueTask): readonly Probe[] =>
  [task.declaration.example, ...(task.declaration.canary ?? [])].map((input, number) => ({
    task,
    number,
    input,
  }))

/**
 * The probes of a task on a day, in the order of their times: evenly over the day, from a time that only the task's key
 * decides, so that all nodes have the same plan and tasks do not start together.
 */
export function probesOn(day: number, task: CatalogueTask): readonly DueProbe[] {
  const probes = probesOf(task)
  const start = hash('sha256', task.key, 'buffer').readUInt32BE(0) / 2 ** 32
  return probes
    .map((probe, i) => {
      const dueAt = Math.floor((day + ((start + i / probes.length) % 1)) * DAY_MS)
      return { probe, day, dueAt, key: keyOf(day, probe) }
    })
    .toSorted((a, b) => a.dueAt - b.dueAt)
}

/** The Idempotency-Key of a probe's run on a day, the same on all nodes. */
export const keyOf = (day: number, { task, number }: Probe): string =>
  `canary ${new Date(day * DAY_MS).toISOString().slice(0, 10)} ${task.key} ${number}`

/** The Idempotency-Key of the repeat of a bad run. */
export const repeatOf = (key: string): string => `${key} again`
