/**
 * A node that asks one host as often as it may, for two accounts, until it is killed. It prints how many nodes it knows,
 * and whether Redis answers.
 * Arguments: the URL of Redis, the origin, requests a second, requests at once, milliseconds between heartbeats, its
 * name.
 *
 * @module
 */
import { RedisSharedPace } from '../../../src/ephemeral/redis/shared-pace.ts'
import type { PaceQuestion } from '../../../src/ephemeral/shared-pace.ts'
import { RateLimiter } from '../../../src/net/rate-limiter.ts'
import { openRedis } from '../../../src/redis/connection.ts'

const [redisUrl = '', origin = '', perSecond, concurrent, beatMs, name] = process.argv.slice(2)

let last = ''
/** Prints what has changed. */
function say(words: string): void {
  if (words !== last) console.log(words)
  last = words
}

class SpokenPace extends RedisSharedPace {
  override async ask(question: PaceQuestion) {
    try {
      const answer = await super.ask(question)
      say(`with ${this.nodes}`)
      return answer
    } catch (error) {
      say('alone')
      throw error
    }
  }
}

const pace = new SpokenPace(await openRedis(redisUrl), { beatMs: Number(beatMs) })
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

// Its timers do not keep a process alive.
setInterval(() => {}, 1000)
// Requests enough that the pace alone decides.
for (const account of ['ann', 'bob']) for (let i = 0; i < 3; i++) void forever(account)
