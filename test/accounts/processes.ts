/**
 * Several "processes" on one log. Each has its own connection, accounts, admission and commands, and is delayed at chosen
 * places, so that their steps interleave in any order.
 *
 * @module
 */
import { afterAll } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { alteredLog } from '../../rigs/support/altered-log.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { Accounts } from '../../src/accounts/accounts.ts'
import type { LedgerEntry } from '../../src/accounts/followed-account.ts'
import type { Artifacts } from '../../src/artifacts/artifacts.ts'
import { openSqliteArtifacts } from '../../src/artifacts/sqlite.ts'
import { type AccountCommand, accountDecider } from '../../src/domain/account.ts'
import type { DomainEvent } from '../../src/domain/events.ts'
import {
  type AccountId,
  accountStream,
  type KeyId,
  newAccountId,
  newRunId,
  type RunId,
  runStream,
  type StreamName,
} from '../../src/domain/ids.ts'
import type { EventLog, Recorded } from '../../src/log/event-log.ts'
import { openSqliteLog } from '../../src/log/sqlite/log.ts'
import { Admit, type RunRequest } from '../../src/runs/admit.ts'
import { RunCommands } from '../../src/runs/commands.ts'
import { LocalLiveItems } from '../../src/runs/items/live-items.ts'
import { Runs } from '../../src/runs/runs.ts'
import { Titles } from '../../src/runs/titles.ts'
import { type Projected, readModelsOf } from './projected.ts'

export const keyId = 'key_00000000000000000000000000' as KeyId

/** Delays of a process: turns of the event loop that it lets pass before its nth access to the log. */
export type Delays = readonly number[]
/** How many events the read models lag, one number per query; null: they are being rebuilt. */
export type Lags = readonly (number | null)[]

export type Process = {
  readonly log: EventLog
  readonly artifacts: Artifacts
  readonly accounts: Accounts
  readonly admit: Admit
  readonly commands: RunCommands
  readonly runs: Runs
  close(): Promise<void>
}

const turn = () => new Promise<void>((go) => setImmediate(go))

export type ProcessOptions = {
  readonly delays?: Delays
  readonly lags?: Lags
  /** Called with the stream and awaited before each append, after its dependencies are written: freezes a process. */
  readonly hold?: (stream: StreamName) => Promise<void> | undefined
  readonly now?: () => number
  readonly queueLimitS?: number
}

/** @param folder of the log, shared by all processes of the folder */
export function startProcess(folder: string, options: ProcessOptions = {}): Process {
  const { delays = [], lags = [null], hold, now = Date.now } = options
  const sqlite = openSqliteLog(join(folder, 'log.db'))
  const artifacts = openSqliteArtifacts({ log: sqlite, folder: join(folder, 'artifacts'), now })
  let accesses = 0
  const pass = async () => {
    for (let turns = delays[accesses++ % delays.length] ?? 0; turns > 0; turns--) await turn()
  }
  const log = alteredLog(sqlite, {
    append(stream, expected, events, appendOptions = {}) {
      if (!hold) return sqlite.append(stream, expected, events, appendOptions)
      const written = Promise.all(appendOptions.after ?? []).then(() => hold(stream))
      return sqlite.append(stream, expected, events, { after: [written] })
    },
    async readStream(stream, from) {
      await pass()
      const events = await sqlite.readStream(stream, from)
      await pass()
      return events
    },
  })
  const accounts = new Accounts(log, readModelsOf(sqlite, lagging(sqlite, lags, pass)))
  const titles = new Titles(artifacts, 30, now)
  const runs = new Runs(log, artifacts, titles, new LocalLiveItems(), 30, now)
  const settings = { queueLimitS: options.queueLimitS ?? 900, resultRetentionDays: 30 }
  return {
    log,
    artifacts,
    accounts,
    runs,
    admit: new Admit({ log, accounts, artifacts, runs, titles, now }, settings),
    commands: new RunCommands(log, accounts),
    async close() {
      await artifacts.close()
      await sqlite.close()
    },
  }
}

/** Read models that lag by some events or are being rebuilt. */
function lagging(log: EventLog, lags: Lags, pass: () => Promise<void>): Projected {
  let questions = 0
  let newest = -1
  const lag = () => lags[questions++ % lags.length] ?? null
  return {
    async account(id) {
      const behind = lag()
      await pass()
      const events = await log.readStream(accountStream(id))
      const shown = behind === null ? [] : events.slice(0, Math.max(0, events.length - behind))
      const last = shown.at(-1)
      if (!last) return undefined
      let state = accountDecider.initial
      for (const { event, meta } of shown) if (event) state = accountDecider.evolve(state, event, meta)
      newest = Math.max(newest, last.revision)
      return { state, revision: last.revision, position: last.position }
    },
    async entries(id, run) {
      const behind = lag()
      await pass()
      if (behind === null) return undefined
      const entries = entriesOf(await log.readStream(accountStream(id)), run)
      // The ledger contains at least the entries of each state that was read, and may contain later ones.
      return entries.slice(0, entries.filter(({ revision }) => revision <= newest).length + behind)
    },
  }
}

