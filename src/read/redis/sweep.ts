/**
 * Deleting what is left of read models in Redis: versions that a newer one has passed, and next generations whose builder
 * was cut off. An older process may still serve from its version while the others are upgraded, and a builder may be at
 * work, so both go when nobody has moved them for a day.
 *
 * @module
 */
import type { RedisConnection } from '../../redis/connection.ts'
import type { Model } from '../read-models.ts'
import { generationKeys, generationKeysAt, keysOf } from './keys.ts'
import { forgetRows } from './scripts.ts'

/** By the server's clock, in milliseconds. */
const UNUSED_MS = 24 * 3_600_000

/** Deletes the generations beside a model's that nobody needs. */
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
    // Only while its checkpoint is as it was found: somebody may begin to use it now.
    const args = [...keysOf(generationKeysAt(model.name, other)), other, text]
    await redis.write((server) => server.run(forgetRows, args))
  }
}
