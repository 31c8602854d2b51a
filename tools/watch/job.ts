/**
 * What a run of `gleaner try --watch` is to do, as a file for its process.
 *
 * @module
 */

export type WatchJob = {
  /** of the task */
  readonly key: string
  /** JSON; undefined for the task's example */
  readonly input: string | undefined
  /** the file whose answers are replayed; null to ask the site */
  readonly answers: string | null
  /** where the answers and the items are kept for the next run */
  readonly folder: string
  /** writes the items as NDJSON */
  readonly json: boolean
  /** of the terminal, in characters */
  readonly width: number | undefined
}

/** In the folder of a job: the latest answers of the site, and what the latest run gave. */
export const ANSWERS = 'answers.json'
export const LATEST = 'latest.json'

/** The exit code of a run whose answers do not suffice: it made a request that they do not answer. */
export const LACKS_ANSWER = 3
