/**
 * One run of `gleaner try --watch`, in a process of its own, so that the plugin is loaded as it was saved. Its argument
 * is the file of a {@link WatchJob}.
 *
 * @module
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { count } from '../../src/cli/columns.ts'
import { FAILED, OK, USAGE, UsageError } from '../../src/cli/failure.ts'
import { type Io, processIo } from '../../src/cli/io.ts'
import { endBrowser } from '../../src/plugin/testing/page.ts'
import { type Cassette, readCassette, runTask } from '../../src/plugin/testing.ts'
import { recordingOf } from '../../src/recording/cassette.ts'
import { worthKeeping } from '../../src/recording/exchange.ts'
import { formatJson } from '../../src/recording/format.ts'
import {
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
  const { key, input, answers } = job
  const cassette = answers === null ? undefined : readCassette(pathToFileURL(answers))
  const sent = cassette ? JSON.stringify(cassette.input) : input
  const call = await readTaskCall(io, { key, input: sent, options: {} })
  const replay = cassette
    ? await replayed(call.task, cassette, timeOf(cassette, io.now()))
    : await askSite(io, job, call)
  if (replay === undefined) return FAILED
  if (replay.code === 'no-answer') {
    io.err(`${printable(replay.detail)}\n`)
    return LACKS_ANSWER
  }
  await report(io, job, call, replay)
  if (replay.code === 'defect' && cassette) io.err(`${await stackOf(call, cassette)}\n`)
  return replay.code === null ? OK : FAILED
}

/** Asks the site, keeps its answers, and replays them. Undefined when it gave none. */
async function askSite(io: Io, { folder }: WatchJob, call: TaskCall): Promise<Replayed | undefined> {
  const at = io.now()
  const outcome = await performDryRun(io, call, undefined, worthKeeping)
  io.err(summaryOf(outcome, call))
  const { cassette } = recordingOf({ ...call, exchanged: outcome.exchanged, at })
  if (cassette.exchanges.length === 0 || outcome.end.status === 'stopped') return undefined
  writeFileSync(join(folder, ANSWERS), formatJson(cassette))
  const replay = await replayed(call.task, cassette, at)
  return replay.code === 'no-answer' ? { ...replay, ...endOf(outcome) } : replay
}

/** The run itself, where its requests differ each time, so that it cannot be replayed. */
const endOf = ({ items, end }: Outcome): Pick<Replayed, 'items' | 'code'> => ({
  items: items.map((item) => JSON.parse(item)),
  code: end.status === 'failed' || end.status === 'errored' ? end.code : null,
})

/** Prints the items of the first run, later on what changed, and how a replayed run ended. */
async function report(io: Io, job: WatchJob, { task }: TaskCall, replay: Replayed): Promise<void> {
  const { items, code, detail } = replay
  const file = join(job.folder, LATEST)
  const latest = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Latest) : undefined
  writeFileSync(file, JSON.stringify({ items, code }))
  if (job.json || !latest)
    showItems(io, { json: job.json, task, items: items.map((item) => JSON.stringify(item)) })
  if (latest) {
    const change = compareItems(task, latest.items, items)
    const [number, ...changes] = linesOf(change)
    const end =
      code === latest.code ? [] : [`ends as ${code ?? 'succeeded'}, before as ${latest.code ?? 'succeeded'}`]
    const all = [...end, ...changes]
    const isSame = all.length === 0 && change.was === change.now
    io.err([`${number}${isSame ? ': nothing changed' : ''}`, ...all].map((line) => `${line}\n`).join(''))
  }
  if (job.answers === null) return
  io.err(
    code === null
      ? latest
        ? ''
        : `succeeded: ${count(items.length, 'item')}\n`
      : `failed: ${code}: ${printable(detail)}\n`,
  )
}

/** Where a defect is. */
async function stackOf({ task }: TaskCall, { input, exchanges }: Cassette): Promise<string> {
  try {
    await runTask(task.declaration, input, { source: task.source, exchanges })
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
