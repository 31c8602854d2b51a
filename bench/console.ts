/**
 * The cost of large pages of the console: the list of an account with 10,000 runs, and a run with 20,000 events.
 * Everything is written to a temporary folder.
 *
 *   bun bench/console.ts
 *
 * @module
 */
import { type RunId, runStream } from '../src/domain/ids.ts'
import { append, envelop } from '../src/log/execute.ts'
import { type House, startHouse, type Visitor } from '../test/console/house.ts'

const RUNS = 10_000
const EVENTS = 20_000
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

const house = await startHouse()
const who = await house.setUp()
const runId = await startRuns(house, RUNS)
await fill(house, runId)
const pages = {
  home: house.own,
  runs: `${house.own}/runs`,
  'runs of no day': `${house.own}/runs?to=2001-01-01`,
  run: `${house.own}/runs/${runId}`,
}
for (const [name, path] of Object.entries(pages)) {
  const times = await view(who, path)
  console.log(
    `${name}: p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`,
  )
}
await house.close()
