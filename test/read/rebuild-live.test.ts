/** Rebuilding beside a running service: its lists are complete at every moment, and nothing is counted twice. */
import { afterEach, describe, expect, test } from 'bun:test'
import { projections } from '../../projections/all.ts'
import { runs } from '../../projections/runs.ts'
import { hasRedis, redisServers } from '../../rigs/servers/redis.ts'
import { type Model, nextOf, type Projection, type ReadModels, type Row } from '../../src/read/read-models.ts'
import { rebuild } from '../../src/read/rebuild.ts'
import { RedisReadModels } from '../../src/read/redis/read-models.ts'
import { openRedis, type RedisConnection } from '../../src/redis/connection.ts'
import { accountId, History } from './history.ts'
import { altered, counted, counts, logger, turn, workshop } from './projecting.ts'

const servers = redisServers()
const { newFile, openLog, openModels, start } = workshop()
const connections: RedisConnection[] = []
afterEach(async () => {
  for (const redis of connections.splice(0)) await redis.close()
})

/** Opens the same store several times, like several processes. */
type Opening = () => Promise<ReadModels>

const backEnds: [string, boolean, () => Promise<Opening>][] = [
  [
    'SQLite',
    true,
    async () => {
      const file = newFile()
      return async () => openModels(file)
    },
  ],
  [
    'Redis',
    hasRedis,
    async () => {
      const { url } = await servers.start()
      return async () => {
        const redis = await openRedis(url)
        connections.push(redis)
        return new RedisReadModels(redis)
      }
    },
  ],
]

const everything = { order: 'ascending', limit: 100_000 } as const
const listed = (models: ReadModels, account: string) =>
  models.list(runs, 'by_account', { ...everything, equals: [account] })

/** A store, an empty log, and its writer. */
async function prepared(open: () => Promise<Opening>) {
  const opening = await open()
  const models = await opening()
  const log = openLog()
  return { opening, models, log, history: new History(log) }
}

/** All lists of all models as text. */
async function shown(models: ReadModels, accounts: readonly string[]): Promise<string> {
  const lines: string[] = []
  for (const model of projections as readonly Model[]) {
    const at = await models.checkpoint(model)
    lines.push(`${model.name} ${at?.logId} ${at?.position}`)
    for (const [index, fields] of Object.entries(model.indexes)) {
      const first = fields[0] === 'account_id' ? accounts : [null]
      for (const account of first) {
        if (fields.length > (account === null ? 1 : 2)) continue
        const equals = account === null ? [] : [account]
        const rows: Row[] = await models.list(model, index, { ...everything, equals })
        lines.push(`${model.name} ${index} ${account}`, ...rows.map((row) => JSON.stringify(row)))
      }
    }
  }
  return lines.join('\n')
}

describe.each(backEnds)('a rebuild on %s', (_, isThere, open) => {
  test.skipIf(!isThere)(
    'beside a projector keeps lists complete at every moment and gives the same rows as live projection',
    async () => {
      const opening = await open()
      const [live, reading, rebuilding] = [await opening(), await opening(), await opening()]
      const log = openLog(newFile())
      const history = new History(log)
      const accounts = [0, 1, 2].map(accountId)
      for (let n = 0; n < 3; n++) await history.open(n)
      for (let i = 0; i < 60; i++) await history.run(i % 3)
      const projector = await start(log, live, projections, logger())
      await projector.caughtUp()
      let isOver = false
      let looks = 0
      const least = new Map<string, number>()
      const watching = (async () => {
        for (; !isOver; looks++) {
          for (const account of accounts) {
            const { length } = await listed(reading, account)
            expect(length).toBeGreaterThanOrEqual(least.get(account) ?? 1)
            least.set(account, length)
          }
          await turn()
        }
      })()
      const writing = (async () => {
        for (let i = 0; !isOver; i++) {
          await history.run(i % 3)
          await turn()
        }
      })()
      for (let round = 0; round < 3 || looks < 4; round++) {
        expect(await rebuild(log, rebuilding, projections)).toBeGreaterThan(300)
      }
      isOver = true
      await writing
      await watching
      await projector.caughtUp()
      await projector.stop()
      const followed = await shown(live, accounts)
      await rebuild(log, rebuilding, projections)
      expect(await shown(reading, accounts)).toBe(followed)
      expect(followed.split('\n').length).toBeGreaterThan(100)
      for (const model of projections) expect(await reading.checkpoint(nextOf(model))).toBeNull()
    },
    60_000,
  )

  test.skipIf(!isThere)(
    'that was cut off changes nothing, and the next one starts over',
    async () => {
      const { models, log, history } = await prepared(open)
      for (let i = 0; i < 20; i++) await history.grant()
      await (await start(log, models)).caughtUp()
      const before = await models.checkpoint(counts)
      const cut = altered(models, {
        publish: () => Promise.reject(new Error('cut off')),
      })
      expect(await rebuild(log, cut, [counts]).catch(String)).toContain('cut off')
      expect(await models.checkpoint(counts)).toEqual(before)
      expect(await counted(models)).toBe(20)
      expect((await models.checkpoint(nextOf(counts)))?.position).toBe(before!.position)
      await rebuild(log, models, [counts])
      expect(await counted(models)).toBe(20)
      expect(await models.checkpoint(nextOf(counts))).toBeNull()
    },
    60_000,
  )

  test.skipIf(!isThere)(
    'also repairs rows that a projector caches in memory',
    async () => {
      const { opening, models, log, history } = await prepared(open)
      await history.grant()
      // It counts each of the first three events as ten: a defect, fixed later.
      let isBroken = true
      const broken: Projection = {
        ...counts,
        apply: (row, event) => {
          const next = counts.apply(row, event)
          return isBroken && next ? { ...next, n: Number(next.n) + 9 } : next
        },
      }
      const projector = await start(log, models, [broken], logger())
      for (let i = 0; i < 2; i++) await history.grant()
      await projector.caughtUp()
      expect(await counted(models)).toBe(30)
      isBroken = false
      await rebuild(log, await opening(), [counts])
      expect(await counted(models)).toBe(3)
      await history.grant()
      await projector.caughtUp()
      expect(await counted(models)).toBe(4)
    },
    60_000,
  )

  test.skipIf(!isThere)(
    'that is overtaken by another one counts nothing that the other one has counted',
    async () => {
      const { opening, models, log, history } = await prepared(open)
      for (let i = 0; i < 20; i++) await history.grant()
      // The other rebuild fills the next generation after this one began it, and publishes before this one commits.
      const [filled, replacing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const other = altered(models, {
        async publish(model) {
          filled.resolve()
          await replacing.promise
          return models.publish(model)
        },
      })
      let others: Promise<unknown> | undefined
      const slow = altered(await opening(), {
        async begin(...args) {
          const begun = await models.begin(...args)
          others ??= rebuild(log, other, [counts])
          await filled.promise
          return begun
        },
        async commit(changes, before) {
          replacing.resolve()
          await others
          return models.commit(changes, before)
        },
      })
      await rebuild(log, slow, [counts])
      expect(await counted(models)).toBe(20)
    },
    60_000,
  )

  test.skipIf(!isThere)(
    'concurrent with another one gives the same rows as a single one',
    async () => {
      const { opening, models, log, history } = await prepared(open)
      for (let i = 0; i < 300; i++) await history.grant(i % 10)
      await Promise.all([rebuild(log, await opening(), [counts]), rebuild(log, await opening(), [counts])])
      for (let n = 0; n < 10; n++) expect(await counted(models, n)).toBe(30)
    },
    60_000,
  )
})
