/**
 * The cost of large pages of the console: the list of an account with 10,000 runs, a run with 20,000 events, and the
 * credits of an account whose 1,000 keys made 100,000 charges in 90 days.
 * Everything is written to a temporary folder.
 *
 *   bun bench/console.ts
 *
 * @module
 */
import { appendSpending } from '../rigs/support/spent-credits.ts'
import type { Actor } from '../src/domain/events.ts'
import { type AccountId, derivedAccountId, type RunId, runStream } from '../src/domain/ids.ts'
import { append, envelop } from '../src/log/execute.ts'
import { type House, startHouse, type Visitor } from '../test/console/house.ts'

const RUNS = 10_000
const EVENTS = 20_000
const CHARGES = 100_000
const KEYS = 1000
const VIEWS = 50

const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

/** Milliseconds of each view of a page, sorted. */
async function view(who: Visitor, path: string): Promise<readonly number[]> {
  const times: number[] = []
  for (let n = 0; n < VIEWS; n++) {
    const started = performance.now()
    await who.get(path)
    times.push(performance.now() - started)
  }
  return times.sort((a, b) => a - b)
}

async function startRuns(house: House, count: number): Promise<RunId> {
  const { admit, catalogue } = house.service.deps
  const task = catalogue.get('sample.search')!
  let last: RunId | undefined
  for (let n = 0; n < count; n += 100) {
    const admitted = await Promise.all(
      Array.from({ length: 100 }, () =>
        admit.admit({
          accountId: house.accountId,
          keyId: null,
          actor: 'service',
          taskKey: task.key,
          price: 0,
          input: '{"query":"x"}',
          title: 'x',
          runLimitS: 300,
          failedOnly: false,
          idempotencyKey: undefined,
          requestId: 'bench',
        }),
      ),
    )
    const [first] = admitted
    if (first?.kind === 'admitted') last = first.run.runId
  }
  if (!last) throw new Error('no run was admitted')
  return last
}

async function fill(house: House, runId: RunId): Promise<void> {
  const cause = { accountId: house.accountId, correlationId: 'bench', causationId: 'bench', now: Date.now() }
  const lease_until = new Date(Date.now() + 60_000).toISOString()
  const events = Array.from({ length: EVENTS }, (_, done) => ({
    type: 'RunProgressed' as const,
    data: { run_id: runId, attempt: 1, done, total: null, message: null, lease_until },
  }))
  const { log } = house.service.deps
  for (let n = 0; n < EVENTS; n += 500)
    await append(log, runStream(runId), n, envelop(events.slice(n, n + 500), cause))
}

async function spend(house: House): Promise<AccountId> {
  const { log, keys, catalogue, now } = house.service.deps
  const account = derivedAccountId(new Uint8Array(16).fill(1))
  const actors: Actor[] = []
  for (let n = 0; n < KEYS; n++) {
    const created = { accountId: account, name: `key ${n}`, scopes: ['runs'], expiresAt: null } as const
    const { record } = await keys.create(created, {
      correlationId: 'bench',
      causationId: 'bench',
      now: now(),
    })
    actors.push(`key:${record.key_id}`)
  }
  const tasks = catalogue.tasks.map(({ key }) => key)
  await appendSpending(log, account, { charges: CHARGES, days: 90, tasks, actors, until: now() })
  return account
}

const house = await startHouse()
const who = await house.setUp()
const runId = await startRuns(house, RUNS)
await fill(house, runId)
const spender = await spend(house)
const owner = await house.joins('owner', 'Ben', spender)
await house.service.shown()
const pages = {
  home: house.own,
  runs: `${house.own}/runs`,
  'runs of no day': `${house.own}/runs?to=2001-01-01`,
  run: `${house.own}/runs/${runId}`,
}
const credits = {
  credits: `/console/${spender}/credits`,
  'credits of 90 days by key': `/console/${spender}/credits?days=90&by=key`,
  'credits by kind': `/console/${spender}/credits?kind=charged`,
}
const views = [
  ...Object.entries(pages).map((entry) => [who, ...entry] as const),
  ...Object.entries(credits).map((entry) => [owner, ...entry] as const),
]
for (const [visitor, name, path] of views) {
  const times = await view(visitor, path)
  console.log(
    `${name}: p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`,
  )
}
await house.close()
