/**
 * What is done to tickets inside Redis: one script for each change. A ticket is a hash that expires; those of one owner
 * stand in a sorted set by when they expire. All keys carry one hash tag, so the keys that are made here lie on the same
 * node of a cluster.
 *
 * @module
 */
import type { RedisScript } from '../../redis/scripts.ts'

/** Keys: a ticket, those of its owner. Arguments: hash, kind, owner, when it expires, text, the time, whether it must be there. */
export const putTicket: RedisScript = {
  name: 'putTicket',
  keys: 2,
  lua: `
if ARGV[7] == '1' and redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local forMs = math.max(1, math.ceil(ARGV[4] - ARGV[6]))
redis.call('HSET', KEYS[1], 'kind', ARGV[2], 'owner', ARGV[3], 'expires', ARGV[4], 'text', ARGV[5])
redis.call('PEXPIRE', KEYS[1], forMs)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[6])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
if redis.call('PTTL', KEYS[2]) < forMs then redis.call('PEXPIRE', KEYS[2], forMs) end
return 1`,
}

/** Keys: a ticket. Arguments: who takes it, the time. */
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

/** Keys: those of an owner. Arguments: what comes before the hash in a ticket's key. Answers hash and fields of each. */
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

/** Keys: those of an owner. Arguments: what comes before the hash in a ticket's key, hashes. */
export const endTickets: RedisScript = {
  name: 'endTickets',
  keys: 1,
  lua: `
for i = 2, #ARGV do
  if redis.call('ZREM', KEYS[1], ARGV[i]) == 1 then redis.call('UNLINK', ARGV[1] .. ARGV[i]) end
end
return 1`,
}
