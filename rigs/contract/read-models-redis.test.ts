/** The read models in Redis fulfil the contract, on one server and on a cluster of three. */
import { RedisReadModels } from '../../src/read/redis/read-models.ts'
import { openRedis } from '../../src/redis/connection.ts'
import { onRedis } from './on-redis.ts'
import { readModelsContract } from './read-models.ts'

onRedis((name, emptied) =>
  readModelsContract(name, async () => {
    const url = await emptied()
    let redis = await openRedis(url)
    return {
      models: new RedisReadModels(redis),
      async reopen() {
        await redis.close()
        redis = await openRedis(url)
        return new RedisReadModels(redis)
      },
      close: () => redis.close(),
    }
  }),
)
