/**
 * The Redis scripts of deliveries. Each endpoint has a hash of its deliveries as JSON by event id, and sorted sets of
 * these ids: by position (of all deliveries, and of each state) and by the time of their next attempt. All keys carry
 * one hash tag, so the keys that the scripts construct are on the same node of a cluster.
 *
 * @module
 */
import { CLOCK, type RedisScript } from '../../../redis/scripts.ts'

/** Lua: the keys of an endpoint. KEYS[1] is the common prefix of all keys. */
const KEYS = `
local base = KEYS[1]
local function of(kind, webhook) return base .. ':' .. kind .. ':' .. webhook end`

/** Lua: records the time of an endpoint's next due attempt. */
const NOTE_DUE = `
local function note_due(webhook)
  local first = redis.call('ZRANGE', of('due', webhook), 0, 0, 'WITHSCORES')
  if first[2] then redis.call('ZADD', base .. ':due', first[2], webhook)
  else redis.call('ZREM', base .. ':due', webhook) end
end`

/**
 * Arguments: webhook, `1` to leave existing deliveries unchanged, log id and position of the new cursor or two empty
 * strings, the expected cursor (`none`: no cursor in this log; empty: any), the expected time of queueing of a single
 * delivery that exists, or empty; then for each delivery: event id, position, state, time of the next attempt or empty,
 * once, time of queueing, JSON. Returns 0, without writing, when something expected differs.
 */
export const putDeliveries: RedisScript = {
  name: 'putDeliveries',
  keys: 1,
  lua: `${KEYS}${NOTE_DUE}
local webhook = ARGV[1]
local due, once = of('due', webhook), of('once', webhook)
if ARGV[5] ~= '' then
  local cursor = redis.call('HMGET', of('endpoint', webhook), 'log', 'position')
  local at = cursor[1] == ARGV[3] and cursor[2] or 'none'
  if at ~= ARGV[5] then return 0 end
end
if ARGV[6] ~= '' then
  local queued = redis.call('ZSCORE', base .. ':queued', webhook .. ' ' .. ARGV[7])
  if queued and tonumber(queued) ~= tonumber(ARGV[6]) then return 0 end
end
for i = 7, #ARGV, 7 do
  local id, position, state, next_at = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  if ARGV[2] == '0' or redis.call('HEXISTS', of('deliveries', webhook), id) == 0 then
    redis.call('HSET', of('deliveries', webhook), id, ARGV[i + 6])
    redis.call('ZADD', of('all', webhook), position, id)
    for _, each in ipairs({ 'pending', 'delivered', 'failed' }) do redis.call('ZREM', of(each, webhook), id) end
    redis.call('ZADD', of(state, webhook), position, id)
    redis.call('ZREM', due, id)
    redis.call('ZREM', once, id)
    redis.call('ZADD', base .. ':queued', ARGV[i + 5], webhook .. ' ' .. id)
    if next_at ~= '' then
      redis.call('ZADD', due, next_at, id)
      if ARGV[i + 4] == '1' then redis.call('ZADD', once, next_at, id) end
    end
  end
end
if ARGV[3] ~= '' then redis.call('HSET', of('endpoint', webhook), 'log', ARGV[3], 'position', ARGV[4]) end
note_due(webhook)
return 1`,
}

/**
 * Arguments: webhook, a sorted set (`all`, a state, `due` or `once`), upper bound of its scores for ZRANGEBYSCORE,
 * limit, `1` for the lowest scores first. Returns the JSON of each delivery.
 */
export const listDeliveries: RedisScript = {
  name: 'listDeliveries',
  keys: 1,
  lua: `${KEYS}
local ids
if ARGV[5] == '1' then ids = redis.call('ZRANGEBYSCORE', of(ARGV[2], ARGV[1]), '-inf', ARGV[3], 'LIMIT', 0, ARGV[4])
else ids = redis.call('ZREVRANGEBYSCORE', of(ARGV[2], ARGV[1]), ARGV[3], '-inf', 'LIMIT', 0, ARGV[4]) end
if #ids == 0 then return {} end
return redis.call('HMGET', of('deliveries', ARGV[1]), unpack(ids))`,
}

