/**
 * Real work: runs that each read one page of a site that answers after a while, for many accounts, with default settings.
 * Beside the service a bare process reads the same number of pages, WORKER_CONCURRENCY at once: the ratio shows what the
 * service costs. The service keeps some of its places for other sources. Both are started afresh in each round and
 * warmed up.
 *
 *   npm run bench -- work [--runs 1500] [--latency 200] [--rounds 3] [--accounts 64] [--warm 300] [--first 5]
 *
 * runs_per_s: finished; cpu_ms: of all processes, for each run; peak_mb: their memory (PSS); at_once: requests at the
 * site; failed: runs. `--first` is for how many sources it measures the time from the kickoff of a first run to its
 * request at the site, see bench/first-run.ts.
 *
 * @module
 */
import { parseArgs } from 'node:util'
import { readConfig } from '../src/config.ts'
import { Client, request } from './client.ts'
import { firstRequests } from './first-run.ts'
import { ended, kickoff } from './phases.ts'
import type { Seen } from './site.ts'
import { type Figures, median, print, rowsOf, short } from './table.ts'
import { startGleaner, startReader, startSite, type Target } from './targets.ts'
import { Watch } from './usage.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1500' },
    latency: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '3' },
    accounts: { type: 'string', default: '64' },
    warm: { type: 'string', default: '300' },
    first: { type: 'string', default: '5' },
  },
})
const RUNS = Number(values.runs)
const { WORKER_CONCURRENCY } = process.env
/** Concurrent kickoffs and polls. */
const KICKOFFS = 32
const POLLS = 16
const POLL_MS = 50
const OPERATOR_KEY = 'bench-operator-'.padEnd(48, 'x')

type Side = {
  readonly target: Target
  readonly client: Client
  /** Does so much work, and returns how much of it failed. */
  work(count: number): Promise<number>
}

const loops = (count: number, loop: () => Promise<void>) => Promise.all(Array.from({ length: count }, loop))

async function openAccounts(client: Client): Promise<string[]> {
  const keys: string[] = []
  for (let n = 0; n < Number(values.accounts); n++) {
    const account = JSON.stringify({ name: `bench ${n}`, credits: 1e8 })
    const { body } = await client.send(request('POST', '/admin/accounts', OPERATOR_KEY, account))
    keys.push((JSON.parse(body) as { api_key: string }).api_key)
  }
  return keys
}

async function gleaner(origin: string): Promise<Side> {
  const target = await startGleaner(undefined, { OPERATOR_KEY, SOURCE_WAITING_ORIGIN: origin })
  const client = new Client(target.port)
  const keys = await openAccounts(client)
  return {
    target,
    client,
    async work(count) {
      const runs: { readonly id: string; readonly key: string }[] = []
      let [next, polled, failed] = [0, 0, 0]
      await loops(KICKOFFS, async () => {
        while (next < count) {
          const key = keys[next % keys.length]!
          const body = JSON.stringify({ query: `thing ${next++}` })
          runs.push({ key, id: await kickoff(client, request('POST', '/v1/waiting/search', key, body)) })
        }
      })
      await loops(POLLS, async () => {
        while (polled < count) {
          const { id, key } = runs[polled++]!
          if ((await ended(client, key, id, POLL_MS)) !== 'succeeded') failed++
        }
      })
      return failed
    },
  }
}

async function bare(origin: string): Promise<Side> {
  const target = await startReader(origin, readConfig({ WORKER_CONCURRENCY }).workerConcurrency)
  const client = new Client(target.port)
  return {
    target,
    client,
    work: async (count) => Number((await client.send(request('GET', `/?count=${count}`, target.key))).body),
  }
}

async function measured({ target, work }: Side, seen: () => Promise<Seen>): Promise<Figures> {
  await work(Number(values.warm))
  await seen()
  const watch = new Watch(() => target.pids())
  const began = performance.now()
  const failed = await work(RUNS)
  const seconds = (performance.now() - began) / 1000
  const { cpuS, peakMb, processes } = watch.stop()
  return {
    runs_per_s: RUNS / seconds,
    cpu_ms: (cpuS * 1000) / RUNS,
    peak_mb: peakMb,
    processes,
    at_once: (await seen()).most,
    failed,
  }
}

const site = await startSite(Number(values.latency))
const origin = `http://127.0.0.1:${site.port}`
const seen = async (): Promise<Seen> => (await (await fetch(`${origin}/seen`)).json()) as Seen
try {
  const rounds: Figures[][] = [[], []]
  const first: number[] = []
  for (let round = 0; round < Number(values.rounds); round++) {
    const order = round % 2 === 0 ? [0, 1] : [1, 0]
    for (const at of order) {
      const side = await [gleaner, bare][at]!(origin)
      try {
        rounds[at]!.push(await measured(side, seen))
      } finally {
        side.client.close()
        await side.target.stop()
      }
    }
    first.push(...(await firstRequests({ origin, seen, sources: Number(values.first) })))
  }
  print([['figure', 'gleaner', 'bare Bun', 'ratio (median of rounds)'], ...rowsOf(rounds)])
  if (first.length > 0)
    console.log(
      `a first run of a source after idle: ${short(median(first), 3)} ms to its first request (median of ${first.length}, at most ${short(Math.max(...first), 3)})`,
    )
} finally {
  await site.stop()
}
