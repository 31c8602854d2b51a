/**
 * Redis scripts of the shared pace. The keys of those that count together: the starts, newest first, in milliseconds;
 * the requests of each node; the end of a pause. A node's requests are a text of four numbers: how many are under way,
 * when the node last said so, when the oldest began, and since when it waits for a free place (0: it does not).
 *
 * @module
 */
import { CLOCK, type RedisScript } from '../../redis/scripts.ts'

/**
 * A node that waits for a free place asks again after `AGAIN_MS`; one that does not ask for `GONE_MS` has lost interest,
 * and later ones need not wait for it. A request hangs after as long as in net/rate-limiter.ts. The first deletion is
 * permitted when memory is full, and with it the rest of the script. All scripts begin with these arguments: the time or
 * "", node, for how long a node may say nothing before it is dead.
 */
const PACE = `
${CLOCK}
local AGAIN_MS, GONE_MS, DEAD_MS, HANGING_MS, PAUSE_MS = 50, 500, tonumber(ARGV[3]), 3000, 300000
local function keep(now, node, busy, oldestMs, waits)
  redis.call('HSET', KEYS[2], node, string.format('%.0f %.0f %.0f %.0f', busy, now, now - oldestMs, waits))
  redis.call('PEXPIRE', KEYS[2], 4 * DEAD_MS)
end
redis.call('HDEL', KEYS[2], '')`

/**
 * Further arguments: the node's requests under way, for how long the oldest is, concurrency, "1" if it may be exceeded,
 * then most and length of each window. Returns the kind of the answer, milliseconds, and 1 for an extra.
 */
export const askPace: RedisScript = {
  name: 'askPace',
  keys: 3,
  lua: `
${PACE}
local now, node, busy, oldestMs = clock(ARGV[1]), ARGV[2], tonumber(ARGV[4]), tonumber(ARGV[5])
local paused = tonumber(redis.call('GET', KEYS[3]) or 0) - now
if paused > 0 and paused <= PAUSE_MS then return { 'paused', math.ceil(paused), 0 } end
local total, hangs, since, waiting = busy, busy > 0 and oldestMs >= HANGING_MS, now, {}
local nodes = redis.call('HGETALL', KEYS[2])
for i = 1, #nodes, 2 do
  local its, seen, began, waits = string.match(nodes[i + 1], '^(%d+) (%d+) (%d+) (%d+)$')
  its, waits = tonumber(its), tonumber(waits)
  if nodes[i] == node then
    if waits > 0 then since = math.min(now, waits) end
  elseif math.abs(now - seen) > DEAD_MS then
    redis.call('HDEL', KEYS[2], nodes[i])
  else
    total = total + its
    if its > 0 and now - began >= HANGING_MS then hangs = true end
    if waits > 0 and now - seen <= GONE_MS then waiting[#waiting + 1] = waits end
  end
end
local ahead, concurrent = 0, tonumber(ARGV[6])
for _, waits in ipairs(waiting) do
  if waits < since then ahead = ahead + 1 end
end
local isExtra = total == concurrent and hangs and ARGV[7] == '1'
if concurrent - total <= ahead and not isExtra then
  keep(now, node, busy, oldestMs, since)
  return { 'full', AGAIN_MS, 0 }
end
local at, kept, longest = now, 0, 0
for i = 8, #ARGV, 2 do longest = math.max(longest, tonumber(ARGV[i + 1])) end
-- At most one start for each place lies ahead. More means that the clock was set back.
local newest = tonumber(redis.call('LINDEX', KEYS[1], 0) or 0)
if newest - now > (concurrent + 2) * longest then redis.call('DEL', KEYS[1]) end
for i = 8, #ARGV, 2 do
  local most = tonumber(ARGV[i])
  local before = redis.call('LINDEX', KEYS[1], most - 1)
  if before then at = math.max(at, tonumber(before) + tonumber(ARGV[i + 1])) end
  kept = math.max(kept, most)
end
redis.call('LPUSH', KEYS[1], string.format('%.3f', at))
redis.call('LTRIM', KEYS[1], 0, kept - 1)
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.ceil(at - now + longest) + 1000))
keep(now, node, busy + 1, oldestMs, 0)
return { 'start', math.ceil(at - now), isExtra and 1 or 0 }`,
}

/** Further arguments: the node's requests under way, for how long the oldest is, for how long to pause. */
export const tellPace: RedisScript = {
  name: 'tellPace',
  keys: 3,
  lua: `
${PACE}
local now, busy, pauseMs = clock(ARGV[1]), tonumber(ARGV[4]), math.min(PAUSE_MS, tonumber(ARGV[6]))
local ends = now + pauseMs
if pauseMs > 0 and ends > tonumber(redis.call('GET', KEYS[3]) or 0) then
  redis.call('SET', KEYS[3], string.format('%.0f', ends), 'PX', string.format('%.0f', math.ceil(pauseMs)))
end
if busy == 0 then redis.call('HDEL', KEYS[2], ARGV[2])
else keep(now, ARGV[2], busy, tonumber(ARGV[5]), 0) end
return 1`,
}

/** Key: all nodes, by when they are dead. Further argument: "1" if the node leaves. Returns how many there are. */
export const countNodes: RedisScript = {
  name: 'countNodes',
  keys: 1,
  lua: `
${CLOCK}
local now, deadMs = clock(ARGV[1]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZREM', KEYS[1], ARGV[2])
if ARGV[4] ~= '1' then redis.call('ZADD', KEYS[1], now + deadMs, ARGV[2]) end
redis.call('PEXPIRE', KEYS[1], 4 * deadMs)
return redis.call('ZCARD', KEYS[1])`,
}
