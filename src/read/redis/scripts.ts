/**
 * The Redis scripts of read models: one for each atomic change. All keys of a call carry one hash tag, so that they are
 * on one node of a cluster. Written for Redis 6 and later, and Valkey.
 *
 * @module
 */
import { CLOCK, type RedisScript } from '../../redis/scripts.ts'

/** Lua's stack limits the number of a command's arguments. The part size is even, so that pairs stay together. */
const IN_PARTS = `
local function inParts(command, key, values)
  for i = 1, #values, 4000 do
    redis.call(command, key, unpack(values, i, math.min(i + 3999, #values)))
  end
end`

/**
 * Keys: checkpoints, rows, entries, lists. Arguments: field of the checkpoint, its expected value, its new value, and
 * for each row its key, its JSON ("" deletes) and its entries in lists.
 *
 * The checkpoint is written first: if memory is full, Redis refuses this first write, and nothing is written.
 */
export const commitRows: RedisScript = {
  name: 'commitRows',
  keys: 4,
  lua: String.raw`
${IN_PARTS}
${CLOCK}
local find, sub = string.find, string.sub
local function each(entries, take)
  local from, to = 2, find(entries, '\2', 2, true)
  while to do
    take(sub(entries, from, to - 1))
    from = to + 1
    to = find(entries, '\2', from, true)
  end
end
local before = redis.call('HGET', KEYS[1], ARGV[1])
if not before or string.match(before, '^%S+ %S+ %S+') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%s %.0f', ARGV[3], clock('')))
for first = 4, #ARGV, 1500 do
  local last = math.min(first + 1499, #ARGV)
  local keys = {}
  for i = first, last, 3 do keys[#keys + 1] = ARGV[i] end
  local listed = redis.call('HMGET', KEYS[3], unpack(keys))
  local set, gone, listing, unlisted, added, removed = {}, {}, {}, {}, {}, {}
  for n, key in ipairs(keys) do
    local row, now, before = ARGV[first + n * 3 - 2], ARGV[first + n * 3 - 1], listed[n] or ''
    if row == '' then
      gone[#gone + 1] = key
    else
      set[#set + 1] = key
      set[#set + 1] = row
    end
    if now ~= before then
      each(before, function(entry)
        if not find(now, '\2' .. entry .. '\2', 1, true) then removed[#removed + 1] = entry .. key end
      end)
      each(now, function(entry)
        if before == '' or not find(before, '\2' .. entry .. '\2', 1, true) then
          local n = #added
          added[n + 1] = '0'
          added[n + 2] = entry .. key
        end
      end)
      if now == '' then
        unlisted[#unlisted + 1] = key
      else
        listing[#listing + 1] = key
        listing[#listing + 1] = now
      end
    end
  end
  inParts('HSET', KEYS[2], set)
  inParts('HDEL', KEYS[2], gone)
  inParts('HSET', KEYS[3], listing)
  inParts('HDEL', KEYS[3], unlisted)
  inParts('ZREM', KEYS[4], removed)
  inParts('ZADD', KEYS[4], added)
end
return 1`,
}

/**
 * Keys: rows, lists. Arguments: bytes before the last field, lower and upper bound, limit, order. Returns the rows.
 * In a member, the row's key follows the end of the last field.
 */
export const listRows: RedisScript = {
  name: 'listRows',
  keys: 2,
  lua: String.raw`
local members
if ARGV[5] == 'descending' then
  members = redis.call('ZREVRANGEBYLEX', KEYS[2], ARGV[3], ARGV[2], 'LIMIT', 0, ARGV[4])
else
  members = redis.call('ZRANGEBYLEX', KEYS[2], ARGV[2], ARGV[3], 'LIMIT', 0, ARGV[4])
end
local rows = {}
for first = 1, #members, 4000 do
  local keys = {}
  for i = first, math.min(first + 3999, #members) do
    keys[#keys + 1] = string.sub(members[i], string.find(members[i], '\0', ARGV[1] + 1, true) + 1)
  end
  for _, row in ipairs(redis.call('HMGET', KEYS[1], unpack(keys))) do rows[#rows + 1] = row end
end
return rows`,
}

/** Keys: lists. Arguments: the bounds of a range. */
export const countRows: RedisScript = {
  name: 'countRows',
  keys: 1,
  lua: `return redis.call('ZLEXCOUNT', KEYS[1], ARGV[1], ARGV[2])`,
}

/** Keys as for commitRows. Arguments: field of the checkpoint, and its expected stored value. */
export const forgetRows: RedisScript = {
  name: 'forgetRows',
  keys: 4,
  lua: `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[4])
return 1`,
}

/**
 * Keys as for commitRows, of the next generation. Arguments: field of its checkpoint, log, generation, and "anew" to
 * drop an existing next generation. Returns the checkpoint.
 */
export const beginGeneration: RedisScript = {
  name: 'beginGeneration',
  keys: 4,
  lua: `
${CLOCK}
local there = redis.call('HGET', KEYS[1], ARGV[1])
if there and ARGV[4] ~= 'anew' and string.match(there, '^%S+') == ARGV[2] then return there end
local begun = string.format('%s 0 %s %.0f', ARGV[2], ARGV[3], clock(''))
redis.call('HSET', KEYS[1], ARGV[1], begun)
redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[4])
return begun`,
}

/**
 * Keys: checkpoints, the current generation's three and the next generation's three. Arguments: fields of both
 * checkpoints, and "anyway" to publish even if the next generation is behind. The current generation is identified by
 * its key names.
 */
export const publishGeneration: RedisScript = {
  name: 'publishGeneration',
  keys: 7,
  lua: `
${CLOCK}
local nextOne = redis.call('HGET', KEYS[1], ARGV[2])
if not nextOne then return 1 end
local current = redis.call('HGET', KEYS[1], ARGV[1])
if current and ARGV[3] ~= 'anyway' then
  local log, position = string.match(nextOne, '^(%S+) (%S+)')
  local itsLog, itsPosition = string.match(current, '^(%S+) (%S+)')
  if itsLog == log and tonumber(itsPosition) > tonumber(position) then return 0 end
end
local checkpoint = string.match(nextOne, '^%S+ %S+ %S+')
redis.call('HSET', KEYS[1], ARGV[1], string.format('%s %.0f', checkpoint, clock('')))
redis.call('HDEL', KEYS[1], ARGV[2])
for i = 2, 4 do
  redis.call('UNLINK', KEYS[i])
  if redis.call('EXISTS', KEYS[i + 3]) == 1 then redis.call('RENAME', KEYS[i + 3], KEYS[i]) end
end
return 1`,
}
