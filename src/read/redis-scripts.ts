/**
 * What is done inside Redis: one script for each change that must be whole. All keys of a call carry one hash tag, so
 * that they lie on one node of a cluster. Written for Redis 6 and later, and Valkey.
 *
 * @module
 */
import { VISIT_SCRIPTS } from './redis-visit-scripts.ts'

/** Variadic commands take no more arguments than Lua's stack holds. An even number: pairs stay together. */
const IN_PARTS = `
local function inParts(command, key, values)
  for i = 1, #values, 4000 do
    redis.call(command, key, unpack(values, i, math.min(i + 3999, #values)))
  end
end`

/** Milliseconds since 1970, of the server unless the caller says what time it is. */
const NOW = `
local function clock(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end`

/**
 * Keys: positions, rows, entries, lists. Arguments: field of the positions, where the model must stand ("" for
 * nowhere), where it stands then, and for each row its key, its JSON ("" deletes) and its entries in lists.
 *
 * The position comes first: it is what Redis refuses when memory is full, and then nothing was written.
 */
const COMMIT = String.raw`
${IN_PARTS}
${NOW}
local find, sub = string.find, string.sub
local function each(entries, take)
  local from, to = 2, find(entries, '\2', 2, true)
  while to do
    take(sub(entries, from, to - 1))
    from = to + 1
    to = find(entries, '\2', from, true)
  end
end
local stood = redis.call('HGET', KEYS[1], ARGV[1])
if (stood and string.match(stood, '^%S+ %S+ %S+') or '') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%s %.0f', ARGV[3], clock('')))
if not stood then redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[4]) end
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
return 1`

/**
 * Keys: rows, lists. Arguments: bytes before the last field, lower and upper bound, limit, order. Answers the rows.
 * The row's key is what stands behind the end of the last field.
 */
const LIST = String.raw`
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
return rows`

/** Keys as of the commit. Arguments: field of the positions, and where it must stand, as it is written; "" for anywhere. */
const FORGET = `
if ARGV[2] ~= '' and redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[4])
return 1`

/** Keys: positions, the model's three and the draft's. Arguments: field of the model, field of the draft. */
const REPLACE = `
${NOW}
local draft = redis.call('HGET', KEYS[1], ARGV[2])
if not draft then return 0 end
local log, position = string.match(draft, '^(%S+) (%S+)')
local model, build = redis.call('HGET', KEYS[1], ARGV[1]), 0
if model then
  local itsLog, itsPosition, itsBuild = string.match(model, '^(%S+) (%S+) (%S+)')
  if itsLog == log and tonumber(itsPosition) > tonumber(position) then return 0 end
  build = tonumber(itsBuild)
end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%s %s %d %.0f', log, position, build + 1, clock('')))
redis.call('HDEL', KEYS[1], ARGV[2])
for i = 2, 4 do
  redis.call('UNLINK', KEYS[i])
  if redis.call('EXISTS', KEYS[i + 3]) == 1 then redis.call('RENAME', KEYS[i + 3], KEYS[i]) end
end
return 1`

/**
 * The arithmetic of buckets.ts. Key: the bucket. Arguments: tokens a minute, the time or "". Answers whether the token
 * was given, and what is spent then. A deletion may be done though memory is full, and lets what follows it go on:
 * polls must not fail because lists can't grow.
 */
const TAKE = `
${NOW}
local perMinute, now = tonumber(ARGV[1]), clock(ARGV[2])
local capacity, spent, at = perMinute * 60000, 0, now
local kept = redis.call('GET', KEYS[1])
if kept then
  spent, at = string.match(kept, '^(%d+) (%d+)$')
end
spent = math.min(capacity, math.max(0, spent - math.max(0, now - at) * perMinute))
local allowed = spent + 60000 <= capacity and 1 or 0
spent = spent + allowed * 60000
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[1], string.format('%.0f %.0f', spent, now), 'PX', 60000)
return { allowed, spent }`

/** Key: times of last use. Arguments: keys with times; the latest stands. */
const NOTE = `
for i = 1, #ARGV, 2 do
  local before = redis.call('HGET', KEYS[1], ARGV[i])
  if not before or tonumber(before) < tonumber(ARGV[i + 1]) then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  end
end
return 1`

/**
 * Keys: when an account's places end, by run; who holds them, by run. The removal of ended ones comes first: it may be
 * done though memory is full, and lets what follows go on.
 */
