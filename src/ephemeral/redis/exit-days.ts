/**
 * The use of exits by day in Redis: a hash for each day, in which an exit's counts at a source are the text of one field.
 * It expires when it is no longer kept.
 *
 * @module
 */
import type { RedisConnection } from '../../redis/connection.ts'
import type { RedisScript } from '../../redis/scripts.ts'
import { DAY_MS, type ExitCounts, type ExitDay, KEPT_DAYS, type StoredExitDays } from '../exit-days.ts'

const COUNTS = ['runs', 'blocked', 'failed', 'requests', 'bytes'] as const satisfies (keyof ExitCounts)[]

/** Key: the day. Arguments: for how long it is kept, in milliseconds, then fields, each followed by its additions. */
const addToDay: RedisScript = {
  name: 'addToExitDay',
  keys: 1,
  lua: `
for i = 2, #ARGV, 1 + ${COUNTS.length} do
  local before, sums = redis.call('HGET', KEYS[1], ARGV[i]) or '', {}
  local next = string.gmatch(before, '%d+')
  for j = 1, ${COUNTS.length} do sums[j] = string.format('%.0f', (next() or 0) + ARGV[i + j]) end
  redis.call('HSET', KEYS[1], ARGV[i], table.concat(sums, ' '))
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`,
}

const keyOf = (day: string): string => `gleaner:exit-days:${day}`

/** The counts on a connection, which the caller must close. */
export function redisExitDays(redis: RedisConnection): StoredExitDays {
  return {
    async add(counts) {
      for (const [day, its] of Map.groupBy(counts, ({ day }) => day)) {
        const fields = its.flatMap((each) => [
          `${each.label} ${each.source}`,
          ...COUNTS.map((count) => each[count]),
        ])
        await redis.ask((client) => client.run(addToDay, [keyOf(day), KEPT_DAYS * DAY_MS, ...fields]))
      }
    },
    async of(day) {
      const fields = await redis.ask((client) => client.hgetall(keyOf(day)))
      return Object.entries(fields).map(([field, sums]) => rowOf(day, field, sums))
    },
  }
}

function rowOf(day: string, field: string, sums: string): ExitDay {
  const [label = '', source = ''] = field.split(' ')
  const [runs = 0, blocked = 0, failed = 0, requests = 0, bytes = 0] = sums.split(' ').map(Number)
  return { day, label, source, runs, blocked, failed, requests, bytes }
}
