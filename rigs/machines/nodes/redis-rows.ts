/**
 * All rows of the read models in Redis, for a comparison.
 *
 * @module
 */
import { Redis } from 'ioredis'
import { projectionsOf } from '../../../projections/all.ts'
import { generationKeys } from '../../../src/read/redis/keys.ts'

/** The rows and lists of each read model as text. */
export async function redisRows(url: string): Promise<Map<string, string>> {
  const redis = new Redis(url)
  try {
    const models = projectionsOf({}).map(async (model): Promise<[string, string]> => {
      const { rows, entries, lists } = generationKeys(model)
      const sorted = async (key: string) => Object.entries(await redis.hgetall(key)).sort(byName)
      const parts = [await sorted(rows), await sorted(entries), await redis.zrange(lists, '0', '-1')]
      return [model.name, JSON.stringify(parts)]
    })
    return new Map(await Promise.all(models))
  } finally {
    redis.disconnect()
  }
}

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]) => (a < b ? -1 : 1)