const isEntry = (event: DomainEvent | undefined): event is LedgerEntry['event'] =>
  event?.type === 'CreditsCharged' || event?.type === 'CreditsRefunded'

function entriesOf(events: readonly Recorded[], run: RunId): LedgerEntry[] {
  return events.flatMap(({ event, revision, meta }) =>
    isEntry(event) && event.data.run_id === run ? [{ revision, event, actor: meta.actor }] : [],
  )
}

/** A valid call of a task. */
export const aRequest = (accountId: AccountId, more: Partial<RunRequest> = {}): RunRequest => ({
  accountId,
  keyId,
  actor: `key:${keyId}`,
  taskKey: 'forum.search',
  price: 10,
  input: '{"query":"x"}',
  title: 'x',
  runLimitS: 300,
  failedOnly: false,
  idempotencyKey: undefined,
  requestId: `req_${randomBytes(4).toString('hex')}`,
  ...more,
})

export const cause = (accountId: AccountId, now = Date.now()) =>
  ({ accountId, correlationId: 'test', causationId: 'test', now }) as const

/** The runs that an account has ever been charged for. */
export async function chargedRuns(process: Process, account: AccountId): Promise<RunId[]> {
  const events = await process.log.readStream(accountStream(account))
  return [
    ...new Set(events.flatMap(({ event }) => (event?.type === 'CreditsCharged' ? [event.data.run_id] : []))),
  ]
}

/** Reconciles at a given time: closes charges that were never requested, ends late runs, and refunds. */
export async function settle(process: Process, account: AccountId, now: number): Promise<void> {
  for (const run of await chargedRuns(process, account)) await settleRun(process, account, run, now)
}

export async function settleRun(
  process: Process,
  account: AccountId,
  run: RunId,
  now: number,
): Promise<void> {
  const request = { causationId: 'settle', now }
  const { state } = await process.runs.load(run)
  if (state.status === 'none') {
    await process.commands.handle(run, { type: 'close', runId: run, accountId: account }, request)
  } else if (state.status !== 'closed') {
    await process.commands.handle(run, { type: 'tick', now, leaseS: 30 }, request)
  }
  const after = (await process.runs.load(run)).state
  if (after.status === 'closed') {
    const refund = {
      type: 'refund',
      accountId: account,
      runId: run,
      keep: 0,
      reason: 'not-admitted',
    } as const
    await process.accounts.handle(refund, cause(account, now))
  } else if (after.status !== 'none') await process.commands.refund(after, after, request)
}

/** The events of a run. */
export const runEvents = (process: Process, run: RunId): Promise<readonly Recorded[]> =>
  process.log.readStream(runStream(run))

/**
 * Creates worlds: `n` processes on one new log, with an account that has `credits`. Call it at the top of a test file;
 * the processes end with the file.
 */
export function worlds() {
  const base = temporaryFolder()
  const processes: Process[] = []
  afterAll(async () => {
    for (const process of processes) await process.close()
  })
  return async (n: number, credits = 100, lags: Lags = [null]) => {
    const folder = join(base, randomBytes(6).toString('hex'))
    mkdirSync(folder)
    const start = () => {
      const process = startProcess(folder, { lags })
      processes.push(process)
      return process
    }
    const started = Array.from({ length: n }, start)
    const id = newAccountId(Date.now(), randomBytes(10))
    await started[0]!.accounts.handle({ type: 'open', accountId: id, name: 'a', credits }, cause(id))
    return {
      id,
      folder,
      processes: started as [Process, ...Process[]],
      instances: started.map((p) => p.accounts),
      /** Starts one more process. */
      start,
    }
  }
}

/** A new run id. */
export const aRun = (): RunId => newRunId(Date.now(), randomBytes(10))
export const charge = (
  accountId: AccountId,
  amount: number,
  runId = aRun(),
  block?: number,
): AccountCommand => ({
  type: 'charge',
  accountId,
  runId,
  taskKey: 'forum.search',
  amount,
  block,
})
export const refund = (accountId: AccountId, runId: RunId, keep = 0): AccountCommand => ({
  type: 'refund',
  accountId,
  runId,
  keep,
  reason: 'failed',
})
export const grant = (accountId: AccountId, amount: number): AccountCommand => ({
  type: 'grant',
  accountId,
  amount,
})
