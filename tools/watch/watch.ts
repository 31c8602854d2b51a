/**
 * `gleaner try --watch`: runs a task again on each save of its plugin, and shows what changed.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { delay } from '../../src/async/delay.ts'
import { UsageError } from '../../src/cli/failure.ts'
import type { Io } from '../../src/cli/io.ts'
import { readOrRefuse } from '../dry-run/cassette.ts'
import { findTask, readTaskCall, type TaskOptions } from '../dry-run/command-line.ts'
import { nextSave, snapshotOf } from './files.ts'
import { ANSWERS, LACKS_ANSWER, type WatchJob } from './job.ts'

/** The options of `try` that belong to `--watch`. */
export type WatchOptions = { readonly watch?: true; readonly replay?: string; readonly keep?: true }

export type WatchArguments = {
  readonly key: string
  readonly input: string | undefined
  readonly options: TaskOptions & WatchOptions
}

/** A site is asked at most this often, in milliseconds. */
const ASK_MS = 60_000
/** A run that ignores SIGTERM, such as an endless loop, is killed after this time, in milliseconds. */
const GRACE_MS = 2000

const RUN = fileURLToPath(new URL('./run.ts', import.meta.url))
const RUNTIME = 'deno' in process.versions ? ['run', '--quiet', '--no-check', '-A'] : []

/**
 * Watches the plugin of a task until Ctrl-C. The first run asks the site, and later ones replay its answers; after
 * `askMs` a save asks the site again, unless the answers are to be kept or are those of a cassette.
 *
 * @throws {UsageError} for wrong arguments
 */
export async function runWatch(io: Io, args: WatchArguments, { askMs = ASK_MS } = {}): Promise<void> {
  const { replay, keep = false } = args.options
  const { task } = await checkArguments(io, args)
  const plugin = dirname(fileURLToPath(task.module))
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-watch-'))
  const answers = replay === undefined ? join(folder, ANSWERS) : resolve(replay)
  io.err(`Watching ${plugin}. Ctrl-C ends.\n`)
  let askedAt = Number.NEGATIVE_INFINITY
  let isLacking = false
  try {
    while (!io.signal.aborted) {
      const leftMs = Math.max(0, askedAt + askMs - io.now())
      const mayKeep = replay !== undefined || ((keep || leftMs > 0) && existsSync(answers))
      const asks = !mayKeep || (isLacking && leftMs === 0)
      if (asks) askedAt = io.now()
      else io.err(`Replaying ${replay ?? `the answers of ${timeIn(askedAt)}`}.\n`)
      const turn = new AbortController()
      const signal = AbortSignal.any([io.signal, turn.signal])
      const save = nextSave(plugin, snapshotOf(plugin), signal).catch(() => [])
      const child = start(io, { ...jobOf(io, args), answers: asks ? null : answers, folder })
      const code = await Promise.race([child.ended, save.then(() => undefined)])
      await child.stop()
      isLacking = code === LACKS_ANSWER && replay === undefined
      const saved = await Promise.race([save, ...(isLacking ? [waitToAsk(io, askedAt + askMs, signal)] : [])])
      turn.abort()
      io.err(saved.length > 0 ? `\n${saved.join(', ')} saved. ` : '\n')
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Waits until the site may be asked again. @returns no files, since none was saved */
async function waitToAsk(io: Io, until: number, signal: AbortSignal): Promise<string[]> {
  io.err(`The site is asked again at ${timeIn(until)}.\n`)
  await delay(Math.max(0, until - io.now()), signal)
  return []
}

async function checkArguments(io: Io, { key, input, options }: WatchArguments) {
  const { replay, keep, files } = options
  if (files !== undefined) throw new UsageError('--files does not go with --watch')
  // Its remarks are those of the first run.
  if (replay === undefined) return await readTaskCall({ ...io, err: () => {} }, { key, input, options: {} })
  if (keep || input !== undefined)
    throw new UsageError(
      `--replay does not go with ${keep ? '--keep' : 'an input: it takes that of the cassette'}`,
    )
  const call = await findTask(io, key)
  const cassette = readOrRefuse(replay)
  if (cassette.task !== key)
    throw new UsageError(`${replay} is a cassette of ${cassette.task}, not of ${key}`)
  return call
}

const jobOf = (io: Io, { key, input, options }: WatchArguments) => ({
  key,
  input,
  json: options.json ?? false,
  width: io.width,
})

type Running = { readonly ended: Promise<number | null>; stop(): Promise<void> }

function start(io: Io, job: WatchJob): Running {
  const file = join(job.folder, 'job.json')
  writeFileSync(file, JSON.stringify(job))
  const child = spawn(process.execPath, [...RUNTIME, RUN, file], {
    env: io.env as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => io.out(text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => io.err(text))
  const ended = new Promise<number | null>((go) => {
    child.once('error', (error) => {
      io.err(`the run cannot be started: ${error.message}\n`)
      go(null)
    })
    child.once('close', go)
  })
  return { ended, stop: () => stopChild(child, ended) }
}

async function stopChild(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM')
  const killing = new AbortController()
  void delay(GRACE_MS, killing.signal).then(() => killing.signal.aborted || child.kill('SIGKILL'))
  await ended
  killing.abort()
}

const timeIn = (ms: number): string => new Date(ms).toTimeString().slice(0, 8)
