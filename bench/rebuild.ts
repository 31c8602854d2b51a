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

type Figures = {
  readonly events: number
  readonly rebuildPerS: number
  readonly appendUs: number
  readonly pollUs: number
  readonly megabytes: number
}

async function measure(folder: string, log: SqliteLog, writer: Writer): Promise<Figures> {
  const file = join(folder, 'read-models.db')
  const models = openSqliteReadModels(file)
  const started = performance.now()
  const events = await rebuild(log, models, projections)
  const rebuildPerS = events / ((performance.now() - started) / 1000)
  const rows = await models.getMany(runs, writer.runIds.slice(-100))
  if (rows.some((row) => row?.run_status !== 'succeeded')) throw new Error('the rebuilt rows are wrong')
  await models.close()
  const { size } = await stat(file)
  await rm(file)
  const pollUs = await medianOf(9, () => poll(log, writer.runIds))
  const appendUs = await medianOf(9, () => appends(writer))
  return { events, rebuildPerS, appendUs, pollUs, megabytes: size / 1e6 }
}

/** Microseconds an event, in groups that share a commit. */
async function appends(writer: Writer): Promise<number> {
  const started = performance.now()
  await writer.runsOf(GROUP)
  return ((performance.now() - started) * 1000) / (GROUP * EVENTS_A_RUN)
}

/** Microseconds to read a run's stream, of runs from all over the log. */
async function poll(log: SqliteLog, ids: readonly RunId[]): Promise<number> {
  const count = 2000
  const started = performance.now()
  for (let i = 0; i < count; i++) {
    const read = await log.readStream(runStream(ids[Math.floor(Math.random() * ids.length)]!))
    if (read.length !== 4) throw new Error('a run is not whole')
  }
  return ((performance.now() - started) * 1000) / count
}

async function medianOf(rounds: number, measured: () => Promise<number>): Promise<number> {
  const figures: number[] = []
  for (let i = 0; i < rounds; i++) figures.push(await measured())
  return figures.sort((a, b) => a - b)[rounds >> 1]!
}

function print(all: readonly Figures[]): void {
  const first = all[0]!
  console.log(
    '| events | rebuild, events/s | times | append, us/event | times | poll, us | times | models, MB |',
  )
  console.log('|---|---|---|---|---|---|---|---|')
  for (const f of all) {
    const columns = [
      f.events.toLocaleString('en'),
      Math.round(f.rebuildPerS).toLocaleString('en'),
      (first.rebuildPerS / f.rebuildPerS).toFixed(2),
      f.appendUs.toFixed(1),
      (f.appendUs / first.appendUs).toFixed(2),
      f.pollUs.toFixed(1),
      (f.pollUs / first.pollUs).toFixed(2),
      f.megabytes.toFixed(0),
    ]
    console.log(`| ${columns.join(' | ')} |`)
  }
}

const { values } = parseArgs({ options: { events: { type: 'string', default: '1000000' } } })
const wanted = Number(values.events)
if (!Number.isInteger(wanted) || wanted < SMALL) throw new Error(`--events is a whole number from ${SMALL}`)

/** Measures at each of these sizes, in events, as one log grows. */
async function grow(sizes: readonly number[]): Promise<Figures[]> {
  const folder = await mkdtemp(join(tmpdir(), 'gleaner-rebuild-'))
  const log = openSqliteLog(join(folder, 'log.db'))
  try {
    const writer = new Writer(log)
    await writer.open()
    const figures: Figures[] = []
    for (const size of sizes) {
      await writer.runsOf(Math.max(0, Math.ceil((size - ((await log.head()) ?? 0)) / EVENTS_A_RUN)))
      figures.push(await measure(folder, log, writer))
    }
    return figures
  } finally {
    await log.close()
    await rm(folder, { recursive: true, force: true })
  }
}

await grow([SMALL]) // warms up
print(await grow([SMALL, Math.round(Math.sqrt(SMALL * wanted)), wanted]))
