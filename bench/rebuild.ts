/**
 * The speed of rebuilding all read models, and the cost of an operation as the log grows from 10,000 to a million
 * events. Everything is written to a temporary folder.
 *
 *   bun bench/rebuild.ts [--events 1000000]
 *
 * @module
 */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { projections } from '../projections/all.ts'
import { runs } from '../projections/runs.ts'
import { runStream } from '../src/domain/ids.ts'
import { openSqliteLog, type SqliteLog } from '../src/log/sqlite/log.ts'
import { rebuild } from '../src/read/rebuild.ts'
import { openSqliteReadModels } from '../src/read/sqlite/read-models.ts'
import { interleaved } from './interleaved.ts'
import { EVENTS_A_RUN, GROUP, Writer } from './writer.ts'

const SMALL = 10_000

/** A log of a given size, and the speed of its replay. */
type Sized = {
  readonly log: SqliteLog
  readonly writer: Writer
  readonly events: number
  readonly rebuildPerS: number
  readonly megabytes: number
}

async function make(folder: string, events: number): Promise<Sized> {
  const log = openSqliteLog(join(folder, `${events}.db`))
  const writer = new Writer(log)
  await writer.open()
  await writer.runsOf(Math.ceil(events / EVENTS_A_RUN))
  const file = join(folder, 'read-models.db')
  const models = openSqliteReadModels(file)
  const started = performance.now()
  const replayed = await rebuild(log, models, projections)
  const rebuildPerS = replayed / ((performance.now() - started) / 1000)
  const rows = await models.getMany(runs, writer.runIds.slice(-100))
  if (rows.some((row) => row?.run_status !== 'succeeded')) throw new Error('the rebuilt rows are wrong')
  await models.close()
  const { size } = await stat(file)
  await rm(file)
  return { log, writer, events: replayed, rebuildPerS, megabytes: size / 1e6 }
}

/** Microseconds an event, appended in groups that share a commit. */
async function appends({ writer }: Sized): Promise<number> {
  const started = performance.now()
  await writer.runsOf(GROUP)
  return ((performance.now() - started) * 1000) / (GROUP * EVENTS_A_RUN)
}

/** Microseconds to read a run's stream, of runs from all over the log. */
async function poll({ log, writer: { runIds: ids } }: Sized): Promise<number> {
  const count = 2000
  const started = performance.now()
  for (let i = 0; i < count; i++) {
    const read = await log.readStream(runStream(ids[Math.floor(Math.random() * ids.length)]!))
    if (read.length !== 4) throw new Error('a run is not whole')
  }
  return ((performance.now() - started) * 1000) / count
}

async function print(all: readonly Sized[]): Promise<void> {
  const polls = await interleaved(all, poll)
  const written = await interleaved(all, appends)
  console.log(
    '| events | rebuild, events/s | times | append, us/event | times | poll, us | times | models, MB |',
  )
  console.log('|---|---|---|---|---|---|---|---|')
  for (const [i, one] of all.entries()) {
    const columns = [
      one.events.toLocaleString('en'),
      Math.round(one.rebuildPerS).toLocaleString('en'),
      (all[0]!.rebuildPerS / one.rebuildPerS).toFixed(2),
      written[i]!.us.toFixed(1),
      written[i]!.times.toFixed(2),
      polls[i]!.us.toFixed(1),
      polls[i]!.times.toFixed(2),
      one.megabytes.toFixed(0),
    ]
    console.log(`| ${columns.join(' | ')} |`)
  }
}

const { values } = parseArgs({ options: { events: { type: 'string', default: '1000000' } } })
const wanted = Number(values.events)
if (!Number.isInteger(wanted) || wanted < SMALL) throw new Error(`--events is a whole number from ${SMALL}`)

const folder = await mkdtemp(join(tmpdir(), 'gleaner-rebuild-'))
const made: Sized[] = []
try {
  // Warm-up.
  const { log } = await make(folder, SMALL / 2)
  await log.close()
  for (let size = SMALL; size < wanted; size *= 10) made.push(await make(folder, size))
  made.push(await make(folder, wanted))
  await print(made)
} finally {
  for (const { log } of made) await log.close()
  await rm(folder, { recursive: true, force: true })
}