const PLACES = `
${NOW}
local function open(now)
  local ended = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now)
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
  for _, run in ipairs(ended) do redis.call('HDEL', KEYS[2], run) end
end
local function hold(run, holder, till)
  redis.call('ZADD', KEYS[1], till, run)
  redis.call('HSET', KEYS[2], run, holder)
end
local function keepKeys(now)
  local latest = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
  if not latest then return end
  for i = 1, 2 do redis.call('PEXPIRE', KEYS[i], string.format('%.0f', latest - now + 1000)) end
end`

/** Arguments: run, holder, limit, milliseconds, the time or "". */
const OCCUPY = `
${PLACES}
local run, holder, limit, now = ARGV[1], ARGV[2], tonumber(ARGV[3]), clock(ARGV[5])
open(now)
local held = redis.call('HGET', KEYS[2], run)
if held and held ~= holder or redis.call('EXISTS', KEYS[3]) == 1 then return 'taken' end
if not held and limit > 0 and redis.call('ZCARD', KEYS[1]) >= limit then return 'full' end
hold(run, holder, now + ARGV[4])
keepKeys(now)
return 'granted'`

/** Arguments: milliseconds, the time or "", runs with holders. */
const KEEP = `
${PLACES}
local now = clock(ARGV[2])
open(now)
for i = 3, #ARGV, 2 do
  local held = redis.call('HGET', KEYS[2], ARGV[i])
  if not held or held == ARGV[i + 1] then hold(ARGV[i], ARGV[i + 1], now + ARGV[1]) end
end
keepKeys(now)
return 1`

/** Arguments: run, holder, milliseconds for which the run is known to have ended, 0: it has not. */
const VACATE = `
if tonumber(ARGV[3]) > 0 then redis.call('SET', KEYS[3], '', 'PX', ARGV[3]) end
if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[1], ARGV[1])
return 1`

/** Key: a link. Arguments: milliseconds until it expires, account, source, when it expires. */
const KEEP_LINK = `
redis.call('HSET', KEYS[1], 'account', ARGV[2], 'source', ARGV[3], 'expires', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`

/** Key: a link. Arguments: who opens it, the time. The same one may open it again: a call may come twice. */
const OPEN_LINK = `
local link = redis.call('HMGET', KEYS[1], 'expires', 'opened')
if not link[1] or tonumber(link[1]) <= tonumber(ARGV[2]) then return 0 end
if link[2] then return link[2] == ARGV[1] and 1 or 0 end
redis.call('HSET', KEYS[1], 'opened', ARGV[1])
return 1`

/**
 * Key: a login's links that nobody has opened, by when they expire. Arguments: a link, when it expires, the time, milliseconds until then, how
 * many there may be. Answers those that are too many.
 */
const LIST_LINK = `
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
local dropped = redis.call('ZRANGE', KEYS[1], 0, -1 - ARGV[5])
if #dropped > 0 then redis.call('ZREM', KEYS[1], unpack(dropped)) end
return dropped`

/**
 * Keys: a login's links, and the one of them that was opened. Arguments: a link, that with when it expires, milliseconds
 * until then. Answers the one that was opened before.
 */
const NOTE_OPENED = `
redis.call('ZREM', KEYS[1], ARGV[1])
local before = redis.call('GET', KEYS[2])
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
return before`

/** Keys: as before. Arguments: a link, that with when it expires. */
const FORGET_LINK = `
redis.call('ZREM', KEYS[1], ARGV[1])
if redis.call('GET', KEYS[2]) == ARGV[2] then redis.call('DEL', KEYS[2]) end
return 1`

/** The scripts as the client learns them: each becomes a method that takes its keys and arguments in one array. */
export const SCRIPTS = {
  commitRows: { lua: COMMIT, numberOfKeys: 4 },
  listRows: { lua: LIST, numberOfKeys: 2 },
  forgetRows: { lua: FORGET, numberOfKeys: 4 },
  replaceRows: { lua: REPLACE, numberOfKeys: 7 },
  takeToken: { lua: TAKE, numberOfKeys: 1 },
  noteTimes: { lua: NOTE, numberOfKeys: 1 },
  occupyPlace: { lua: OCCUPY, numberOfKeys: 3 },
  keepPlaces: { lua: KEEP, numberOfKeys: 2 },
  vacatePlace: { lua: VACATE, numberOfKeys: 3 },
  keepLink: { lua: KEEP_LINK, numberOfKeys: 1 },
  openLink: { lua: OPEN_LINK, numberOfKeys: 1 },
  listLink: { lua: LIST_LINK, numberOfKeys: 1 },
  noteOpened: { lua: NOTE_OPENED, numberOfKeys: 2 },
  forgetLink: { lua: FORGET_LINK, numberOfKeys: 2 },
  ...VISIT_SCRIPTS,
} as const
