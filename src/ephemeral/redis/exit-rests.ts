/**
 * The rests of exits in Redis: one hash, in which each is a text of its end and its count. The hash expires a day after
 * the last of them.
 *
 * @module
 */
import type { RedisConnection } from '../../redis/connection.ts'
import type { RedisScript } from '../../redis/scripts.ts'
import { type ExitRests, KEPT_AFTER_MS, type Rest } from '../exit-rests.ts'

const RESTS = 'gleaner:exit-rests'

/** Key: the rests. Arguments: key, end, count, the time, how long rests are kept after their ends. */
const putRest: RedisScript = {
  name: 'putRest',
  keys: 1,
  lua: `
local rests, latest = redis.call('HGETALL', KEYS[1]), tonumber(ARGV[2])
for i = 1, #rests, 2 do
  local ends = tonumber(string.match(rests[i + 1], '%d+'))
  if ends + ARGV[5] <= tonumber(ARGV[4]) then redis.call('HDEL', KEYS[1], rests[i])
  else latest = math.max(latest, ends) end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. ARGV[3])
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.max(1, latest - ARGV[4] + ARGV[5])))
return 1`,
}

/** The rests on a connection, which the caller must close. */
export function redisExitRests(redis: RedisConnection): ExitRests {
  return {
    async get(keys) {
      if (keys.length === 0) return []
      const rests = await redis.ask((client) => client.hmget(RESTS, keys))
      return rests.map(restOf)
    },
    async put(key, { until, count }, now) {
      await redis.ask((client) => client.run(putRest, [RESTS, key, until, count, now, KEPT_AFTER_MS]))
    },
    async clear(keys) {
      if (keys.length > 0) await redis.ask((client) => client.hdel(RESTS, ...keys))
    },
    async all(now) {
      const rests = await redis.ask((client) => client.hgetall(RESTS))
      return Object.entries(rests)
        .flatMap(([key, text]) => {
          const rest = restOf(text)
          return rest && rest.until > now ? [{ key, rest }] : []
        })
        .sort((one, other) => (one.key < other.key ? -1 : 1))
    },
  }
}

function restOf(text: string | null): Rest | undefined {
  const [until, count] = text?.split(' ').map(Number) ?? []
  return until !== undefined && count !== undefined ? { until, count } : undefined
}
