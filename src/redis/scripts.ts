/**
 * Scripts that run inside Redis.
 *
 * @module
 */

/** A script and its name in the client. */
export type RedisScript = {
  /** unique among all scripts and commands */
  readonly name: string
  /** how many of its arguments are keys; they come first */
  readonly keys: number
  readonly lua: string
}

/** Lua: milliseconds since 1970, by the server's clock unless the caller passes a time. */
export const CLOCK = `
local function clock(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end`
