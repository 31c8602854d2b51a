/**
 * A node that asks one host as often as it may, for two accounts, until it is killed.
 * Arguments: the URL of Redis, the origin, requests a second, requests at once, its name.
 *
 * @module
 */
import { RedisSharedPace } from '../../../src/ephemeral/redis/shared-pace.ts'
import { RateLimiter } from '../../../src/net/rate-limiter.ts'
import { openRedis } from '../../../src/redis/connection.ts'

const [redisUrl = '', origin = '', perSecond, concurrent, name] = process.argv.slice(2)
const redis = await openRedis(redisUrl)
const pace = new RedisSharedPace(redis)
pace.join()
const source = { name: 'lamps', pace: { perSecond: Number(perSecond), concurrent: Number(concurrent) } }
const rateLimiter = new RateLimiter(undefined, {}, pace)

async function request(account: string): Promise<void> {
  const turn = Promise.withResolvers<void>()
  const release = rateLimiter.ask(source, 'www.lamps.example', account, Number.POSITIVE_INFINITY, () =>
    turn.resolve(),
  )
  await turn.promise
  try {
    await (await fetch(`${origin}/${name}`)).text()
  } finally {
    release(0)
  }
}

async function forever(account: string): Promise<void> {
  for (;;) await request(account)
}

console.log('ready')
// Its timers do not keep a process alive.
setInterval(() => {}, 1000)
// Requests enough that the pace alone decides.
for (const account of ['ann', 'bob']) for (let i = 0; i < 3; i++) void forever(account)