/**
 * Arguments: holder, duration in milliseconds, the time or "", webhooks. Returns the leased webhooks, each with
 * `renewed` or `acquired`.
 */
export const leaseWebhooks: RedisScript = {
  name: 'leaseWebhooks',
  keys: 1,
  lua: `${KEYS}${CLOCK}
local mine, now = {}, clock(ARGV[3])
for i = 4, #ARGV do
  local key = of('endpoint', ARGV[i])
  local lease = redis.call('HMGET', key, 'holder', 'until')
  if not lease[1] or lease[1] == ARGV[1] or tonumber(lease[2]) <= now then
    redis.call('HSET', key, 'holder', ARGV[1], 'until', string.format('%.0f', now + tonumber(ARGV[2])))
    mine[#mine + 1] = { ARGV[i], lease[1] == ARGV[1] and 'renewed' or 'acquired' }
  end
end
return mine`,
}

/** Arguments: holder, webhooks. */
export const releaseWebhooks: RedisScript = {
  name: 'releaseWebhooks',
  keys: 1,
  lua: `${KEYS}
for i = 2, #ARGV do
  local key = of('endpoint', ARGV[i])
  if redis.call('HGET', key, 'holder') == ARGV[1] then redis.call('HDEL', key, 'holder', 'until') end
end
return 1`,
}

/** Arguments: webhook, `1` for a success, time. Returns the time since which it fails, and of its last success. */
export const noteTry: RedisScript = {
  name: 'noteTry',
  keys: 1,
  lua: `${KEYS}
local key = of('endpoint', ARGV[1])
if ARGV[2] == '1' then
  redis.call('HDEL', key, 'failing')
  redis.call('HSET', key, 'success', ARGV[3])
else
  redis.call('HSETNX', key, 'failing', ARGV[3])
end
return redis.call('HMGET', key, 'failing', 'success')`,
}

/** Arguments: webhook, JSON of a test, how many tests are kept, and for how many milliseconds after the last one. */
export const addTest: RedisScript = {
  name: 'addTest',
  keys: 1,
  lua: `${KEYS}
local key = of('tests', ARGV[1])
redis.call('LPUSH', key, ARGV[2])
redis.call('LTRIM', key, 0, ARGV[3] - 1)
redis.call('PEXPIRE', key, ARGV[4])
return 1`,
}

/** Arguments: time, limit. Deletes deliveries that were queued before the time. Returns how many. */
export const sweepDeliveries: RedisScript = {
  name: 'sweepDeliveries',
  keys: 1,
  lua: `${KEYS}${NOTE_DUE}
local webhooks = {}
local members = redis.call('ZRANGEBYSCORE', base .. ':queued', '-inf', '(' .. ARGV[1], 'LIMIT', 0, ARGV[2])
for _, member in ipairs(members) do
  local webhook, id = string.match(member, '^(%S+) (.*)$')
  redis.call('HDEL', of('deliveries', webhook), id)
  for _, each in ipairs({ 'all', 'pending', 'delivered', 'failed', 'due', 'once' }) do
    redis.call('ZREM', of(each, webhook), id)
  end
  redis.call('ZREM', base .. ':queued', member)
  webhooks[webhook] = true
end
for webhook in pairs(webhooks) do note_due(webhook) end
return #members`,
}

/** Arguments: webhook. Deletes all its state. */
export const forgetWebhook: RedisScript = {
  name: 'forgetWebhook',
  keys: 1,
  lua: `${KEYS}
for _, id in ipairs(redis.call('HKEYS', of('deliveries', ARGV[1]))) do
  redis.call('ZREM', base .. ':queued', ARGV[1] .. ' ' .. id)
end
redis.call('ZREM', base .. ':due', ARGV[1])
for _, each in ipairs({ 'deliveries', 'all', 'pending', 'delivered', 'failed', 'due', 'once', 'endpoint', 'tests' }) do
  redis.call('UNLINK', of(each, ARGV[1]))
end
return 1`,
}
