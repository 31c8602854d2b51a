/**
 * The run that a repair is about: a capture of the service, a cassette, or a dry run made now.
 *
 * @module
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { CommandFailed, UsageError } from '../../src/cli/failure.ts'
import type { Io } from '../../src/cli/io.ts'
import { withStores } from '../../src/cli/stores.ts'
import { type Config, hasEmbeddedLog } from '../../src/config.ts'
import type { Drift } from '../../src/domain/health/drift.ts'
import { capturesOf, readCapture } from '../../src/health/captures/list.ts'
import { baselineOf, type Shares, standingsOf } from '../../src/health/standings.ts'
import type { Cassette } from '../../src/plugin/testing.ts'
import { recordingOf } from '../../src/recording/cassette.ts'
import { worthKeeping } from '../../src/recording/exchange.ts'
import { readOrRefuse } from '../dry-run/cassette.ts'
import { performDryRun, readTaskCall } from '../dry-run/command-line.ts'
import { timeOf } from './replay.ts'

export type BrokenRun = {
  readonly cassette: Cassette
  /** milliseconds since 1970 */
  readonly at: number
  /** how it ended; null when it succeeded, undefined when that is not known */
  readonly code: string | null | undefined
  /** id of the capture; null when it is no capture */
  readonly capture: string | null
  /** what it is, such as "run_… (capture cap_…)" */
  readonly origin: string
  /** the fields that drift in the service */
  readonly drift: readonly Drift[]
  /** the usual fill that the service has measured; null without a service */
  readonly baseline: Shares | null
}

/** Which run: by the options of the command. */
export type Choice = { readonly capture?: string; readonly from?: string }

/**
 * The runs to choose from, at least one: the named capture or cassette, else the captures of the task, newest first, else
 * a dry run with the task's example.
 *
 * @throws {UsageError} for a cassette of another task
 * @throws {CommandFailed} when the capture or cassette does not exist, or no request was answered
 */
export async function brokenRuns(
  io: Io,
  { task, config }: { readonly task: CatalogueTask; readonly config: Config },
  { capture, from }: Choice,
): Promise<readonly BrokenRun[]> {
  if (from !== undefined) return [ofCassette(io, task, resolve(from))]
  const hasService = !hasEmbeddedLog(config) || existsSync(join(config.dataDir, 'log.db'))
  const captured = hasService || capture !== undefined ? await ofCaptures(io, task, capture) : []
  if (captured.length > 0) return captured
  io.err(`There is no capture of ${task.key}: the task runs now, as with "gleaner try".\n`)
  return [await ofDryRun(io, task)]
}

const WITHOUT_SERVICE = { capture: null, drift: [], baseline: null } as const

function ofCassette(io: Io, task: CatalogueTask, file: string): BrokenRun {
  const cassette = readOrRefuse(file)
  if (cassette.task !== task.key)
    throw new UsageError(`${file} is a recording of ${cassette.task}, not of ${task.key}`)
  return {
    ...WITHOUT_SERVICE,
    cassette,
    at: timeOf(cassette, io.now()),
    code: undefined,
    origin: `the recording ${file}`,
  }
}

const ofCaptures = (io: Io, task: CatalogueTask, wanted: string | undefined): Promise<BrokenRun[]> =>
  withStores(io, async ({ stores }) => {
    const all = wanted === undefined ? await capturesOf(stores, task.source.name) : []
    const ids =
      wanted === undefined
        ? all.filter(({ task_key }) => task_key === task.key).map(({ id }) => id)
        : [wanted]
    const [standing] = await standingsOf({ readModels: stores.readModels, now: io.now }, [task])
    const baseline = baselineOf(standing?.row, task)
    const runs: BrokenRun[] = []
    for (const id of ids) {
      const stored = await readCapture(stores, id)
      if (!stored) continue
      const { capture, cassette } = stored
      if (capture.task_key !== task.key)
        throw new UsageError(`${id} is a capture of ${capture.task_key}, not of ${task.key}`)
      const origin = `${capture.run_id} (capture ${id})`
      const { code } = capture
      runs.push({
        cassette,
        at: Date.parse(capture.at),
        code,
        capture: id,
        origin,
        drift: standing?.drift ?? [],
        baseline,
      })
    }
    if (wanted !== undefined && runs.length === 0)
      throw new CommandFailed(
        `Unknown capture ${wanted}: "gleaner captures ${task.key}" lists those that are stored.`,
      )
    return runs
  })

async function ofDryRun(io: Io, task: CatalogueTask): Promise<BrokenRun> {
  const taskCall = await readTaskCall(io, { key: task.key, input: undefined, options: {} })
  const at = io.now()
  const { end, exchanged } = await performDryRun(io, taskCall, undefined, worthKeeping)
  if (end.status === 'stopped')
    throw new CommandFailed('the run was stopped before its end: nothing was written')
  const { cassette } = recordingOf({ task, input: taskCall.input, exchanged, at })
  if (cassette.exchanges.length === 0) throw new CommandFailed('no request was answered: nothing was written')
  const code = end.status === 'succeeded' ? null : end.status === 'expired' ? 'run-limit' : end.code
  return { ...WITHOUT_SERVICE, cassette, at, code, origin: 'a dry run' }
}
