/**
 * The captures that the operator sees.
 *
 * @module
 */
import pLimit from 'p-limit'
import { type CaptureRow, captures } from '../../../projections/captures.ts'
import type { Artifacts } from '../../artifacts/artifacts.ts'
import { type AccountId, parseRunId, type RunId } from '../../domain/ids.ts'
import type { Cassette } from '../../plugin/testing/cassette.ts'
import type { ReadModels } from '../../read/read-models.ts'
import { unpack } from './pack.ts'

/** The last answers that a run got from its source, without secrets. */
export type Capture = {
  /** `cap_` and the body of the run's id */
  readonly id: string
  readonly task_key: string
  readonly source: string
  readonly run_id: RunId
  readonly account_id: AccountId
  /** the run's error; null if it succeeded while its task drifted */
  readonly code: string | null
  /** compressed */
  readonly bytes: number
  /** the number of answers in it */
  readonly exchanges: number
  /** RFC 3339 */
  readonly at: string
}

export type CaptureReads = {
  readonly readModels: Pick<ReadModels, 'list'>
  readonly artifacts: Pick<Artifacts, 'get' | 'open'>
}

/** More than the captures of a hundred tasks. */
const MOST = 1000
/** The number of artifacts that are looked up at once. */
const AT_ONCE = 16

const captureId = (run: RunId): string => `cap_${run.slice('run_'.length)}`

/**
 * The captures that are still stored, newest first.
 *
 * @param source only those of this source
 * @throws {StoreUnavailable}
 */
export async function capturesOf(reads: CaptureReads, source?: string): Promise<readonly Capture[]> {
  const page = { order: 'descending', limit: MOST } as const
  const rows =
    source === undefined
      ? await reads.readModels.list(captures, 'all', { ...page, equals: [1] })
      : await reads.readModels.list(captures, 'by_source', { ...page, equals: [source] })
  const stored = await pLimit(AT_ONCE).map(rows, ({ ref }) => isStored(reads, ref))
  return rows.filter((_, i) => stored[i]).map(captureOf)
}

/**
 * A capture with its answers.
 *
 * @param id of the capture
 * @returns undefined when it does not exist, has expired or was deleted
 * @throws {StoreUnavailable}
 */
export async function readCapture(
  reads: CaptureReads,
  id: string,
): Promise<{ readonly capture: Capture; readonly cassette: Cassette } | undefined> {
  const row = await rowOf(reads, id)
  const body = row && (await reads.artifacts.get(row.ref))
  return row && body && { capture: captureOf(row), cassette: await unpack(body) }
}

/**
 * Deletes the answers of a capture.
 *
 * @returns false when it does not exist, has expired or was deleted before
 * @throws {StoreUnavailable}
 */
export async function removeCapture(
  reads: CaptureReads & { readonly artifacts: Pick<Artifacts, 'remove'> },
  id: string,
): Promise<boolean> {
  const row = await rowOf(reads, id)
  if (!row || !(await isStored(reads, row.ref))) return false
  await reads.artifacts.remove(row.ref)
  return true
}

async function rowOf({ readModels }: CaptureReads, id: string): Promise<CaptureRow | undefined> {
  const run = id.startsWith('cap_') ? parseRunId(`run_${id.slice('cap_'.length)}`) : undefined
  if (!run) return undefined
  const query = { equals: [run], order: 'descending', limit: 1 } as const
  return (await readModels.list(captures, 'by_run', query))[0]
}

async function isStored({ artifacts }: CaptureReads, ref: string): Promise<boolean> {
  const opened = await artifacts.open(ref, { start: 0, end: 0 })
  await opened?.body.cancel()
  return opened !== undefined
}

function captureOf(row: CaptureRow): Capture {
  const { run_id, task_key, source, account_id, code, bytes, exchanges, at } = row
  return { id: captureId(run_id), task_key, source, run_id, account_id, code, bytes, exchanges, at }
}
