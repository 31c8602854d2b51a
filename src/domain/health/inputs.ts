/**
 * The inputs of a task that runs had before: how each usually fills the fields. They tell a changed source from an
 * unusual input.
 *
 * @module
 */
import { pack, type Shares, shareAt, unpack } from './shares.ts'

/** An input, packed as a tuple because a row has many. */
export type Input = readonly [
  /** the first 8 hex digits of its fingerprint */
  hash: string,
  /** its runs with items, at most {@link MOST_RUNS} */
  runs: number,
  /** how sure it is that it has items: {@link SURE}, or the number of its runs with items since the last one without */
  sure: number,
  /** the mean share of each field, packed */
  means: string,
  /** when a run taught this last, in minutes since 1970 */
  taught: number,
]

/** A run that succeeded, packed: the hash of its input, its number of items, and their shares. */
export type FilledRun = readonly [input: string, items: number, shares: string]

const MOST_INPUTS = 60
/** Means count about as many runs, so that they follow changes. */
const MOST_RUNS = 20
/** So many runs make an input known. */
const KNOWN = 2
/** An input always had items. So many runs with items make up for an earlier one without. */
const SURE = 40
/**
 * After {@link FIRST_RUNS} runs an input learns from one run in so many minutes. A busy task has hundreds of runs between
 * a loss and its announcement, and these must not make the loss usual.
 */
const LEARNS_EVERY_MIN = 10
const FIRST_RUNS = 10
/** It always had some, and now it has none. */
const LOST = SURE + 1

export const isKnown = (input: Input | undefined): input is Input => input !== undefined && input[1] >= KNOWN

/** Whether the input always had items, so that a run without any is a loss. */
export const alwaysHadItems = (input: Input | undefined): input is Input => isKnown(input) && input[2] >= SURE

/**
 * The share of a field in a run, in thousandths; undefined for a run that says nothing about it. A run without items of
 * an input that always had some has lost what the input had.
 */
export function shareOf(
  [, items, shares]: FilledRun,
  field: number,
  input: Input | undefined,
): number | undefined {
  const usual = isKnown(input) ? shareAt(input[3], field) : null
  // The input never had the field.
  if (usual === 0) return undefined
  if (items === 0) return usual !== null && alwaysHadItems(input) ? 0 : undefined
  return shareAt(shares, field) ?? undefined
}

/** Whether a run tells something new about its input. @param minute since 1970 */
export const mayLearn = (input: Input | undefined, minute: number): boolean =>
  input === undefined || input[1] < FIRST_RUNS || Math.abs(minute - input[4]) >= LEARNS_EVERY_MIN

/** The inputs after one more run, the latest last. @param minute since 1970 */
export function withRun(inputs: readonly Input[], run: FilledRun, minute: number): readonly Input[] {
  const known = inputs.find(([hash]) => hash === run[0])
  const others = inputs.filter((each) => each !== known)
  const next = known && !mayLearn(known, minute) ? known : taughtBy(run, known, minute)
  return [...others, next].slice(-MOST_INPUTS)
}

function taughtBy([hash, items, shares]: FilledRun, known: Input | undefined, minute: number): Input {
  if (items > 0) return withItems(hash, known, unpack(shares), minute)
  const [, runs = 0, , means = ''] = known ?? []
  return [hash, runs, alwaysHadItems(known) ? LOST : 0, means, minute]
}

function withItems(hash: string, known: Input | undefined, shares: Shares, minute: number): Input {
  const [, runs = 0, sure = SURE, means = ''] = known ?? []
  const count = Math.min(runs + 1, MOST_RUNS)
  const mean = shares.map((share, field) => meanWith(shareAt(means, field), share, count))
  // Items are back after a run without: that is normal for this input.
  return [hash, count, sure === LOST ? 1 : Math.min(sure + 1, SURE), pack(mean), minute]
}

/** A mean above 0 stays above 0: the input had the field once. */
function meanWith(mean: number | null, share: number | null, runs: number): number | null {
  if (mean === null || share === null) return mean ?? share
  const next = Math.round(mean + (share - mean) / runs)
  return next === 0 && (mean > 0 || share > 0) ? 1 : next
}
