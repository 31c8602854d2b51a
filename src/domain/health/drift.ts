/**
 * Fields that lost their values though runs succeed.
 *
 * @module
 */
import { type Baseline, baselineOf, type Documented, LEAST_VARIANCE } from './baseline.ts'
import { evidenceOf } from './evidence.ts'
import { type FillHistory, spreadOf, WINDOW } from './fill-history.ts'
import { type Input, isKnown, shareOf } from './inputs.ts'
import { shareAt } from './shares.ts'

/** A field whose values got lost, with the share of items that have a value, from 0 to 1. */
export type Drift = {
  /** a nested field with a dot: `about.icon_url` */
  readonly field: string
  /** what is usual: see `baselineOf` */
  readonly was: number
  /** in the latest runs */
  readonly now: number
}

/** What the catalogue knows of a task. */
export type FilledTask = {
  readonly fields: readonly string[]
  /** names the version of the fields */
  readonly schema: string
  readonly documentedFill: {
    readonly items: number
    /** thousandths */
    readonly fields: { readonly [field: string]: number }
  } | null
}

/** At most this part of what is usual is a loss. */
const LOST = 1 / 2
/** The evidence that a loss needs, as of {@link evidenceOf}: chance is one in a million or less. */
const LEAST_EVIDENCE = 14
/** So many runs of one input count at most: its answers depend on each other. */
const MOST_OF_INPUT = 10
/** So many runs of known inputs without a loss prove that the source still has the field. */
const VETO_RUNS = 3

/**
 * The fields that the last 20 runs fill with at most half of what is usual, if that is no chance and no matter of their
 * inputs. A field that is announced as lost stays so until it is above half again.
 *
 * @param announced the drift that was announced last
 */
export function driftOf(
  history: FillHistory | null,
  { fields, schema, documentedFill }: FilledTask,
  announced: readonly Drift[],
): readonly Drift[] {
  if (history?.schema !== schema || history.runs.length < WINDOW) return []
  const inputs = new Map(history.inputs.map((input) => [input[0], input]))
  return fields.flatMap((field, i) => {
    const baseline = baselineOf(history, i, documentedOf(documentedFill, field))
    if (!baseline || baseline.mean === 0) return []
    const before = announced.find((each) => each.field === field)
    const samples = samplesOf(history, i, inputs)
    // Runs that say nothing do not end a drift.
    if (samples.length === 0) return before ?? []
    const now = meanOf(samples)
    if (now > baseline.mean * LOST) return []
    if (!before && !isProven(samples, baseline, spreadOf(history, i))) return []
    return { field, was: round(baseline.mean), now: round(now) }
  })
}

/** What is documented of a field. */
export const documentedOf = (fill: FilledTask['documentedFill'], field: string): Documented | undefined => {
  const share = fill?.fields[field]
  return fill && share !== undefined ? { items: fill.items, share } : undefined
}

/** The share of a field in a run, from 0 to 1, and in the earlier runs of its input if that is known. */
type Sample = { readonly input: string; readonly now: number; readonly usual: number | undefined }

function samplesOf(
  { runs }: FillHistory,
  field: number,
  inputs: ReadonlyMap<string, Input>,
): readonly Sample[] {
  return runs.flatMap((run) => {
    const input = inputs.get(run[0])
    const share = shareOf(run, field, input)
    if (share === undefined) return []
    const usual = isKnown(input) ? shareAt(input[3], field) : null
    return { input: run[0], now: share / 1000, usual: usual === null ? undefined : usual / 1000 }
  })
}

/** Known inputs are compared with their own earlier runs, and count by run; other inputs with all runs, each once. */
function isProven(samples: readonly Sample[], baseline: Baseline, spread: number): boolean {
  const known = samples.filter(({ usual }) => usual !== undefined)
  const others = samples.filter(({ usual }) => usual === undefined)
  const usual = mean(known.map((sample) => sample.usual!))
  const now = meanOf(known)
  if (known.length >= VETO_RUNS && now > usual * LOST) return false
  const ofKnown = { mean: usual, variance: Math.max(spread, LEAST_VARIANCE) }
  const inputs = [...byInput(others).values()].map(meanOf)
  const evidence =
    evidenceOf(ofKnown, countOf(known), now) + evidenceOf(baseline, inputs.length, mean(inputs))
  return evidence >= LEAST_EVIDENCE
}

const byInput = (samples: readonly Sample[]) => Map.groupBy(samples, ({ input }) => input)

const countOf = (samples: readonly Sample[]): number =>
  [...byInput(samples).values()].reduce((sum, own) => sum + Math.min(own.length, MOST_OF_INPUT), 0)

const meanOf = (samples: readonly Sample[]): number => mean(samples.map(({ now }) => now))
const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
const round = (share: number): number => Math.round(share * 1000) / 1000
