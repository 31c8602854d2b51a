/**
 * Compares a listing task, and a task in a browser with one and with two concurrent runs, with Crawlee on the same
 * local site, in interleaved rounds: pages a second, peak memory of all processes, and the delay until the client has a
 * warm task's items. Crawlee decides itself how many pages it reads concurrently.
 *
 *   npm run bench -- crawl --peers <folder> [--rounds 5] [--pages 1000] [--rendered 60]
 *
 * CHROMIUM_PATH is the browser of the service, CHROMIUM that of Crawlee; by default both have Debian's chromium.
 * The folder holds the site (`crawlee/site.ts`) and an installed Crawlee. Both sides run in separate processes; the
 * site's cost counts for neither, but it uses the same cores.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median, short } from './table.ts'
import { startGleaner, type Target } from './targets.ts'
import { Watch } from './usage.ts'

const { values } = parseArgs({
  options: {
    peers: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    pages: { type: 'string', default: '1000' },
    rendered: { type: 'string', default: '60' },
    /** pages of one run */
    run: { type: 'string', default: '100' },
    port: { type: 'string', default: '8700' },
  },
})
if (values.peers === undefined) throw new Error('--peers <folder>: where Crawlee and its site are installed')
const { peers } = values
const site = `http://127.0.0.1:${values.port}`
const rounds = Number(values.rounds)

type Figures = { readonly perSecond: number; readonly peakMb: number }

async function call(target: Target, path: string, input: object): Promise<{ items: unknown[] }> {
  const reply = await fetch(`http://127.0.0.1:${target.port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${target.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...input, _run: { async: false } }),
  })
  let run = (await reply.json()) as {
    run_status: string
    result: { items: unknown[] }
    links: { self: string }
  }
  while (run.run_status === 'queued' || run.run_status === 'running') {
    const waited = await fetch(`http://127.0.0.1:${target.port}${run.links.self}?wait=30`, {
      headers: { authorization: `Bearer ${target.key}` },
    })
    run = (await waited.json()) as typeof run
  }
  if (run.run_status !== 'succeeded') throw new Error(JSON.stringify(run))
  return run.result
}

/** Runs with a maximum number of pages each, some of them concurrently, until all pages are read. */
async function ours(target: Target, path: string, pages: number, run: number, atOnce = 1): Promise<Figures> {
  const watch = new Watch(() => target.pids())
  const began = performance.now()
  let next = 0
  const lane = async () => {
    while (next < pages) {
      const from = next
      const count = Math.min(run, pages - from, Math.ceil(pages / atOnce))
      next += count
      const { items } = await call(target, path, { from, pages: count })
      if (items.length !== count * 60) throw new Error(`${items.length} items of ${count} pages`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  const perSecond = (pages / (performance.now() - began)) * 1000
  return { perSecond, peakMb: watch.stop().peakMb }
}

async function crawlee(kind: 'cheerio' | 'playwright', pages: number): Promise<Figures> {
  const child = spawn(
    'node',
    [join(peers, 'crawlee/run.mjs'), '--kind', kind, '--pages', String(pages), '--site', site],
    {
      cwd: peers,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  await new Promise((gone) => child.once('exit', gone))
  const line = said.split('\n').find((each) => each.includes('pages_per_s'))
  if (!line) throw new Error(`Crawlee said ${said}`)
  const { pages_per_s, tree_peak_pss_mb, items, failed } = JSON.parse(line)
  if (items !== pages * 60 || failed > 0) throw new Error(line)
  return { perSecond: pages_per_s, peakMb: tree_peak_pss_mb }
}

/** Milliseconds from the source's answer until the client has the items of a warm task. */
async function firstItems(target: Target, sent: () => number): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < 50; n++) {
    await call(target, '/v1/listing/pages', { from: n, pages: 1 })
    times.push(performance.now() - sent())
  }
  return median(times)
}

/** A proxy in front of the site that records when the last answer was sent. */
async function timed(): Promise<{ origin: string; sent: () => number; close: () => void }> {
  let last = 0
  const server = createServer((req, res) => {
    const onward = request(`${site}${req.url}`, (reply) => {
      res.writeHead(reply.statusCode ?? 500, reply.headers)
      reply.pipe(res)
      res.on('finish', () => {
        last = performance.now()
      })
    })
    onward.end()
  })
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, sent: () => last, close: () => server.close() }
}

async function startSite(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(peers, 'crawlee/site.ts'), '--port', values.port], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise((listens) => child.stdout.once('data', listens))
  return child
}

/** Compares one kind of task with one kind of crawler. */
async function compare(
  name: string,
  target: Target,
  path: string,
  kind: 'cheerio' | 'playwright',
  pages: number,
  atOnce = 1,
): Promise<void> {
  const run = Number(values.run)
  await ours(target, path, Math.min(pages, run), run, atOnce)
  const us: Figures[] = []
  const them: Figures[] = []
  for (let round = 0; round < rounds; round++) {
    const both = [
      async () => us.push(await ours(target, path, pages, run, atOnce)),
      async () => them.push(await crawlee(kind, pages)),
    ]
    for (const each of round % 2 === 0 ? both : both.reverse()) await each()
  }
  const ratio = (of: (figures: Figures) => number) =>
    short(median(us.map((each, i) => of(each) / of(them[i]!))))
  const all = (figures: Figures[], of: (figures: Figures) => number) => short(median(figures.map(of)))
  const speed = ({ perSecond }: Figures) => perSecond
  const peak = ({ peakMb }: Figures) => peakMb
  console.log(`${name}: ${all(us, speed)} pages/s, Crawlee ${all(them, speed)}: ${ratio(speed)}x`)
  console.log(`${name}: peak ${all(us, peak)} MiB, Crawlee ${all(them, peak)}: ${ratio(peak)}x`)
}

const served = await startSite()
const proxy = await timed()
const env = { WORKER_CONCURRENCY: '1', SYNC_WAIT_S: '60' }

async function measure(atOnce: number, compareWith: (target: Target) => Promise<void>): Promise<void> {
  // Up to half of the places are for runs of other sources.
  const own = { ...env, WORKER_CONCURRENCY: String(2 * atOnce), SOURCE_LISTING_ORIGIN: site }
  const target = await startGleaner(undefined, own)
  try {
    await compareWith(target)
  } finally {
    await target.stop()
  }
}

await measure(1, (target) => compare('listing', target, '/v1/listing/pages', 'cheerio', Number(values.pages)))
for (const atOnce of [1, 2]) {
  const name = `rendered, ${atOnce} at once`
  const pages = Number(values.rendered)
  await measure(atOnce, (target) =>
    compare(name, target, '/v1/listing/rendered', 'playwright', pages, atOnce),
  )
}
const warm = await startGleaner(undefined, { ...env, SOURCE_LISTING_ORIGIN: proxy.origin })
try {
  await ours(warm, '/v1/listing/pages', 50, 1)
  const ms = await firstItems(warm, proxy.sent)
  console.log(`first items of a warm task: ${short(ms)} ms after the source's answer (median of 50)`)
} finally {
  await warm.stop()
  proxy.close()
  served.kill()
}
