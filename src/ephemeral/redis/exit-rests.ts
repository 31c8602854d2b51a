/**
 * The rests of exits in Redis: one sorted set, in which a rest's score is its end and its count in one number. So the
 * oldest ones go without a look at the others. The set expires a day after the last of them.
 *
 * @module
 */
import type { RedisConnection } from '../../redis/connection.ts'
import type { RedisScript } from '../../redis/scripts.ts'
import { type ExitRests, KEPT_AFTER_MS, type Rest } from '../exit-rests.ts'

const RESTS = 'gleaner:exit-rests'

/** A score is the end times this, plus the count: below 2^53 until the year 2248. A rest has its full length long before. */
const COUNTS = 1024
const scoreOf = ({ until, count }: Rest): number => Math.floor(until) * COUNTS + Math.min(count, COUNTS - 1)

/** Key: the rests. Arguments: key, score, the first score that is kept, the time, how long rests are kept after their ends. */
const putRest: RedisScript = {
  name: 'putRest',
  keys: 1,
  lua: `
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2]
local left = math.floor(last / ${COUNTS}) - ARGV[4] + ARGV[5]
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.max(1, left)))
return 1`,
}

/** The rests on a connection, which the caller must close. */
export function redisExitRests(redis: RedisConnection): ExitRests {
  return {
    async get(keys) {
      if (keys.length === 0) return []
      const scores = await redis.ask((client) => client.zmscore(RESTS, ...keys))
      return scores.map((score) => (score === null ? undefined : restOf(score)))
    },
    async put(key, rest, now) {
      const firstKept = (Math.floor(now) - KEPT_AFTER_MS + 1) * COUNTS
      const args = [RESTS, key, scoreOf(rest), firstKept, Math.floor(now), KEPT_AFTER_MS]
      await redis.ask((client) => client.run(putRest, args))
    },
    async clear(keys) {
      if (keys.length > 0) await redis.ask((client) => client.zrem(RESTS, ...keys))
    },
    async all(now) {
      const first = (Math.floor(now) + 1) * COUNTS
      const pairs = await redis.ask((client) => client.zrangebyscore(RESTS, first, '+inf', 'WITHSCORES'))
      return Array.from({ length: pairs.length / 2 }, (_, i) => ({
        key: pairs[2 * i]!,
        rest: restOf(pairs[2 * i + 1]!),
      })).sort((one, other) => (one.key < other.key ? -1 : 1))
    },
  }
}

function restOf(score: string): Rest {
  const number = Number(score)
  return { until: Math.floor(number / COUNTS), count: number % COUNTS }
}
