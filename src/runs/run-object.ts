/**
 * The run object, as every endpoint shows it.
 *
 * @module
 */
import type { Static } from '@sinclair/typebox'
import { FIXED_DETAILS, isRunErrorCode, RUN_ERRORS } from '../domain/codes.ts'
import { type AdmittedRun, expiresAt, isEnded, refundOf } from '../domain/run.ts'
import type { Json, ResultHead } from './result.ts'
import type { RunSchema } from './run-schema.ts'

/** How long the result is available, in milliseconds since 1970; null while the run is under way. */
export const keptUntil = (run: AdmittedRun, retentionDays: number): number | null =>
  isEnded(run) ? Date.parse(run.finishedAt) + retentionDays * 86_400_000 : null

/** `error` of a run object. */
export type RunError = { readonly code: string; readonly title: string; readonly detail: string }

/** A run's stored result. */
export type RunResult = { readonly head: ResultHead; readonly result: Json }

/**
 * The run object. `RunSchema` fixes its fields; their order is part of the API.
 *
 * @returns its text in three parts, because the result in the middle can be long
 */
export function renderRun(
  run: AdmittedRun,
  title: string | null,
  { head, result }: RunResult,
): readonly [string, Json, string] {
  const self = `/v1/runs/${run.runId}`
  const fields = {
    run_id: run.runId,
    run_status: run.status,
    task_key: run.taskKey,
    title,
    created_at: run.createdAt,
    started_at: run.startedAt,
    finished_at: isEnded(run) ? run.finishedAt : null,
    expires_at: expiresAt(run),
    attempt: run.attempt,
    progress: run.progress,
    credits: { charged: run.charged, refunded: refundOf(run) },
    usage: isEnded(run) ? run.usage : null,
    items: run.result?.item_count ?? null,
    artifacts: filesOf(run, head).map(({ name, content_type, bytes, sha256 }) => {
      const url = `${self}/artifacts/${encodeURIComponent(name)}`
      return { name, content_type, bytes, sha256, url }
    }),
    error: errorOf(run, head.detail),
    links: { self, events: `${self}/events`, cancel: `${self}/cancel` },
  } satisfies Omit<Static<typeof RunSchema>, 'result'>
  const { artifacts, error, links, ...before } = fields
  const front = JSON.stringify(before)
  const back = JSON.stringify({ artifacts, error, links })
  return [`${front.slice(0, -1)},"result":`, result, `,${back.slice(1)}`]
}

/** Whether a run object needs the head of the run's result: for the names of files, or for the source's own message. */
export const needsHead = (run: AdmittedRun): boolean =>
  run.files.length > 0 ||
  (isEnded(run) && run.code !== null && !(isRunErrorCode(run.code) && FIXED_DETAILS[run.code] !== undefined))

/** The files of a run, with their names. */
export const filesOf = (run: AdmittedRun, { files }: ResultHead) =>
  files.flatMap(({ name, ref }) => {
    const file = run.files.find((each) => each.ref === ref)
    return file ? { ...file, name } : []
  })

/**
 * Why a run ended without success; null for a run that succeeded, was cancelled, or is under way.
 *
 * @param detail the source's own message, if it gave one
 */
export function errorOf(run: AdmittedRun, detail: string | null): RunError | null {
  if (!isEnded(run) || run.code === null) return null
  const { code } = run
  const title = isRunErrorCode(code) ? RUN_ERRORS[code] : 'The run ended without success.'
  const fixed = isRunErrorCode(code) ? FIXED_DETAILS[code] : undefined
  return { code, title, detail: fixed ?? detail ?? title }
}
