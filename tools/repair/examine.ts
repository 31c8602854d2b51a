/**
 * Examines a broken run: what it lacks, and what a repair must bring back.
 *
 * @module
 */
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { baselineOf } from '../../src/health/standings.ts'
import type { Cassette } from '../../src/plugin/testing.ts'
import type { BrokenRun } from './broken-run.ts'
import { complete } from './complete.ts'
import { countedIn, sharesOf } from './fill.ts'
import { type Expectations, FILES } from './folder.ts'
import { type Finding, findingsOf } from './judge.ts'
import { nearestOf } from './matching.ts'
import { isCaptured, type KeptRecording, type Recordings } from './recordings.ts'
import type { Replayed } from './replay.ts'

export type Examined = {
  readonly broken: BrokenRun
  /** the recording with the most similar requests; undefined when there is none that succeeds */
  readonly good: KeptRecording | undefined
  /** the cassette of the run, complete if that is possible */
  readonly cassette: Cassette
  /** how the run on it ends with the parser of today */
  readonly run: Replayed
  /** the last request of the capture, if the run succeeds without it: then it says nothing about the capture */
  readonly unasked: string | null
  readonly expected: Expectations
  readonly findings: readonly Finding[]
  /** why the run on the cassette does not show the fault; null when it does */
  readonly doubt: string | null
}

/** Examines a run with the parser of today. */
export async function examine(
  task: CatalogueTask,
  broken: BrokenRun,
  { kept }: Recordings,
): Promise<Examined> {
  const recorded = kept.filter(({ kept: { file } }) => !isCaptured(file))
  const succeeded = recorded.filter(({ kept: { code } }) => code === null)
  const good = nearestOf(succeeded, broken.cassette, task.source.origin)
  const { cassette, run, unasked } = await complete(task, broken.cassette, good?.cassette, broken.at)
  const known = broken.drift.map(({ field }) => field)
  const base = {
    hasItems: hasItems(task, succeeded),
    usual: usualOf(task, broken, succeeded, good),
    lost: known,
  }
  const findings = findingsOf(task, base, run)
  const lost = findings.flatMap(({ field, isMet }) => (field !== undefined && isMet === false ? [field] : []))
  const expected: Expectations = {
    task: task.key,
    at: broken.at,
    code: broken.code === undefined ? run.code : broken.code,
    capture: broken.capture,
    ...base,
    lost: [...new Set([...known, ...lost])],
    recordings: kept
      .map((one) => one.kept)
      .filter((one) => !isCaptured(one.file) || !isLacking(findingsOf(task, base, one))),
  }
  return { broken, good, cassette, run, unasked, expected, findings, doubt: doubtOf(broken, run) }
}

/** Whether something that must hold does not. */
export const isLacking = (findings: readonly Finding[]): boolean =>
  findings.some(({ isMet }) => isMet === false)

/** Whether a run has items: tasks that only write files have none. */
const hasItems = ({ columns }: CatalogueTask, good: readonly KeptRecording[]): boolean =>
  good.length === 0 ? columns.length > 0 : good.some(({ kept: { items } }) => items.length > 0)

/**
 * What is usual: as the service or the documentation says, else as the recordings are filled, and no more than the similar
 * recording has: a task may have several routes to its data, and some inputs have fewer fields.
 */
function usualOf(
  task: CatalogueTask,
  { baseline, drift }: BrokenRun,
  recordings: readonly KeptRecording[],
  good: KeptRecording | undefined,
): Expectations['usual'] {
  const documented = baselineOf(undefined, task)
  const recorded = sharesOf(
    task,
    recordings.flatMap(({ kept }) => countedIn(task, kept)),
  )
  const [shares, from] =
    baseline !== null
      ? [baseline, 'the runs of this service, or the documentation while they are too few']
      : documented !== null
        ? [documented, 'the documentation of the source']
        : [recorded, 'the recordings in fixtures']
  const similar = good && sharesOf(task, countedIn(task, good.kept))
  const most = (field: string) =>
    similar === undefined || drift.some((one) => one.field === field) ? 1 : (similar[field] ?? 0)
  const entries = Object.entries(shares).map(([field, share]) => [field, Math.min(share, most(field))])
  return { shares: Object.fromEntries(entries), similar: similar ?? {}, from }
}

function doubtOf({ code }: BrokenRun, run: Replayed): string | null {
  if (run.code === 'no-answer')
    return `The capture has not all answers of the run: ${run.detail}. Add them to ${FILES.capture} by hand, or record a whole run with "gleaner record" and pass it with --from.`
  if (code === undefined || code === run.code) return null
  return `The run ended as ${code ?? 'succeeded'}, but on its answers the parser of today ends as ${run.code ?? 'succeeded'}${run.detail && `: ${run.detail}`}.`
}

/** Why a run says nothing about its capture. */
export const unaskedText = ({ broken: { origin }, unasked }: Examined): string =>
  `on the answers of ${origin} the parser as it is now does not request ${unasked}, the last of them`
