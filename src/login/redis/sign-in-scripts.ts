/**
 * What is done to links inside Redis: one script for each change. A link is a hash that expires; the links of a login
 * stand in a sorted set by when they expire. All keys carry one hash tag, so the keys that are made here lie on the same
 * node of a cluster.
 *
 * @module
 */
import type { RedisScript } from '../../redis/scripts.ts'

/** Keys: a link, its login's links. Arguments: hash, account, source, when it expires, the time, how many may be unopened. */
export const offerLink: RedisScript = {
  name: 'offerLink',
  keys: 2,
  lua: `
local prefix = string.sub(KEYS[1], 1, -1 - #ARGV[1])
local forMs = math.max(1, math.ceil(ARGV[4] - ARGV[5]))
redis.call('HSET', KEYS[1], 'account', ARGV[2], 'source', ARGV[3], 'expires', ARGV[4])
redis.call('PEXPIRE', KEYS[1], forMs)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[5])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
if redis.call('PTTL', KEYS[2]) < forMs then redis.call('PEXPIRE', KEYS[2], forMs) end
local unopened = 0
for _, hash in ipairs(redis.call('ZREVRANGE', KEYS[2], 0, -1)) do
  if redis.call('HEXISTS', prefix .. hash, 'opened') == 0 then
    unopened = unopened + 1
    if unopened > tonumber(ARGV[6]) then
      redis.call('UNLINK', prefix .. hash)
      redis.call('ZREM', KEYS[2], hash)
    end
  end
end
return 1`,
}

/**
 * Keys: a link, its login's links. Arguments: hash, who opens it, the time. The same one may open it again: a call may
 * come twice. The link of the login that was opened before ends.
 */
export const openLink: RedisScript = {
  name: 'openLink',
  keys: 2,
  lua: `
local prefix = string.sub(KEYS[1], 1, -1 - #ARGV[1])
local link = redis.call('HMGET', KEYS[1], 'expires', 'opened')
if not link[1] or tonumber(link[1]) <= tonumber(ARGV[3]) then return 0 end
if link[2] then return link[2] == ARGV[2] and 1 or 0 end
redis.call('HSET', KEYS[1], 'opened', ARGV[2])
for _, hash in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  if hash ~= ARGV[1] and redis.call('HEXISTS', prefix .. hash, 'opened') == 1 then
    redis.call('UNLINK', prefix .. hash)
    redis.call('ZREM', KEYS[2], hash)
  end
end
return 1`,
}

/** Keys: a login's links. Arguments: what comes before the hash in a link's key, hashes; none: all. */
export const endLinks: RedisScript = {
  name: 'endLinks',
  keys: 1,
  lua: `
local hashes = { unpack(ARGV, 2) }
if #hashes == 0 then hashes = redis.call('ZRANGE', KEYS[1], 0, -1) end
for _, hash in ipairs(hashes) do
  redis.call('UNLINK', ARGV[1] .. hash)
  redis.call('ZREM', KEYS[1], hash)
end
return 1`,
}
