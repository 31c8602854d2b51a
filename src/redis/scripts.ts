/**
 * Scripts that run inside Redis.
 *
 * @module
 */

/** A script, and what the client calls it. */
export type RedisScript = {
  /** unlike that of any other script or command */
  readonly name: string
  /** how many of its arguments are keys; they come first */
  readonly keys: number
  readonly lua: string
}

/** Lua: milliseconds since 1970, of the server unless the caller says what time it is. */
export const CLOCK = `
local function clock(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end`
