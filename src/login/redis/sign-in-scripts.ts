/**
 * What is done to links inside Redis: one script for each change that must be whole.
 *
 * @module
 */
import type { RedisScript } from '../../redis/scripts.ts'

/** Key: a link. Arguments: milliseconds until it expires, account, source, when it expires. */
export const keepLink: RedisScript = {
  name: 'keepLink',
  keys: 1,
  lua: `
redis.call('HSET', KEYS[1], 'account', ARGV[2], 'source', ARGV[3], 'expires', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`,
}

/** Key: a link. Arguments: who opens it, the time. The same one may open it again: a call may come twice. */
export const openLink: RedisScript = {
  name: 'openLink',
  keys: 1,
  lua: `
local link = redis.call('HMGET', KEYS[1], 'expires', 'opened')
if not link[1] or tonumber(link[1]) <= tonumber(ARGV[2]) then return 0 end
if link[2] then return link[2] == ARGV[1] and 1 or 0 end
redis.call('HSET', KEYS[1], 'opened', ARGV[1])
return 1`,
}

/**
 * Key: a login's links that nobody has opened, by when they expire. Arguments: a link, when it expires, the time, milliseconds until then, how
 * many there may be. Answers those that are too many.
 */
export const listLink: RedisScript = {
  name: 'listLink',
  keys: 1,
  lua: `
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
local dropped = redis.call('ZRANGE', KEYS[1], 0, -1 - ARGV[5])
if #dropped > 0 then redis.call('ZREM', KEYS[1], unpack(dropped)) end
return dropped`,
}

/**
 * Keys: a login's links, and the one of them that was opened. Arguments: a link, that with when it expires, milliseconds
 * until then. Answers the one that was opened before.
 */
export const noteOpened: RedisScript = {
  name: 'noteOpened',
  keys: 2,
  lua: `
redis.call('ZREM', KEYS[1], ARGV[1])
local before = redis.call('GET', KEYS[2])
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
return before`,
}

/** Keys: as before. Arguments: a link, that with when it expires. */
export const forgetLink: RedisScript = {
  name: 'forgetLink',
  keys: 2,
  lua: `
redis.call('ZREM', KEYS[1], ARGV[1])
if redis.call('GET', KEYS[2]) == ARGV[2] then redis.call('DEL', KEYS[2]) end
return 1`,
}
