/**
 * Deletes unused generations of read models in Redis: superseded versions, and next generations whose builder died. An
 * older process may still serve from its version during an upgrade, and a builder may still be active, so both are
 * deleted only when their checkpoint has not moved for a day.
 *
 * @module
 */
import type { RedisConnection } from '../../redis/connection.ts'
import type { Model } from '../read-models.ts'
import { generationKeys, generationKeysAt } from './keys.ts'
import { forgetRows } from './scripts.ts'

/** Age of an unused generation by the server's clock, in milliseconds. */
const UNUSED_MS = 24 * 3_600_000

/** Deletes the unused generations of a model's name. */
export async function sweep(redis: RedisConnection, model: Model): Promise<void> {
  const { checkpoints, field } = generationKeys(model)
  const [all, [seconds]] = await redis.ask((server) =>
    Promise.all([server.hgetall(checkpoints), server.time()]),
  )
  const now = Number(seconds) * 1000
  const own = all[field]?.split(' ')
  if (!own) return
  for (const [other, text] of Object.entries(all)) {
    const [logId, position, , moved] = text.split(' ')
    if (other === field || now - Number(moved) < UNUSED_MS) continue
    const [version, , isNext] = other.split('.')
    const isPassed = logId !== own[0] || Number(position) <= Number(own[1])
    if (!isNext && !(Number(version) <= model.version && isPassed)) continue
    // Deletes it only if its checkpoint is unchanged: another process may begin to use it now.
    const args = [...generationKeysAt(model.name, other).all, other, text]
    await redis.write((server) => server.run(forgetRows, args))
  }
}
