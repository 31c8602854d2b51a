/**
 * The first run of a source that has no process yet: how long it takes from the kickoff until its request arrives at the
 * site. The service is warm, and so is the process that the run takes over.
 *
 * @module
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, request } from './client.ts'
import { ended, kickoff } from './phases.ts'
import type { Seen } from './site.ts'
import { startGleaner, type Target } from './targets.ts'
import { usage } from './usage.ts'

export type FirstRuns = {
  readonly origin: string
  /** what the site has seen since it was last asked */
  readonly seen: () => Promise<Seen>
  /** number of sources, each of which has its first run */
  readonly sources: number
}

const PLUGINS = join(import.meta.dirname, 'plugins')
/** Runs of another source, so that nothing but the source is new. */
const WARM = 300
const CALM_MS = 300
const MOST_CALM_MS = 10_000

/** Measures a first run of each of several sources. @returns milliseconds */
export async function firstRequests({ origin, seen, sources }: FirstRuns): Promise<number[]> {
  const names = Array.from({ length: sources }, (_, n) => `waiting${n}`)
  if (sources === 0) return []
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-bench-'))
  try {
    writePlugins(folder, names)
    const origins = names.map((name) => [`SOURCE_${name.toUpperCase()}_ORIGIN`, origin])
    const target = await startGleaner(undefined, { PLUGINS_DIR: folder, ...Object.fromEntries(origins) })
    try {
      return await firstRuns(target, names, seen)
    } finally {
      await target.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Copies of one source under other names. */
function writePlugins(folder: string, names: readonly string[]): void {
  const code = readFileSync(join(PLUGINS, 'waiting/source.ts'), 'utf8')
  for (const name of names) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'source.ts'), code.replaceAll('waiting', name))
  }
  cpSync(join(PLUGINS, 'echo'), join(folder, 'echo'), { recursive: true })
}

async function firstRuns(
  target: Target,
  names: readonly string[],
  seen: FirstRuns['seen'],
): Promise<number[]> {
  const client = new Client(target.port)
  const run = async (source: string): Promise<void> => {
    const id = await kickoff(client, request('POST', `/v1/${source}/search`, target.key, '{"query":"tea"}'))
    await ended(client, target.key, id)
  }
  for (let n = 0; n < WARM; n++) await run('echo')
  const times: number[] = []
  for (const name of names) {
    await calm(target)
    await seen()
    const began = performance.timeOrigin + performance.now()
    await run(name)
    times.push(((await seen()).firstAt ?? Number.NaN) - began)
  }
  client.close()
  return times
}

/** Waits until a service has nothing to do: its next spare process has started. */
async function calm(target: Target): Promise<void> {
  const until = performance.now() + MOST_CALM_MS
  for (let before = usage(target.pids()).cpuS; performance.now() < until; ) {
    await new Promise((go) => setTimeout(go, CALM_MS))
    const now = usage(target.pids()).cpuS
    if (now - before <= 0.01) return
    before = now
  }
}
