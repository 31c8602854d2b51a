/**
 * Redis scripts of the shared pace. The keys of those that count together: the starts, newest first, in milliseconds;
 * the requests of each node; the end of a pause. A node's requests are a text of five numbers: how many are under way,
 * when the node last said so, when the oldest began, since when it waits in line for a free place (0: it does not), and
 * when it asks again at the latest.
 *
 * @module
 */
import { CLOCK, type RedisScript } from '../../redis/scripts.ts'

/**
 * A node in line that has not asked for `GONE_MS` after it should have has lost interest, and later ones need not wait
 * for it. A request hangs after as long as in net/rate-limiter.ts. The first deletion is permitted when memory is full,
 * and with it the rest of the script. All scripts begin with these arguments: the time or "", node, for how long a node
 * may say nothing before it is dead.
 */
const PACE = `
${CLOCK}
local SOONEST_MS, LATEST_MS, AHEAD_MS = 75, 1000, 100
local GONE_MS, HANGING_MS, PAUSE_MS = 500, 3000, 300000
local DEAD_MS = tonumber(ARGV[3])
local function keep(now, node, busy, oldestMs, since, again)
  local text = string.format('%.0f %.0f %.0f %.0f %.0f', busy, now, now - oldestMs, since, again)
  redis.call('HSET', KEYS[2], node, text)
  redis.call('PEXPIRE', KEYS[2], 4 * DEAD_MS)
end
-- The five numbers. A place in line that the node has lost, or one from before the clock was set back, reads 0 0.
local function read(text, now)
  local busy, said, began, since, again = string.match(text or '', '^(%d+) (%d+) (%d+) (%d+) (%d+)$')
  since, again = tonumber(since or 0), tonumber(again or 0)
  if now - again > GONE_MS or again - now > LATEST_MS or since > now then since, again = 0, 0 end
  return tonumber(busy or 0), tonumber(said or 0), tonumber(began or 0), since, again
end
redis.call('HDEL', KEYS[2], '')`

/**
 * Further arguments: the node's requests under way, for how long the oldest is, concurrency, "1" if it may be exceeded,
 * then most and length of each window. Returns the kind of the answer, milliseconds, and 1 for an extra.
 *
 * A node in line asks again after an eighth of the time since the last start, so that few questions are asked where
 * responses take long, and a slow request beside quick ones delays nobody; later, if others are before it in line; and
 * not long before the windows allow a start: one that is promised before its time is on time.
 */
export const askPace: RedisScript = {
  name: 'askPace',
  keys: 3,
  lua: `
${PACE}
local now, node, busy, oldestMs = clock(ARGV[1]), ARGV[2], tonumber(ARGV[4]), tonumber(ARGV[5])
local paused = tonumber(redis.call('GET', KEYS[3]) or 0) - now
if paused > 0 and paused <= PAUSE_MS then return { 'paused', math.ceil(paused), 0 } end
local total, since, waiting = busy, now, {}
local hangs = busy > 0 and oldestMs >= HANGING_MS
local nodes = redis.call('HGETALL', KEYS[2])
for i = 1, #nodes, 2 do
  local its, said, began, itsSince = read(nodes[i + 1], now)
  if nodes[i] == node then
    if itsSince > 0 then since = itsSince end
  elseif math.abs(now - said) > DEAD_MS then
    redis.call('HDEL', KEYS[2], nodes[i])
  else
    total = total + its
    if its > 0 and now - began >= HANGING_MS then hangs = true end
    if itsSince > 0 then waiting[#waiting + 1] = itsSince end
  end
end
local ahead, concurrent = 0, tonumber(ARGV[6])
for _, itsSince in ipairs(waiting) do
  if itsSince < since then ahead = ahead + 1 end
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
local free = concurrent - total
local isExtra = free == 0 and hangs and ARGV[7] == '1'
if free <= ahead and not isExtra then
  local rounds = math.max(1, (ahead + 1 - free) / concurrent)
  local ms = math.max(at - now - AHEAD_MS, rounds * math.max(SOONEST_MS, total > 0 and (now - newest) / 8 or 0))
  ms = math.ceil(math.min(LATEST_MS, ms))
  keep(now, node, busy, oldestMs, since, now + ms)
  return { 'full', ms, 0 }
end
redis.call('LPUSH', KEYS[1], string.format('%.3f', at))
redis.call('LTRIM', KEYS[1], 0, kept - 1)
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.ceil(at - now + longest) + 8 * LATEST_MS))
keep(now, node, busy + 1, oldestMs, 0, 0)
return { 'start', math.ceil(at - now), isExtra and 1 or 0 }`,
}

/**
 * Further arguments: the node's requests under way, for how long the oldest is, for how long to pause. The node keeps
 * its place in line.
 */
export const tellPace: RedisScript = {
  name: 'tellPace',
  keys: 3,
  lua: `
${PACE}
local now, node, busy, pauseMs = clock(ARGV[1]), ARGV[2], tonumber(ARGV[4]), math.min(PAUSE_MS, tonumber(ARGV[6]))
local ends = now + pauseMs
if pauseMs > 0 and ends > tonumber(redis.call('GET', KEYS[3]) or 0) then
  redis.call('SET', KEYS[3], string.format('%.0f', ends), 'PX', string.format('%.0f', math.ceil(pauseMs)))
end
local _, _, _, since, again = read(redis.call('HGET', KEYS[2], node), now)
if busy == 0 and since == 0 then redis.call('HDEL', KEYS[2], node)
else keep(now, node, busy, tonumber(ARGV[5]), since, again) end
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
