/**
 * Healthy traffic of a task, from a seed: what runs of many accounts return in a month while its source works. Fields
 * that are rare, inputs that lack fields or have no items, days of other mixes, quiet weekends, bursts of one input.
 *
 * @module
 */
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import type { RunFill } from '../../src/domain/run-events.ts'
import type { Seeded } from '../simulation/random.ts'

export type Run = {
  /** milliseconds since 1970 */
  readonly at: number
  readonly fill: RunFill
}

/** A field of items, or a share of them, that is lost from a time on. */
export type Loss = { readonly field: number; readonly from: number; readonly part: number }

export const START = Date.parse('2026-06-01T00:00:00Z')
const DAY_MS = 86_400_000
export const DAYS = 30

/** How a field is spread over inputs: all alike, more in some, or in all items of some and in none of the others. */
type Spread = 'alike' | 'mixed' | 'all-or-none'
type Field = { readonly mean: number; readonly spread: Spread }

type Input = {
  readonly hash: string
  /** for each field, how likely an item has it */
  readonly shares: number[]
  /** how likely a run has no items */
  readonly empty: number
  readonly items: number
}

export type Habits = {
  /** on a working day */
  readonly runsPerDay: number
  /** how many inputs come again, and how often one of them is taken rather than a new one */
  readonly pool: number
  readonly repeats: number
  /** the part of inputs that lack fields */
  readonly odd: number
  readonly fields: readonly Field[]
  readonly mostItems: number
}

export class Traffic {
  readonly habits: Habits
  private readonly pool: Input[]

  constructor(
    private readonly random: Seeded,
    private readonly task: CatalogueTask,
  ) {
    this.habits = habitsOf(random, task)
    this.pool = Array.from({ length: this.habits.pool }, () => this.newInput(this.habits.odd))
  }

  /** The runs of a month in their order. */
  *month(loss?: Loss): Generator<Run> {
    const { random, habits } = this
    for (let day = 0; day < DAYS; day++) {
      const isWeekend = day % 7 > 4
      const other = random.chance(0.15) ? Math.min(0.6, habits.odd * 2) : habits.odd
      const runs = Math.round(habits.runsPerDay * (isWeekend ? 0.2 : 0.7 + 0.6 * random.next()))
      const inputs = Array.from({ length: runs }, () => this.nextInput(other))
      if (random.chance(0.15)) inputs.splice(random.whole(0, runs), 0, ...this.burst())
      for (const [i, input] of inputs.entries()) {
        const at = START + day * DAY_MS + Math.floor((DAY_MS * i) / inputs.length)
        yield { at, fill: this.run(input, loss && at >= loss.from ? loss : undefined) }
      }
      for (const input of this.pool) this.age(input)
    }
  }

  private nextInput(odd: number): Input {
    const { random, habits, pool } = this
    // The first inputs of the pool come more often than the last.
    if (pool.length > 0 && random.chance(habits.repeats))
      return pool[Math.floor(pool.length * random.next() ** 2)]!
    return this.newInput(odd)
  }

  private burst(): Input[] {
    const input = this.newInput(1)
    return Array.from({ length: this.random.whole(20, 60) }, () => input)
  }

  private newInput(odd: number): Input {
    const { random, habits } = this
    const isOdd = random.chance(odd)
    const shares = habits.fields.map(({ mean, spread }) => {
      const share =
        spread === 'alike'
          ? around(random, mean)
          : spread === 'mixed'
            ? mixed(random, mean)
            : Number(random.chance(mean))
      if (!isOdd || random.chance(0.6)) return share
      return random.chance(0.7) ? 0 : share * 0.3
    })
    return {
      hash: Math.floor(random.next() * 2 ** 32)
        .toString(16)
        .padStart(8, '0'),
      shares,
      empty: isOdd && random.chance(0.3) ? 0.9 : random.chance(0.1) ? 0.2 : 0.01,
      items: random.whole(1, habits.mostItems),
    }
  }

  /** The answers to an input change a little from day to day. */
  private age({ shares }: Input): void {
    for (const [i, share] of shares.entries())
      if (share > 0 && share < 1)
        shares[i] = Math.min(0.99, Math.max(0.01, share + (this.random.next() - 0.5) * 0.1))
  }

  private run(input: Input, loss: Loss | undefined): RunFill {
    const { random, task } = this
    const about = { schema: task.schema, input: input.hash }
    const items = random.chance(input.empty)
      ? 0
      : Math.max(1, Math.round(input.items * (0.7 + 0.6 * random.next())))
    if (items === 0) return { ...about, items, shares: [] }
    const shares = input.shares.map((share, i) => {
      const likely = loss?.field === i ? share * (1 - loss.part) : share
      return Math.round((1000 * times(random, items, likely)) / items)
    })
    return { ...about, items, shares }
  }
}

const SPREADS: readonly Spread[] = ['alike', 'alike', 'mixed', 'mixed', 'all-or-none']

function habitsOf(random: Seeded, task: CatalogueTask): Habits {
  const hasItems = task.columns.length > 0
  const isMonitor = random.chance(0.25)
  return {
    runsPerDay: random.pick([4, 12, 25, 40, 80, 150]),
    pool: isMonitor ? random.whole(1, 6) : random.whole(10, 60),
    repeats: isMonitor ? 0.97 : random.pick([0, 0.3, 0.6]),
    odd: random.pick([0.1, 0.2, 0.3, 0.4]),
    fields: task.fields.map((name) => {
      const documented = (task.documentedFill?.fields[name] ?? 500) / 1000
      const mean = documented > 0.98 ? 1 : Math.min(1, documented * (0.7 + 0.6 * random.next()))
      return { mean, spread: random.pick(SPREADS) }
    }),
    mostItems: hasItems ? random.pick([5, 20, 40]) : 1,
  }
}

const around = (random: Seeded, mean: number): number =>
  mean === 1 ? 1 : Math.min(1, Math.max(0, mean * (0.8 + 0.4 * random.next())))

/** Many inputs have less than the mean, some have much more. */
function mixed(random: Seeded, mean: number): number {
  if (mean === 1) return 1
  return mean <= 0 ? 0 : random.next() ** (1 / mean - 1)
}

/** How many of some items have a field. */
function times(random: Seeded, items: number, likely: number): number {
  let count = 0
  for (let i = 0; i < items; i++) if (random.next() < likely) count++
  return count
}
