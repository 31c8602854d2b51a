/**
 * Fields that lost their values though runs succeed.
 *
 * @module
 */
import { type Documented, LEAST_VARIANCE, unknownInputs, usualShare } from './baseline.ts'
import { evidenceOf, type Usual } from './evidence.ts'
import { type FillHistory, spreadOf, WINDOW } from './fill-history.ts'
import { type FilledRun, type Input, isKnown, shareOf } from './inputs.ts'
import { shareAt } from './shares.ts'

/** A field whose values got lost, with the share of items that have a value, from 0 to 1. */
export type Drift = {
  /** a nested field with a dot: `about.icon_url` */
  readonly field: string
  /** what is usual: see `usualShare` */
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
    readonly recordings: number
    /** thousandths */
    readonly fields: { readonly [field: string]: number }
  } | null
}

/** At most this part of what is usual is a loss. */
const LOST = 1 / 2
/** The evidence that a loss needs, as of {@link evidenceOf}: chance is one in three million or less. */
const LEAST_EVIDENCE = 15
/** So many runs of known inputs prove that the source still has the field, or tell what is usual. */
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
  const runs = withInputs(history)
  return fields.flatMap((field, i) => {
    const documented = documentedOf(documentedFill, field)
    const was = usualShare(history, i, documented) ?? earlierShare(runs, i)
    if (was === null || was === 0) return []
    const before = announced.find((each) => each.field === field)
    const now = shareNow(runs, i)
    // Runs that say nothing do not end a drift.
    if (now === null) return before ?? []
    if (now > was * LOST) return []
    if (!before && !isProven(samplesOf(runs, i), unknownInputs(history, i, documented), spreadOf(history, i)))
      return []
    return { field, was: round(was), now: round(now) }
  })
}

type RunOfInput = { readonly run: FilledRun; readonly input: Input | undefined }

function withInputs({ runs, inputs }: FillHistory): readonly RunOfInput[] {
  const byHash = new Map(inputs.map((input) => [input[0], input]))
  return runs.map((run) => ({ run, input: byHash.get(run[0]) }))
}

/** The mean share of a field, from 0 to 1; null if no run says anything about it. Most fields need no more to be judged. */
function shareNow(runs: readonly RunOfInput[], field: number): number | null {
  let sum = 0
  let count = 0
  for (const { run, input } of runs) {
    const share = shareOf(run, field, input)
    if (share === undefined) continue
    sum += share
    count++
  }
  return count === 0 ? null : sum / count / 1000
}

/** What the inputs of these runs had before, while nothing else says what is usual; null if too few are known. */
function earlierShare(runs: readonly RunOfInput[], field: number): number | null {
  const means = runs.flatMap(({ input }) => (isKnown(input) ? (shareAt(input[3], field) ?? []) : []))
  return means.length < VETO_RUNS ? null : mean(means) / 1000
}

/** What is documented of a field. */
export const documentedOf = (fill: FilledTask['documentedFill'], field: string): Documented | undefined => {
  const share = fill?.fields[field]
  return fill && share !== undefined ? { recordings: fill.recordings, share } : undefined
}

/** The share of a field in a run, from 0 to 1. */
type Sample = {
  readonly input: string
  readonly items: number
  readonly now: number
  /** of the earlier runs of the input, if it is known: their mean share, and their number */
  readonly earlier: { readonly mean: number; readonly runs: number } | undefined
}
type Known = Sample & { readonly earlier: NonNullable<Sample['earlier']> }

const samplesOf = (runs: readonly RunOfInput[], field: number): readonly Sample[] =>
  runs.flatMap(({ run, input }) => {
    const share = shareOf(run, field, input)
    if (share === undefined) return []
    const usual = isKnown(input) ? shareAt(input[3], field) : null
    const earlier = input && usual !== null ? { mean: usual / 1000, runs: input[1] } : undefined
    return { input: run[0], items: Math.max(1, run[1]), now: share / 1000, earlier }
  })

/** Known inputs are compared with their own earlier runs, and count by run; other inputs with all others, each once. */
function isProven(samples: readonly Sample[], ofInputs: Usual, spread: number): boolean {
  const known = samples.filter((sample): sample is Known => sample.earlier !== undefined)
  const usual = usualOf(known, spread)
  const now = meanOf(known)
  if (known.length >= VETO_RUNS && now > usual.mean * LOST) return false
  const others = [...byInput(samples.filter(({ earlier }) => !earlier)).values()].map(meanOf)
  const evidence = evidenceOf(usual, countOf(known), now) + evidenceOf(ofInputs, others.length, mean(others))
  return evidence >= LEAST_EVIDENCE
}

/** What the known inputs of some runs had before. The fewer items a run has, the more its share is chance. */
function usualOf(samples: readonly Known[], spread: number): Usual {
  const likely = samples.map(({ earlier }) => (earlier.mean * earlier.runs + 1) / (earlier.runs + 2))
  const chances = samples.map(({ items }, i) => (likely[i]! * (1 - likely[i]!)) / items)
  return {
    mean: mean(samples.map(({ earlier }, i) => Math.min(earlier.mean, likely[i]!))),
    variance: Math.max(spread, mean(chances), LEAST_VARIANCE),
  }
}

const byInput = <S extends Sample>(samples: readonly S[]) => Map.groupBy(samples, ({ input }) => input)

/** What an input had is an estimate too, from a few runs: both sides count, as when two samples are compared. */
const countOf = (samples: readonly Known[]): number =>
  [...byInput(samples).values()].reduce((sum, own) => {
    const { runs } = own[0]!.earlier
    return sum + (own.length * runs) / (own.length + runs)
  }, 0)

const meanOf = (samples: readonly Sample[]): number => mean(samples.map(({ now }) => now))
const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
const round = (share: number): number => Math.round(share * 1000) / 1000
