/**
 * One run of `gleaner try --watch`, in a process of its own, so that the plugin is loaded as it was saved. Its argument
 * is the file of a {@link WatchJob}.
 *
 * @module
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { count } from '../../src/cli/columns.ts'
import { FAILED, OK, USAGE, UsageError } from '../../src/cli/failure.ts'
import { type Io, processIo } from '../../src/cli/io.ts'
import { endBrowser } from '../../src/plugin/testing/page.ts'
import { type Cassette, readCassette, runTask } from '../../src/plugin/testing.ts'
import { recordingOf } from '../../src/recording/cassette.ts'
import { worthKeeping } from '../../src/recording/exchange.ts'
import { formatJson } from '../../src/recording/format.ts'
import {
  findTask,
  type Outcome,
  performDryRun,
  readTaskCall,
  summaryOf,
  type TaskCall,
} from '../dry-run/command-line.ts'
import { printable } from '../dry-run/table.ts'
import { showItems } from '../dry-run/try.ts'
import { compareItems, linesOf } from '../recording/items.ts'
import { type Replayed, replayed, timeOf } from '../repair/replay.ts'
import { ANSWERS, LACKS_ANSWER, LATEST, type WatchJob } from './job.ts'

type Latest = Pick<Replayed, 'items' | 'code'>

/** @returns the exit code */
async function run(io: Io, job: WatchJob): Promise<number> {
  const cassette = job.answers === null ? undefined : readCassette(pathToFileURL(job.answers))
  if (!cassette) {
    const call = await readTaskCall(io, { ...job, options: {} })
    const live = await askSite(io, job, call)
    if (live) report(io, job, call, live)
    return live?.code === null ? OK : FAILED
  }
  const { task } = await findTask(io, job.key)
  const at = timeOf(cassette, io.now())
  const replay = await replayed(task, cassette, at)
  if (replay.code === 'no-answer') {
    io.err(`${printable(replay.detail)}\n`)
    return LACKS_ANSWER
  }
  const isFirst = report(io, job, { task }, replay)
  if (replay.code !== null) io.err(`failed: ${replay.code}: ${printable(replay.detail)}\n`)
  else if (isFirst) io.err(`succeeded: ${count(replay.items.length, 'item')}\n`)
  if (replay.code === 'defect') io.err(`${await stackOf(task, cassette, at)}\n`)
  return replay.code === null ? OK : FAILED
}

/** Asks the site, keeps its answers, and replays them. Undefined when it gave none, or the run was stopped. */
async function askSite(io: Io, { folder }: WatchJob, call: TaskCall): Promise<Replayed | undefined> {
  const at = io.now()
  const outcome = await performDryRun(io, call, undefined, worthKeeping)
  io.err(summaryOf(outcome, call))
  const { cassette } = recordingOf({ ...call, exchanged: outcome.exchanged, at })
  if (cassette.exchanges.length === 0) return undefined
  writeFileSync(join(folder, ANSWERS), formatJson(cassette))
  // A save came in between. The answers so far are kept, so that the site is not asked for them again.
  if (outcome.end.status === 'stopped') return undefined
  const replay = await replayed(call.task, cassette, at)
  return replay.code === 'no-answer' ? { ...replay, ...endOf(outcome) } : replay
}

/** The run itself, where its requests differ each time, so that it cannot be replayed. */
const endOf = ({ items, end }: Outcome): Pick<Replayed, 'items' | 'code'> => ({
  items: items.map((item) => JSON.parse(item)),
  code: end.status === 'failed' || end.status === 'errored' ? end.code : null,
})

/**
 * Prints the items of the first run, later on what changed.
 *
 * @returns whether it is the first
 */
function report(io: Io, job: WatchJob, { task }: Pick<TaskCall, 'task'>, { items, code }: Replayed): boolean {
  const file = join(job.folder, LATEST)
  const latest = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Latest) : undefined
  writeFileSync(file, JSON.stringify({ items, code }))
  if (job.json || !latest)
    showItems(io, { json: job.json, task, items: items.map((item) => JSON.stringify(item)) })
  if (latest) io.err(linesSince(latest, { items, code }, task).join(''))
  return !latest
}

function linesSince(latest: Latest, { items, code }: Latest, task: CatalogueTask): string[] {
  const change = compareItems(task, latest.items, items)
  const [number, ...others] = linesOf(change)
  const nameOf = (end: Latest['code']) => end ?? 'succeeded'
  const end = code === latest.code ? [] : [`ends as ${nameOf(code)}, before as ${nameOf(latest.code)}`]
  const isSame = change.was === change.now && end.length + others.length === 0
  return [`${number}${isSame ? ': nothing changed' : ''}`, ...end, ...others].map((line) => `${line}\n`)
}

/** Where a defect is. */
async function stackOf(
  { declaration, source }: CatalogueTask,
  { input, exchanges, signedIn }: Cassette,
  at: number,
): Promise<string> {
  try {
    const login = signedIn === undefined ? {} : { signedIn }
    await runTask(declaration, input, { source, exchanges, now: () => at, ...login })
    return ''
  } catch (error) {
    return (error as Error).stack ?? String(error)
  }
}

const job = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as WatchJob
const io = { ...processIo(), width: job.width }
try {
  process.exitCode = await run(io, job)
} catch (error) {
  io.err(`${error instanceof UsageError ? error.message : (error as Error).stack}\n`)
  process.exitCode = USAGE
} finally {
  await endBrowser()
}
// What a plugin left open must not keep the next save waiting.
process.stdout.write('', () => process.stderr.write('', () => process.exit()))
