/**
 * What is done inside Redis for visits of people who sign in. A visit is a hash that expires, and those that wait stand
 * in a sorted set besides; all carry one hash tag. Each change of the line is published, without a word of what it was.
 *
 * Where memory is full nobody new is let into the line. All else begins with a deletion, which may be done though memory
 * is full and lets what follows go on: who is in stays in.
 *
 * @module
 */
import type { RedisScript } from '../../redis/scripts.ts'

/**
 * Key: the line; a visit's key is the prefix with its id. Whoever's hash has expired waits no more.
 *
 * In a cluster the prefix has the tag of the line, so the keys that are made here lie on the same node.
 */
const LINE = `
local function line(prefix)
  local ids = {}
  for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    if redis.call('HEXISTS', prefix .. id, 'offer') == 1 then
      ids[#ids + 1] = id
    else
      redis.call('ZREM', KEYS[1], id)
    end
  end
  return ids
end`

/** Arguments: prefix, channel, id, sealed, milliseconds, how many may wait. The same one may come twice. */
export const offerVisit: RedisScript = {
  name: 'offerVisit',
  keys: 1,
  lua: `
${LINE}
local key = ARGV[1] .. ARGV[3]
if redis.call('EXISTS', key) == 1 then return 1 end
if #line(ARGV[1]) >= tonumber(ARGV[6]) then return 0 end
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2] or '0'
local time = redis.call('TIME')
-- In microseconds, and never before the last one, whatever the clock does.
local score = math.max(time[1] * 1000000 + time[2], tonumber(last) + 1)
redis.call('HSET', key, 'offer', ARGV[4])
redis.call('PEXPIRE', key, ARGV[5])
redis.call('ZADD', KEYS[1], string.format('%.0f', score), ARGV[3])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[5]) then redis.call('PEXPIRE', KEYS[1], ARGV[5]) end
redis.call('PUBLISH', ARGV[2], '')
return 1`,
}

/** Arguments: prefix, channel, post, milliseconds. Answers id and what was sealed. */
export const takeVisit: RedisScript = {
  name: 'takeVisit',
  keys: 1,
  lua: `
${LINE}
local id = line(ARGV[1])[1]
if not id then return false end
local key = ARGV[1] .. id
local sealed = redis.call('HGET', key, 'offer')
redis.call('ZREM', KEYS[1], id)
redis.call('HDEL', key, 'offer')
redis.call('HSET', key, 'post', ARGV[3])
redis.call('PEXPIRE', key, ARGV[4])
redis.call('PUBLISH', ARGV[2], '')
return { id, sealed }`,
}

/** Arguments: prefix, post, milliseconds, ids. Also where all was forgotten: who has a visit knows it best. */
export const keepVisits: RedisScript = {
  name: 'keepVisits',
  keys: 1,
  lua: `
for i = 4, #ARGV do
  local key = ARGV[1] .. ARGV[i]
  if redis.call('HEXISTS', key, 'end') == 0 then
    redis.call('HDEL', key, 'post')
    redis.call('HSET', key, 'post', ARGV[2])
    redis.call('PEXPIRE', key, ARGV[3])
  end
end
return 1`,
}

/** Arguments: prefix, channel, id, sealed, milliseconds, "waiting": only then. Answers what it was offered with. */
export const endVisit: RedisScript = {
  name: 'endVisit',
  keys: 1,
  lua: `
local key = ARGV[1] .. ARGV[3]
local offer = redis.call('HGET', key, 'offer')
if ARGV[6] == 'waiting' and not offer then return false end
redis.call('HDEL', key, 'offer', 'post')
redis.call('ZREM', KEYS[1], ARGV[3])
redis.call('HSET', key, 'end', ARGV[4])
redis.call('PEXPIRE', key, ARGV[5])
redis.call('PUBLISH', ARGV[2], '')
return offer`,
}

/** Arguments: prefix, channel, id, attendance, whether it is new. Answers place in the line, post, end, attendance. */
export const lookAtVisit: RedisScript = {
  name: 'lookAtVisit',
  keys: 1,
  lua: `
${LINE}
local key = ARGV[1] .. ARGV[3]
local fields = redis.call('HMGET', key, 'offer', 'post', 'end', 'attending')
if not fields[1] and not fields[2] and not fields[3] then return false end
local place = 0
if fields[1] then
  for i, id in ipairs(line(ARGV[1])) do
    if id == ARGV[3] then place = i end
  end
end
local attending = fields[4]
if ARGV[4] ~= '' and (ARGV[5] == '1' or not attending) then
  redis.call('HDEL', key, 'attending')
  redis.call('HSET', key, 'attending', ARGV[4])
  if attending and attending ~= ARGV[4] then redis.call('PUBLISH', ARGV[2], '') end
  attending = ARGV[4]
end
return { place, fields[2], fields[3], attending }`,
}
