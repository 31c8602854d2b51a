/**
 * Redis scripts of sign-ins. A session is a hash that expires. Pending sessions are also in a sorted set. All keys have
 * the same hash tag.
 *
 * When memory is full, no new session is accepted. All other writing scripts begin with a deletion: Redis permits it
 * when memory is full, and then permits the rest of the script. So sign-ins under way can continue.
 *
 * @module
 */
import type { RedisScript } from '../../redis/scripts.ts'

/**
 * Key: the pending sessions. A session's key is the prefix followed by its id. A session whose hash has expired is no
 * longer pending.
 *
 * In a cluster, the prefix contains the key's hash tag, so the keys that are built here are on the same node.
 */
const PENDING = `
local prefix = ARGV[1]
local function pending()
  local ids = {}
  for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    if redis.call('HEXISTS', prefix .. id, 'pending') == 1 then
      ids[#ids + 1] = id
    else
      redis.call('ZREM', KEYS[1], id)
    end
  end
  return ids
end`

/** Arguments: prefix, id, sealed request, milliseconds, limit of pending sessions. Idempotent. */
export const addPending: RedisScript = {
  name: 'addPending',
  keys: 1,
  lua: `
${PENDING}
local key = prefix .. ARGV[2]
if redis.call('EXISTS', key) == 1 then return 1 end
if #pending() >= tonumber(ARGV[5]) then return 0 end
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2] or '0'
redis.call('HSET', key, 'pending', ARGV[3])
redis.call('PEXPIRE', key, ARGV[4])
redis.call('ZADD', KEYS[1], last + 1, ARGV[2])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[4]) then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
return 1`,
}

/** Arguments: prefix, milliseconds. Returns the id and the sealed request. */
export const claimPending: RedisScript = {
  name: 'claimPending',
  keys: 1,
  lua: `
${PENDING}
local id = pending()[1]
if not id then return false end
local key = prefix .. id
local sealed = redis.call('HGET', key, 'pending')
redis.call('ZREM', KEYS[1], id)
redis.call('HDEL', key, 'pending')
redis.call('HSET', key, 'host', 1)
redis.call('PEXPIRE', key, ARGV[2])
return { id, sealed }`,
}

/** Keys: sessions. Arguments: milliseconds. Recreates a session that Redis has lost: its host still has it. */
export const renewSession: RedisScript = {
  name: 'renewSession',
  keys: 1,
  lua: `
if redis.call('HEXISTS', KEYS[1], 'end') == 1 then return 0 end
redis.call('HDEL', KEYS[1], 'host')
redis.call('HSET', KEYS[1], 'host', 1)
return redis.call('PEXPIRE', KEYS[1], ARGV[1])`,
}

/**
 * Arguments: prefix, id, sealed end, milliseconds, "pending" to end only a pending session. Returns the sealed request
 * of a session that was pending. The events are kept as long as the end; the calls and the picture are deleted at once.
 */
export const endSession: RedisScript = {
  name: 'endSession',
  keys: 1,
  lua: `
local key = ARGV[1] .. ARGV[2]
local sealed = redis.call('HGET', key, 'pending')
if ARGV[5] == 'pending' and not sealed then return false end
redis.call('HDEL', key, 'pending', 'host')
redis.call('UNLINK', key .. ':calls', key .. ':picture')
redis.call('ZREM', KEYS[1], ARGV[2])
redis.call('HSET', key, 'end', ARGV[3])
redis.call('PEXPIRE', key, ARGV[4])
redis.call('PEXPIRE', key .. ':events', ARGV[4])
return sealed`,
}

/** Arguments: prefix, id, viewer, whether it is new. Returns queue position, sealed request, end, viewer. */
export const lookAtSession: RedisScript = {
  name: 'lookAtSession',
  keys: 1,
  lua: `
${PENDING}
local key = prefix .. ARGV[2]
local fields = redis.call('HMGET', key, 'pending', 'host', 'end', 'viewer')
if not fields[1] and not fields[2] and not fields[3] then return false end
local position = 0
if fields[1] then
  for i, id in ipairs(pending()) do
    if id == ARGV[2] then position = i end
  end
end
local viewer = fields[4]
if ARGV[4] == '1' or not viewer then
  viewer = ARGV[3]
  redis.call('HDEL', key, 'viewer')
  redis.call('HSET', key, 'viewer', viewer)
end
return { position, fields[1], fields[3], viewer }`,
}

/** Keys: a session's events and picture. Arguments: message, most events, milliseconds, picture or "", milliseconds. */
export const tellOfSession: RedisScript = {
  name: 'tellOfSession',
  keys: 2,
  lua: `
redis.call('XTRIM', KEYS[1], 'MAXLEN', ARGV[2] - 1)
if ARGV[4] ~= '' then
  redis.call('UNLINK', KEYS[2])
  redis.call('SET', KEYS[2], ARGV[4], 'PX', ARGV[5])
end
redis.call('XADD', KEYS[1], '*', 'm', ARGV[1])
return redis.call('PEXPIRE', KEYS[1], ARGV[3])`,
}

/** Keys: a session and its calls. Arguments: message, most calls, milliseconds. Returns the reason for a refusal. */
export const callSession: RedisScript = {
  name: 'callSession',
  keys: 2,
  lua: `
if redis.call('HEXISTS', KEYS[1], 'end') == 1 then return 'closed' end
if redis.call('HEXISTS', KEYS[1], 'pending') == 1 then return 'busy' end
if redis.call('HEXISTS', KEYS[1], 'host') == 0 then return 'browser-ended' end
if redis.call('XLEN', KEYS[2]) >= tonumber(ARGV[2]) then return 'flooded' end
redis.call('XTRIM', KEYS[2], 'MAXLEN', ARGV[2])
redis.call('XADD', KEYS[2], '*', 'm', ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return false`,
}
