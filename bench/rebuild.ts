/**
 * How fast all read models are made anew, and what an operation costs when the log grows from 10,000 to a million
 * events. Everything is made in a temporary folder.
 *
 *   bun bench/rebuild.ts [--events 1000000]
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { projections } from '../projections/all.ts'
import { runs } from '../projections/runs.ts'
import type { DomainEvent } from '../src/domain/events.ts'
import {
  type AccountId,
  accountStream,
  type KeyId,
  newAccountId,
  newRunId,
  type RunId,
  runStream,
} from '../src/domain/ids.ts'
import { append, type Cause, envelop } from '../src/log/execute.ts'
import { openSqliteLog, type SqliteLog } from '../src/log/sqlite.ts'
import { rebuild } from '../src/read/rebuild.ts'
import { openSqliteReadModels } from '../src/read/sqlite.ts'

const SMALL = 10_000
const ACCOUNTS = 20
const EVENTS_A_RUN = 5
const KEY = 'key_00000000000000000000000000' as KeyId
/** Runs that are written at once. */
const GROUP = 100
/** In which polls and appends are measured. */
const ROUNDS = 15

/** Writes runs of five events (charge, request, start, result, end), as the service would, and keeps their ids. */
class Writer {
  readonly runIds: RunId[] = []
  private readonly accounts: { id: AccountId; revision: number; balance: number }[] = []
  private clock = Date.parse('2026-01-01T00:00:00Z')

  constructor(private readonly log: SqliteLog) {}

  async open(): Promise<void> {
    for (let i = 0; i < ACCOUNTS; i++) {
      const id = newAccountId(this.clock, randomBytes(10))
      const events: DomainEvent[] = [
        { type: 'AccountOpened', data: { account_id: id, name: `team ${i}` } },
        { type: 'CreditsGranted', data: { account_id: id, amount: 1e9, balance_after: 1e9 } },
      ]
      await append(this.log, accountStream(id), -1, envelop(events, this.cause(id)))
      this.accounts.push({ id, revision: 1, balance: 1e9 })
    }
  }

  async runsOf(count: number): Promise<void> {
    for (let done = 0; done < count; done += GROUP) {
      const group = Array.from({ length: Math.min(GROUP, count - done) }, (_, i) => this.run(done + i))
      await Promise.all(group.flat())
    }
  }

  private run(i: number): Promise<unknown>[] {
    this.clock += 5
    const account = this.accounts[(i * 7919) % ACCOUNTS]!
    const run_id = newRunId(this.clock, randomBytes(10))
    const { id: account_id } = account
    this.runIds.push(run_id)
    account.balance--
    const charged: DomainEvent = {
      type: 'CreditsCharged',
      data: { account_id, amount: 1, balance_after: account.balance, run_id, reason: 'encyclopedia.search' },
    }
    const cause = this.cause(account_id)
    const charge = append(this.log, accountStream(account_id), account.revision++, envelop([charged], cause))
    const request = append(
      this.log,
      runStream(run_id),
      -1,
      envelop([this.requested(run_id, account_id)], cause),
    )
    const start = append(this.log, runStream(run_id), 0, envelop([this.started(run_id)], cause))
    const end = append(this.log, runStream(run_id), 1, envelop(this.ended(run_id), cause))
    return [charge, request, start, end]
  }

  private requested(run_id: RunId, account_id: AccountId): DomainEvent {
    return {
      type: 'RunRequested',
      data: {
        run_id,
        account_id,
        key_id: KEY,
        task_key: 'encyclopedia.search',
        price: 1,
        input_ref: `${run_id}/input`,
        fingerprint: randomBytes(32).toString('hex'),
        queue_until: this.after(900),
        run_limit_s: 300,
      },
    }
  }

  private started(run_id: RunId): DomainEvent {
    const data = { run_id, attempt: 1, lease_until: this.after(30), run_until: this.after(300) }
    return { type: 'RunStarted', data }
  }

  private ended(run_id: RunId): DomainEvent[] {
    const sha256 = randomBytes(32).toString('hex')
    const ref = `${run_id}/result`
    return [
      { type: 'ResultStored', data: { run_id, ref, bytes: 2048, sha256, item_count: 10, partial: false } },
      { type: 'RunSucceeded', data: { run_id, code: null, charged: 1, refunded: 0 } },
    ]
  }

  private after(seconds: number): string {
    return new Date(this.clock + seconds * 1000).toISOString()
  }

  private cause(accountId: AccountId): Cause {
    const request = `req_${randomBytes(12).toString('hex')}`
    return { accountId, correlationId: request, causationId: request, now: this.clock }
  }
}

/** A log of some size, and how fast it was replayed. */
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

/** Microseconds an event, in groups that share a commit. */
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

/**
 * Measures all sizes in turn, again and again: how busy the machine is at a moment then falls on all alike.
 *
 * @returns for each size the median figure, and the median of how many times the first size's it is
 */
async function interleaved(
  all: readonly Sized[],
  measured: (one: Sized) => Promise<number>,
): Promise<{ readonly us: number; readonly times: number }[]> {
  const rounds: number[][] = []
  for (let round = 0; round < ROUNDS; round++) {
    const figures: number[] = []
    for (const one of all) figures.push(await measured(one))
    rounds.push(figures)
  }
  return all.map((_, i) => ({
    us: median(rounds.map((figures) => figures[i]!)),
    times: median(rounds.map((figures) => figures[i]! / figures[0]!)),
  }))
}

const median = (figures: number[]): number => figures.sort((a, b) => a - b)[figures.length >> 1]!

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
  // Warms up.
  const { log } = await make(folder, SMALL / 2)
  await log.close()
  for (let size = SMALL; size < wanted; size *= 10) made.push(await make(folder, size))
  made.push(await make(folder, wanted))
  await print(made)
} finally {
  for (const { log } of made) await log.close()
  await rm(folder, { recursive: true, force: true })
}
