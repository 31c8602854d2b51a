/**
 * The use of exits by day in Redis: a hash for each day, with a field for each count of an exit at a source. It expires
 * when it is no longer kept.
 *
 * @module
 */
import type { RedisConnection } from '../../redis/connection.ts'
import type { RedisScript } from '../../redis/scripts.ts'
import { DAY_MS, dayOf, type ExitCounts, type ExitDay, KEPT_DAYS, type StoredExitDays } from '../exit-days.ts'

const COUNTS = ['runs', 'blocked', 'unreachable', 'requests', 'bytes'] as const satisfies (keyof ExitCounts)[]

/** Key: the day. Arguments: for how long it is kept, in milliseconds, then fields, each followed by its addition. */
const addToDay: RedisScript = {
  name: 'addToExitDay',
  keys: 1,
  lua: `
for i = 2, #ARGV, 2 do redis.call('HINCRBY', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`,
}

const keyOf = (day: string): string => `gleaner:exit-days:${day}`

/** The counts on a connection, which the caller must close. */
export function redisExitDays(redis: RedisConnection): StoredExitDays {
  return {
    async add(counts) {
      for (const [day, its] of Map.groupBy(counts, ({ day }) => day)) {
        const fields = its.flatMap((each) =>
          COUNTS.flatMap((count) =>
            each[count] === 0 ? [] : [`${each.label} ${each.source} ${count}`, each[count]],
          ),
        )
        if (fields.length === 0) continue
        await redis.ask((client) => client.run(addToDay, [keyOf(day), KEPT_DAYS * DAY_MS, ...fields]))
      }
    },
    async from(first) {
      const start = Date.parse(first)
      const days = Array.from({ length: KEPT_DAYS }, (_, i) => dayOf(start + i * DAY_MS))
      const hashes = await Promise.all(days.map((day) => redis.ask((client) => client.hgetall(keyOf(day)))))
      return days.flatMap((day, i) => rowsOf(day, hashes[i] ?? {}))
    },
  }
}

function rowsOf(day: string, hash: Readonly<Record<string, string>>): ExitDay[] {
  const rows = new Map<string, ExitDay>()
  for (const [field, value] of Object.entries(hash)) {
    const [label = '', source = '', count = ''] = field.split(' ')
    const none = { day, label, source, runs: 0, blocked: 0, unreachable: 0, requests: 0, bytes: 0 }
    const key = `${label} ${source}`
    rows.set(key, { ...(rows.get(key) ?? none), [count]: Number(value) })
  }
  return [...rows.values()]
}
