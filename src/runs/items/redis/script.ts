/**
 * How live items lie in Redis: one hash for each attempt, with the fields `total`, `index`, and the text of each part.
 *
 * @module
 */
import type { RedisScript } from '../../../redis/scripts.ts'
import type { Part } from '../parts.ts'

/** What `index` says. `id` is in the names of the fields with texts, and is another one when the run starts over. */
export type Index = { readonly id: string; readonly parts: readonly Part[] }

/** The name of the field with the text of a part. */
export const fieldOf = (id: string, part: number): string => `${id}.${part}`

/**
 * Key: the items of an attempt. Arguments: milliseconds until they expire; `new` to replace what is there, or `more`;
 * then fields with values. Returns 0 if there is nothing to add to. SET fails when Redis has no memory left, while a
 * deletion at first would let the rest of the script through.
 */
export const handOver: RedisScript = {
  name: 'handOverItems',
  keys: 1,
  lua: `
if ARGV[2] == 'new' then
  redis.call('SET', KEYS[1], '')
  redis.call('DEL', KEYS[1])
elseif redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
for i = 3, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`,
}
