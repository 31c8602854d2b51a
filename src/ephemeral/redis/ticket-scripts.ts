/**
 * Redis scripts of tickets, one for each change. A ticket is a hash that expires. The tickets of an owner are in a
 * sorted set, ordered by expiry. All keys have the same hash tag, so the keys that are built here are on the same node
 * of a cluster.
 *
 * @module
 */
import type { RedisScript } from '../../redis/scripts.ts'

/** Keys: a ticket, its owner's tickets. Arguments: hash, kind, owner, expiry, text, the time, "1" if it must exist. */
export const putTicket: RedisScript = {
  name: 'putTicket',
  keys: 2,
  lua: `
if ARGV[7] == '1' and redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if ARGV[7] == '0' then redis.call('HDEL', KEYS[1], 'taken') end
local forMs = math.max(1, math.ceil(ARGV[4] - ARGV[6]))
redis.call('HSET', KEYS[1], 'kind', ARGV[2], 'owner', ARGV[3], 'expires', ARGV[4], 'text', ARGV[5])
redis.call('PEXPIRE', KEYS[1], forMs)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[6])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
if redis.call('PTTL', KEYS[2]) < forMs then redis.call('PEXPIRE', KEYS[2], forMs) end
return 1`,
}

/** Keys: a ticket. Arguments: the taker, the time. */
export const takeTicket: RedisScript = {
  name: 'takeTicket',
  keys: 1,
  lua: `
local ticket = redis.call('HMGET', KEYS[1], 'expires', 'taken')
if not ticket[1] or tonumber(ticket[1]) <= tonumber(ARGV[2]) then return 0 end
if ticket[2] then return ticket[2] == ARGV[1] and 1 or 0 end
redis.call('HSET', KEYS[1], 'taken', ARGV[1])
return 1`,
}

/** Keys: an owner's tickets. Arguments: the prefix of ticket keys. Returns hash and fields of each. */
export const listTickets: RedisScript = {
  name: 'listTickets',
  keys: 1,
  lua: `
local found = {}
for _, hash in ipairs(redis.call('ZREVRANGE', KEYS[1], 0, -1)) do
  local ticket = redis.call('HMGET', ARGV[1] .. hash, 'kind', 'owner', 'expires', 'text', 'taken')
  if ticket[1] then found[#found + 1] = { hash, unpack(ticket) } end
end
return found`,
}

/** Keys: an owner's tickets. Arguments: the prefix of ticket keys, hashes. */
export const endTickets: RedisScript = {
  name: 'endTickets',
  keys: 1,
  lua: `
for i = 2, #ARGV do
  if redis.call('ZREM', KEYS[1], ARGV[i]) == 1 then redis.call('UNLINK', ARGV[1] .. ARGV[i]) end
end
return 1`,
}
