/**
 * The speed of building read models in Redis from a log in SQLite, the memory of the building process, and the longest
 * time that one script blocks the server. Starts a `redis-server`; REDIS_SERVER_PATH names the program.
 *
 *   bun bench/rebuild-redis.ts [--events 1000000]
 *
 * @module
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { projections } from '../projections/all.ts'
import { runs } from '../projections/runs.ts'
import { openSqliteLog, type SqliteLog } from '../src/log/sqlite/log.ts'
import type { ReadModels } from '../src/read/read-models.ts'
import { rebuild } from '../src/read/rebuild.ts'
import { RedisReadModels } from '../src/read/redis/read-models.ts'
import { openSqliteReadModels } from '../src/read/sqlite/read-models.ts'
import { openRedis } from '../src/redis/connection.ts'
import { startRedis } from './redis.ts'
import { EVENTS_A_RUN, Writer } from './writer.ts'

const MB = 1024 * 1024
/** A script of this duration delays other commands noticeably. */
const LONG_MS = 20

type Figures = {
  readonly perS: number
  readonly early: number
  readonly most: number
  /** the share of a core that this process and the server used */
  readonly ours: number
  readonly its: number
}

/** Rebuilds and samples the memory of this process: the peak in the first tenth, and the peak after it. */
async function measure(log: SqliteLog, models: ReadModels, server: Redis): Promise<Figures> {
  let early = 0
  let most = 0
  const before = { ours: process.cpuUsage(), its: await cpuOf(server) }
  const began = performance.now()
  const events = await rebuild(log, models, projections, ({ position, head }) => {
    const { rss } = process.memoryUsage()
    if (position < head / 10) early = Math.max(early, rss)
    else most = Math.max(most, rss)
  })
  const ms = performance.now() - began
  const { user, system } = process.cpuUsage(before.ours)
  return {
    perS: (events / ms) * 1000,
    early: early / MB,
    most: most / MB,
    ours: (user + system) / 1000 / ms,
    its: ((await cpuOf(server)) - before.its) / ms,
  }
}

/** CPU time of the server so far, in milliseconds. */
async function cpuOf(server: Redis): Promise<number> {
  const info = await server.info('cpu')
  const of = (name: string) => Number(new RegExp(`^used_cpu_${name}:(.*)$`, 'm').exec(info)?.[1])
  return (of('sys') + of('user')) * 1000
}

const { values } = parseArgs({ options: { events: { type: 'string', default: '1000000' } } })
const events = Number(values.events)
const folder = await mkdtemp(join(tmpdir(), 'gleaner-rebuild-'))
const { url, child } = await startRedis(folder)
const log = openSqliteLog(join(folder, 'log.db'))
try {
  const writer = new Writer(log)
  await writer.open()
  await writer.runsOf(Math.ceil(events / EVENTS_A_RUN))
  const sqlite = openSqliteReadModels(join(folder, 'read-models.db'))
  const redis = await openRedis(url)
  const server = new Redis(url)
  await server.config('SET', 'slowlog-log-slower-than', LONG_MS * 1000, 'slowlog-max-len', 100_000)
  console.log(
    '| read models | events/s | cores: ours | Redis | memory in the first tenth, MB | after it, MB |',
  )
  console.log('|---|---|---|---|---|---|')
  for (const [name, models] of [
    ['SQLite', sqlite],
    ['Redis', new RedisReadModels(redis)],
    ['Redis again', new RedisReadModels(redis)],
  ] as const) {
    const figures = await measure(log, models, server)
    const columns = [
      name,
      Math.round(figures.perS).toLocaleString('en'),
      figures.ours.toFixed(2),
      figures.its.toFixed(2),
      figures.early.toFixed(0),
      figures.most.toFixed(0),
    ]
    console.log(`| ${columns.join(' | ')} |`)
    const rows = await models.getMany(runs, writer.runIds.slice(-100))
    if (rows.some((row) => row?.run_status !== 'succeeded')) throw new Error('the rebuilt rows are wrong')
  }
  const slow = (await server.slowlog('GET', 100_000)) as [number, number, number, string[]][]
  const scripts = slow.filter(([, , , words]) => String(words[0]).toLowerCase().startsWith('eval'))
  const longest = Math.max(0, ...scripts.map(([, , us]) => us / 1000))
  const memory = /used_memory:(\d+)/.exec(await server.info('memory'))?.[1]
  console.log(`\nscripts of ${LONG_MS} ms and more: ${scripts.length}, the longest ${longest.toFixed(1)} ms`)
  console.log(`Redis holds ${(Number(memory) / MB).toFixed(0)} MB`)
  server.disconnect()
  await redis.close()
  await sqlite.close()
} finally {
  await log.close()
  child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
}
