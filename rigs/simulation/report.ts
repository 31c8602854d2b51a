/**
 * The result of many runs: violations, the number of different runs, and the injected faults.
 *
 * @module
 */
import { FAULT_KINDS } from './faults.ts'
import { POINTS } from './points.ts'
import type { Outcome } from './schedule.ts'

/** Plain JSON, so that processes can pass it on. */
export type Report = {
  readonly seeds: number
  readonly hashes: readonly string[]
  readonly steps: number
  readonly events: number
  readonly counts: Readonly<Record<string, number>>
  readonly wrong: readonly Wrong[]
}

export type Wrong = {
  readonly seed: number
  readonly wrong: readonly string[]
  /** the fewest faults with which it still fails */
  readonly faults: readonly object[]
}

export const EMPTY: Report = { seeds: 0, hashes: [], steps: 0, events: 0, counts: {}, wrong: [] }

/** The report of one run. @param shrunk the same run with fewer faults, if it failed */
export function reportOf({ seed, hash, steps, written, counts, wrong }: Outcome, shrunk?: Outcome): Report {
  return {
    seeds: 1,
    hashes: [hash],
    steps,
    events: written,
    counts: Object.fromEntries(counts),
    wrong: wrong.length === 0 ? [] : [{ seed, wrong, faults: shrunk?.faults ?? [] }],
  }
}

export function join(a: Report, b: Report): Report {
  const counts = { ...a.counts }
  for (const [name, count] of Object.entries(b.counts)) counts[name] = (counts[name] ?? 0) + count
  return {
    seeds: a.seeds + b.seeds,
    hashes: [...a.hashes, ...b.hashes],
    steps: a.steps + b.steps,
    events: a.events + b.events,
    counts,
    wrong: [...a.wrong, ...b.wrong],
  }
}

/** Crashes and freezes that never happened. */
export const neverFired = ({ counts }: Report): string[] => [
  ...FAULT_KINDS.filter((kind) => !counts[kind]),
  ...POINTS.filter((point) => !counts[`crash after a write: ${point}`]).map(
    (point) => `crash after ${point}`,
  ),
]

/** The report as text. @param commit of the code @param ms how long it took */
export function textOf(report: Report, commit: string, ms: number): string {
  const { seeds, hashes, steps, events, counts, wrong } = report
  const row = (name: string, count: number) => `| ${name} | ${count.toLocaleString('en')} |`
  const points = POINTS.map((point) => [point, counts[`crash after a write: ${point}`] ?? 0] as const)
  return [
    `At commit ${commit}: ${seeds} schedules, ${new Set(hashes).size} of them different, ${events.toLocaleString('en')} events written, ${steps.toLocaleString('en')} steps, ${Math.round(ms / 1000)} s`,
    '',
    '| fault | how often |',
    '| --- | --- |',
    ...FAULT_KINDS.map((kind) => row(kind, counts[kind] ?? 0)),
    '',
    '| killed right after | how often |',
    '| --- | --- |',
    ...points.map(([point, count]) => row(point, count)),
    '',
    ...wrong.map(
      (one) =>
        `Seed ${one.seed} failed: ${one.wrong[0]}\n  with only these faults: ${JSON.stringify(one.faults)}\n  repeat it: npm run simulate -- --seed ${one.seed}`,
    ),
    wrong.length === 0 ? 'No invariant was violated.' : `${wrong.length} of ${seeds} schedules failed.`,
  ].join('\n')
}
