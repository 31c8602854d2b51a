/**
 * Checks of what must hold after any number of crashes, through the API and in the server's files.
 *
 * @module
 */
import { expect } from 'bun:test'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { projectionsOf } from '../../../projections/all.ts'
import { readConfig } from '../../../src/config.ts'
import { isTerminalEvent } from '../../../src/domain/events.ts'
import type { Position, Recorded } from '../../../src/log/event-log.ts'
import { Projector } from '../../../src/read/projector.ts'
import { rebuild } from '../../../src/read/rebuild.ts'
import { openStores, type Stores } from '../../../src/stores.ts'
import { until } from '../../servers/processes.ts'
import { client } from '../../servers/server.ts'
import { caughtUp } from '../../support/read-models.ts'
import type { Tenant } from './load.ts'

type Entry = { amount: number; balance_after: number; kind: string; run_id: string | null }
type Run = { run_id: string; run_status: string; credits: { charged: number; refunded: number } }
type Key = { key_id: string; revoked_at: string | null }

/** Expects that every run named by an answer exists, and that the last keys work or are revoked as answered. */
export async function answeredHolds(address: string, tenants: readonly Tenant[], since: ReadonlySet<string>) {
  for (const { key, runs, keys } of tenants) {
    const call = client(address, key)
    for (const id of runs.keys()) {
      if (!since.has(id)) expect([id, (await call(`/v1/runs/${id}`)).status]).toEqual([id, 200])
    }
    for (const [id, { secret, revoked }] of [...keys].slice(-3)) {
      const { status } = await client(address, secret)('/v1/account')
      if (revoked !== 'maybe') expect([id, status]).toEqual([id, revoked === 'yes' ? 401 : 200])
    }
  }
}

/** Waits until all runs have ended, then compares each account's runs, ledger and keys with each other. */
export async function accountsAddUp(address: string, tenants: readonly Tenant[]): Promise<void> {
  const tenantOfRun = new Map<string, string>()
  for (const of of tenants) {
    const call = client(address, of.key)
    // In one list: a lost run goes back from running to queued, and two lists could both miss it.
    await until(async () => (await all<Run>(call, '/v1/runs', 'runs')).every(hasEnded))
    await until(async () => refundsAreDone(await all<Run>(call, '/v1/runs', 'runs'), await ledgerOf(call)))
    const runs = await all<Run>(call, '/v1/runs', 'runs')
    const entries = await ledgerOf(call)
    booksBalance(entries, (await call('/v1/account')).body.balance)
    runsArePaid(runs, entries)
    const ids = new Set(runs.map(({ run_id }) => run_id))
    expect([...of.runs.keys()].filter((id) => !ids.has(id))).toEqual([])
    for (const id of ids) {
      expect([id, tenantOfRun.get(id)]).toEqual([id, undefined])
      tenantOfRun.set(id, of.name)
    }
    const { body } = await call('/admin/list-keys')
    const listed = new Map((body.keys as Key[]).map((key) => [key.key_id, key]))
    for (const [id, { revoked }] of of.keys) {
      expect(listed.has(id)).toBe(true)
      if (revoked === 'yes') expect(listed.get(id)?.revoked_at).not.toBeNull()
    }
    for (const other of tenants) {
      if (other === of) continue
      for (const id of other.keys.keys()) expect(listed.has(id)).toBe(false)
      for (const id of [...other.runs.keys()].slice(-20)) {
        for (const path of [`/v1/runs/${id}`, `/v1/runs/${id}/items`]) {
          expect((await call(path)).status).toBe(404)
        }
      }
    }
  }
}

const hasEnded = ({ run_status }: Run): boolean => !['queued', 'running', 'cancelling'].includes(run_status)

/** Whether all refunds are booked. They follow the end of their runs within a second. */
function refundsAreDone(runs: readonly Run[], entries: readonly Entry[]): boolean {
  const owed = runs.reduce((sum, { credits }) => sum + credits.refunded, 0)
  const refunded = entries.reduce((sum, { kind, amount }) => sum + (kind === 'refunded' ? amount : 0), 0)
  return refunded >= owed
}

function booksBalance(entries: readonly Entry[], balance: number): void {
  let sum = 0
  for (const { amount, balance_after } of entries.toReversed()) {
    sum += amount
    expect(balance_after).toBe(sum)
    expect(sum).toBeGreaterThanOrEqual(0)
  }
  expect(sum).toBe(balance)
}

