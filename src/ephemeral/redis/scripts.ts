/**
 * Redis scripts of the ephemeral store: one script for each change that must be atomic.
 *
 * @module
 */
import { CLOCK, type RedisScript } from '../../redis/scripts.ts'

/**
 * The arithmetic of token-buckets.ts. Key: the bucket. Arguments: capacity in tokens, the time or "", `look` to take
 * none, in how many minutes the bucket fills. Returns whether a token was given, and the amount spent after that.
 * Redis permits a deletion when memory is full, and then the rest of the script: polls must not fail because read
 * models can't grow.
 */
export const takeToken: RedisScript = {
  name: 'takeToken',
  keys: 1,
  lua: `
${CLOCK}
local minutes = tonumber(ARGV[4])
local perMinute, now = tonumber(ARGV[1]), math.floor(clock(ARGV[2]) / minutes)
local capacity, spent, at = perMinute * 60000, 0, now
local kept = redis.call('GET', KEYS[1])
if kept then
  spent, at = string.match(kept, '^(%d+) (%d+)$')
end
spent = math.min(capacity, math.max(0, spent - math.max(0, now - at) * perMinute))
local allowed = spent + 60000 <= capacity and 1 or 0
if ARGV[3] == 'look' then return { allowed, spent } end
spent = spent + allowed * 60000
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[1], string.format('%.0f %.0f', spent, now), 'PX', 60000 * minutes)
return { allowed, spent }`,
}

/** Key: times of last use. Arguments: keys with times; the latest time of a key is kept. */
export const noteTimes: RedisScript = {
  name: 'noteTimes',
  keys: 1,
  lua: `
for i = 1, #ARGV, 2 do
  local before = redis.call('HGET', KEYS[1], ARGV[i])
  if not before or tonumber(before) < tonumber(ARGV[i + 1]) then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  end
end
return 1`,
}

/**
 * Keys: the expiry of an account's slots, by run; their holders, by run. Expired slots are removed first: Redis permits
 * that when memory is full, and then the rest of the script.
 */
const SLOTS = `
${CLOCK}
local function open(now)
  local ended = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now)
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
  for _, run in ipairs(ended) do redis.call('HDEL', KEYS[2], run) end
end
local function hold(run, holder, till)
  redis.call('ZADD', KEYS[1], till, run)
  redis.call('HSET', KEYS[2], run, holder)
end
local function keepKeys(now)
  local latest = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
  if not latest then return end
  for i = 1, 2 do redis.call('PEXPIRE', KEYS[i], string.format('%.0f', latest - now + 1000)) end
end`

/** Arguments: run, holder, limit, milliseconds, the time or "". */
export const acquireSlot: RedisScript = {
  name: 'acquireSlot',
  keys: 3,
  lua: `
${SLOTS}
local run, holder, limit, now = ARGV[1], ARGV[2], tonumber(ARGV[3]), clock(ARGV[5])
open(now)
local holding = redis.call('HGET', KEYS[2], run)
if holding and holding ~= holder or redis.call('EXISTS', KEYS[3]) == 1 then return 'taken' end
if not holding and limit > 0 and redis.call('ZCARD', KEYS[1]) >= limit then return 'full' end
hold(run, holder, now + ARGV[4])
keepKeys(now)
return 'granted'`,
}

/** Arguments: milliseconds, the time or "", runs with holders. */
export const renewSlots: RedisScript = {
  name: 'renewSlots',
  keys: 2,
  lua: `
${SLOTS}
local now = clock(ARGV[2])
open(now)
for i = 3, #ARGV, 2 do
  local holding = redis.call('HGET', KEYS[2], ARGV[i])
  if not holding or holding == ARGV[i + 1] then hold(ARGV[i], ARGV[i + 1], now + ARGV[1]) end
end
keepKeys(now)
return 1`,
}

/** Arguments: run, holder, milliseconds to mark the run as ended, or 0 if it has not ended. */
export const releaseSlot: RedisScript = {
  name: 'releaseSlot',
  keys: 3,
  lua: `
if tonumber(ARGV[3]) > 0 then redis.call('SET', KEYS[3], '', 'PX', ARGV[3]) end
if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[1], ARGV[1])
return 1`,
}
