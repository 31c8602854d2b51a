/** Tickets and sign-in links in Redis fulfil the contract, on one server and on a cluster. */
import { openRedisTickets } from '../../src/ephemeral/redis/tickets.ts'
import { openRedis } from '../../src/redis/connection.ts'
import { onRedis } from './on-redis.ts'
import { signInsContract } from './sign-in-links.ts'
import { ticketsContract } from './tickets.ts'

onRedis((name, emptied) => {
  const open = async () => {
    const redis = await openRedis(await emptied())
    return { tickets: openRedisTickets(redis), close: () => redis.close() }
  }
  ticketsContract(name, open)
  signInsContract(name, open)
})