function runsArePaid(runs: readonly Run[], entries: readonly Entry[]): void {
  const booked = Map.groupBy(
    entries.filter(({ run_id }) => run_id !== null),
    ({ run_id }) => run_id,
  )
  for (const { run_id, run_status, credits } of runs) {
    const own = booked.get(run_id) ?? []
    const amounts = (kind: string) => own.filter((e) => e.kind === kind).map((e) => Math.abs(e.amount))
    const back = run_status === 'succeeded' ? [] : [credits.charged]
    expect([run_id, amounts('charged'), amounts('refunded')]).toEqual([run_id, [credits.charged], back])
    expect(credits.refunded).toBe(back[0] ?? 0)
    booked.delete(run_id)
  }
  // The charge of a run that was never created has been refunded.
  for (const [run, own] of booked) {
    expect([run, own.reduce((sum, { amount }) => sum + amount, 0)]).toEqual([run, 0])
  }
}

type Call = ReturnType<typeof client>

const ledgerOf = (call: Call) => all<Entry>(call, '/v1/account/ledger', 'entries')

/** All pages of a list. */
async function all<T>(call: Call, path: string, field: string): Promise<T[]> {
  const rows: T[] = []
  for (let cursor = ''; ; ) {
    const { status, body } = await call(`${path}?limit=500${cursor}`)
    expect(status).toBe(200)
    rows.push(...body[field])
    if (body.next_cursor === null) return rows
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
  }
}

/** Settings that name the stores of stopped servers. */
type Env = Readonly<Record<string, string>>

/** Reads the stopped server's log: each run has one beginning and one end, and streams have no gaps. */
export async function logIsWhole(env: Env): Promise<{ events: number; runs: number }> {
  return withStores(env, async ({ log }) => {
    const types = new Map<string, string[]>()
    let events = 0
    for (let after: Position | null = null; ; ) {
      const page: readonly Recorded[] = await log.readAll(after, 500)
      const last = page.at(-1)
      if (!last) break
      after = last.position
      events += page.length
      for (const { stream, revision, type } of page) {
        const before = types.get(stream) ?? []
        expect([stream, revision]).toEqual([stream, before.length])
        types.set(stream, [...before, type])
      }
    }
    const runs = [...types].filter(([stream]) => stream.startsWith('run-'))
    const wrong = runs.filter(([, of]) => {
      if (of[0] === 'RunNotAdmitted') return of.length !== 1
      return (
        of[0] !== 'RunRequested' ||
        of.filter(isTerminalEvent).length !== 1 ||
        !isTerminalEvent(of.at(-1) ?? '')
      )
    })
    expect(wrong).toEqual([])
    return { events, runs: runs.length }
  })
}

/**
 * The stopped server's read models, once caught up with the log, equal rebuilt ones byte for byte.
 *
 * @param rowsOf reads all rows as text, by read model
 */
export async function readModelsAreTheLogs(
  env: Env,
  rowsOf: () => ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>,
): Promise<void> {
  let models = 0
  await withStores(env, async ({ log, readModels }) => {
    const projections = projectionsOf(log)
    models = projections.length
    const projector = new Projector(log, readModels, projections)
    await projector.start()
    await caughtUp(projector, log, readModels, projections)
    await projector.stop()
  })
  const live = await rowsOf()
  await withStores(env, async ({ log, readModels }) => {
    await rebuild(log, readModels, projectionsOf(log))
  })
  const anew = await rowsOf()
  expect([...anew.keys()]).toEqual([...live.keys()])
  expect(live.size).toBe(models)
  for (const [model, rows] of live) expect([model, anew.get(model) === rows]).toEqual([model, true])
}

/** All rows of each embedded read model as text. */
export function rowsOf(dataDir: string): Map<string, string> {
  const db = new DatabaseSync(join(dataDir, 'read-models.db'))
  try {
    const current = 'SELECT name, version, generation FROM generations WHERE is_next = 0 ORDER BY name'
    return new Map(
      db
        .prepare(current)
        .all()
        .map(({ name, version, generation }) => {
          const rows = db.prepare(`SELECT * FROM "${name}_${generation}" ORDER BY key`).all()
          return [`${name} ${version}`, JSON.stringify(rows)]
        }),
    )
  } finally {
    db.close()
  }
}

async function withStores<T>(env: Env, use: (stores: Stores) => Promise<T>): Promise<T> {
  const stores = await openStores(readConfig(env))
  try {
    return await use(stores)
  } finally {
    await stores.close()
  }
}
