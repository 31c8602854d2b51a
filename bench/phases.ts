/**
 * The phases of a load test, each a figure of one target.
 *
 * @module
 */
import { Client, request } from './client.ts'
import type { Figures } from './table.ts'
import type { Target } from './targets.ts'
import { usage } from './usage.ts'

export type PhaseOptions = { readonly seconds: number; readonly connections: number; readonly rate: number }
export type Phase = (target: Target, options: PhaseOptions) => Promise<Figures>

const BODY = '{"query":"tea"}'
const ENDED = /"run_status":"(succeeded|failed|errored|cancelled|expired)"/
const RUN_ID = /"run_id":"([^"]+)"/

const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

/** Percentiles of times in milliseconds. */
function spread(times: readonly number[]): Figures {
  const sorted = Float64Array.from(times).sort()
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { p50_ms: at(0.5), p99_ms: at(0.99) }
}

/** @returns the run's id. @throws when it is refused */
export async function kickoff(client: Client, bytes: Buffer): Promise<string> {
  const { status, body } = await client.send(bytes)
  const id = RUN_ID.exec(body)?.[1]
  if (status > 299 || !id) throw new Error(`a kickoff was answered ${status}: ${body.slice(0, 300)}`)
  return id
}

/** Polls a run until it has ended. @returns its status */
export async function ended(client: Client, key: string, id: string, everyMs = 2): Promise<string> {
  const bytes = request('GET', `/v1/runs/${id}`, key)
  for (;;) {
    const status = ENDED.exec((await client.send(bytes)).body)?.[1]
    if (status !== undefined) return status
    await sleep(everyMs)
  }
}

/** Closed loops: each sends as soon as its last answer has arrived. */
async function closed(options: PhaseOptions, one: () => Promise<unknown>): Promise<Figures> {
  const times: number[] = []
  const began = performance.now()
  const until = began + options.seconds * 1000
  const loop = async () => {
    while (performance.now() < until) {
      const sent = performance.now()
      await one()
      times.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: options.connections }, loop))
  return { per_s: (times.length / (performance.now() - began)) * 1000, ...spread(times) }
}

/** Arrivals at a fixed rate, whatever the target does; latencies count from the arrival. */
async function open(count: number, rate: number, one: () => Promise<unknown>): Promise<Figures> {
  const times: number[] = []
  const flying: Promise<unknown>[] = []
  const began = performance.now()
  for (let sent = 0; sent < count; ) {
    while (sent < count && began + (sent * 1000) / rate <= performance.now()) {
      sent++
      const arrived = performance.now()
      flying.push(one().then(() => times.push(performance.now() - arrived)))
    }
    await sleep(1)
  }
  await Promise.all(flying)
  return spread(times)
}

const idle: Phase = async (target) => {
  const before = usage(target.pids())
  await sleep(1000)
  const after = usage(target.pids())
  return { pss_mb: after.pssMb, cpu_pct: (after.cpuS - before.cpuS) * 100 }
}

const kickoffs: Phase = async (target, options) => {
  const client = new Client(target.port)
  const bytes = request('POST', '/v1/echo/search', target.key, BODY)
  const before = usage(target.pids())
  const ids: string[] = []
  const figures = await closed(options, async () => ids.push(await kickoff(client, bytes)))
  const began = performance.now()
  for (const id of ids.slice(-20)) await ended(client, target.key, id)
  const drainS = (performance.now() - began) / 1000
  client.close()
  return {
    ...figures,
    runs_per_s: ids.length / (options.seconds + drainS),
    cpu_us_per_run: ((usage(target.pids()).cpuS - before.cpuS) * 1e6) / ids.length,
  }
}

const polls: Phase = async (target, options) => {
  const client = new Client(target.port)
  const bytes = request('POST', '/v1/echo/search', target.key, BODY)
  const ids: string[] = []
  for (let i = 0; i < 200; i++) ids.push(await kickoff(client, bytes))
  for (const id of ids) await ended(client, target.key, id)
  const requests = ids.map((id) => request('GET', `/v1/runs/${id}`, target.key))
  let next = 0
  const figures = await closed(options, () => client.send(requests[next++ % requests.length] ?? bytes))
  client.close()
  return figures
}

const steady: Phase = async (target, options) => {
  const client = new Client(target.port)
  const bytes = request('POST', '/v1/echo/search', target.key, BODY)
  const figures = await open(options.rate * options.seconds, options.rate, () => kickoff(client, bytes))
  client.close()
  return figures
}

const endToEnd: Phase = async (target) => {
  const client = new Client(target.port)
  const bytes = request('POST', '/v1/echo/search', target.key, BODY)
  const figures = await open(500, 100, async () => {
    const poll = request('GET', `/v1/runs/${await kickoff(client, bytes)}`, target.key)
    while (!ENDED.test((await client.send(poll)).body));
  })
  client.close()
  return figures
}

/** By name, in order. */
export const PHASES: { readonly [name: string]: Phase } = {
  idle,
  kickoff: kickoffs,
  poll: polls,
  'open 500/s': steady,
  'end to end': endToEnd,
}
