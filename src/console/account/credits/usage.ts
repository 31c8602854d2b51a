/**
 * What an account spent, by day and by task, key or person, and what its runs sent and received, by day and task.
 *
 * @module
 */
import { OTHERS, type UsageRow, usage } from '../../../../projections/usage.ts'
import type { AccountId } from '../../../domain/ids.ts'
import { pagesOf } from '../../../read/pages.ts'
import type { ReadModels } from '../../../read/read-models.ts'
import { requireProjected, type WaitUntilProjected } from '../../../read/wait-until-projected.ts'
import { type Days, dayAfter } from '../../time-zone.ts'

type UsageDeps = {
  readonly readModels: ReadModels
  readonly waitUntilProjected: WaitUntilProjected
  /** milliseconds since 1970 */
  now(): number
}

/** What the parts of a day are. */
export const PARTS = ['task', 'key', 'person'] as const
export type Part = (typeof PARTS)[number]

/** What is counted of the runs that ended on a day. */
export const MEASURES = ['bytes', 'requests'] as const
export type Measure = (typeof MEASURES)[number]

/** All runs of people, beside the runs of each key; and the other way round. */
export const PEOPLE = 'people'
export const KEYS = 'keys'

/** Amounts of some days. */
export type Daily = {
  /** as `2026-11-29`, oldest first */
  readonly days: readonly string[]
  /** by the key of a task, an actor, {@link PEOPLE}, {@link KEYS} or {@link OTHERS}: one number for each day */
  readonly parts: ReadonlyMap<string, readonly number[]>
}

/** `parts`: credits less refunds; `traffic`: requests or bytes, by the key of a task or {@link OTHERS}. */
export type AccountUsage = Daily & { readonly traffic: Daily['parts'] }

/**
 * Reads the usage of the last days, up to and with today.
 *
 * @param length how many days, at most 90
 * @throws {StoreUnavailable}
 */
export async function usageOf(
  deps: UsageDeps,
  accountId: AccountId,
  zone: Days,
  length: number,
  part: Part,
  measure: Measure = 'bytes',
): Promise<AccountUsage> {
  const now = deps.now()
  const today = zone.of(now)
  const days = Array.from({ length }, (_, i) => dayAfter(today, i + 1 - length))
  const starts = days.map((day) => zone.start(day))
  const parts = new Map<string, number[]>()
  const traffic = new Map<string, number[]>()
  await requireProjected(deps, usage)
  const query = { equals: [accountId], after: starts[0]! - 1, order: 'ascending' } as const
  for await (const rows of pagesOf(deps.readModels, usage, 'by_account', query)) {
    addTo(parts, rows, starts, part)
    addTo(traffic, rows, starts, measure)
  }
  return { days, parts, traffic }
}

/** Adds rows, oldest first, to the numbers of their days. @param starts when the days begin, milliseconds since 1970 */
export function addTo(
  parts: Map<string, number[]>,
  rows: readonly UsageRow[],
  starts: readonly number[],
  of: Part | Measure,
): void {
  let day = 0
  for (const row of rows) {
    while (day + 1 < starts.length && row.at >= starts[day + 1]!) day++
    for (const [name, amount] of amountsOf(row, of)) {
      const numbers = parts.get(name) ?? starts.map(() => 0)
      numbers[day]! += amount
      parts.set(name, numbers)
    }
  }
}

function amountsOf({ tasks, actors, traffic }: UsageRow, of: Part | Measure): readonly [string, number][] {
  if (of === 'bytes' || of === 'requests')
    return entriesOf(traffic).map(([name, [requests, bytes]]) => [name, of === 'bytes' ? bytes : requests])
  return entriesOf(of === 'task' ? tasks : actors).map(([name, [charged, refunded]]) => [
    of === 'task' ? name : partOf(name, of),
    charged - refunded,
  ])
}

const entriesOf = <Amounts>(sums: { readonly [name: string]: Amounts | undefined }) =>
  Object.entries(sums) as [string, Amounts][]

function partOf(actor: string, part: Part): string {
  if (part === 'key' && actor.startsWith('person:')) return PEOPLE
  if (part === 'person' && actor.startsWith('key:')) return KEYS
  return actor
}

/** Sums of each day. */
export const totalsOf = ({ days, parts }: Daily): readonly number[] =>
  days.map((_, i) => [...parts.values()].reduce((sum, numbers) => sum + (numbers[i] ?? 0), 0))

const MOST_PARTS = 6
const isPool = (name: string): boolean => name === PEOPLE || name === KEYS

/**
 * The six largest parts, the largest first, and the sum of the others under {@link OTHERS}. {@link KEYS} and
 * {@link PEOPLE} come after the parts with a name, however large they are: they are no person, and no key.
 */
export function largest({
  days,
  parts,
}: Daily): readonly (readonly [name: string, numbers: readonly number[]])[] {
  const summed = [...parts]
    .filter(([name]) => name !== OTHERS)
    .map((part) => ({ part, sum: part[1].reduce((total, number) => total + number, 0) }))
  // Names settle equal sums, so that a reload keeps the order.
  const sorted = summed
    .filter(({ part: [name] }) => !isPool(name))
    .toSorted((a, b) => b.sum - a.sum || (a.part[0] < b.part[0] ? -1 : 1))
    .map(({ part }) => part)
  const pools = [...parts].filter(([name]) => isPool(name))
  const most = MOST_PARTS - pools.length
  const others = [...sorted.slice(most).map(([, numbers]) => numbers), parts.get(OTHERS) ?? []]
  const rest = days.map((_, i) => others.reduce((total, numbers) => total + (numbers[i] ?? 0), 0))
  const shown = [...sorted.slice(0, most), ...pools]
  return rest.some((number) => number !== 0) ? [...shown, [OTHERS, rest]] : shown
}
