/** Who listens to Redis hears what is published for as long as it is wanted, whatever happens to the server. */
import { afterEach, describe, expect, test } from 'bun:test'
import { openRedis, type RedisConnection } from '../../src/redis/connection.ts'
import { hasRedis, redisServers, type TestRedis } from '../support/redis.ts'

const servers = redisServers()
const connections: RedisConnection[] = []
afterEach(() => Promise.all(connections.splice(0).map((redis) => redis.close())))

const connect = async (server: TestRedis) => {
  const redis = await openRedis(server.url, { onFailure: () => {} })
  connections.push(redis)
  return redis
}

/** Somebody who listens to two channels, and what was heard. */
async function listening(server: TestRedis) {
  const heard: string[] = []
  const redis = await connect(server)
  const hang = await redis.listen(['one', 'two'], (channel, message) =>
    heard.push(`${channel}:${message.toString('hex')}`),
  )
  return { redis, heard, hang }
}

/** Publishes until it was heard. */
async function say(redis: RedisConnection, heard: readonly string[], channel: string, hex: string) {
  while (!heard.includes(`${channel}:${hex}`)) {
    await redis.ask((client) => client.publish(channel, Buffer.from(hex, 'hex'))).catch(() => {})
    await new Promise((go) => setTimeout(go, 10))
  }
}

describe.skipIf(!hasRedis)('who listens', () => {
  test('hears from the first moment on, every byte as it was sent, of these channels alone', async () => {
    const { redis, heard } = await listening(await servers.start())
    expect(await redis.ask((client) => client.publish('one', Buffer.from('00ff80', 'hex')))).toBe(1)
    expect(await redis.ask((client) => client.publish('three', Buffer.from('03')))).toBe(0)
    expect(await redis.ask((client) => client.publish('two', Buffer.from('')))).toBe(1)
    await say(redis, heard, 'two', '02')
    expect(heard.slice(0, 3)).toEqual(['one:00ff80', 'two:', 'two:02'])
  })

  test('hears again after the server was away, or was frozen', async () => {
    const server = await servers.start()
    const { redis, heard } = await listening(server)
    await server.stop()
    await server.start()
    await say(redis, heard, 'one', '01')
    server.freeze()
    await expect(redis.ask((client) => client.time())).rejects.toThrow()
    server.thaw()
    await say(redis, heard, 'two', '02')
  }, 60_000)

  test('hears as soon as a server is there that was not at the start', async () => {
    const server = await servers.start()
    await server.stop()
    const { redis, heard } = await listening(server)
    await server.start()
    await say(redis, heard, 'one', '01')
  }, 60_000)

  test('hears nothing more when it has hung up, nor when the connection is closed', async () => {
    const server = await servers.start()
    const { redis, hang } = await listening(server)
    await hang()
    const count = async () => ((await server.command('PUBSUB', 'NUMSUB', 'one')) as unknown[])[1]
    while ((await count()) !== 0) await new Promise((go) => setTimeout(go, 5))
    await redis.listen(['one'], () => {})
    expect(await count()).toBe(1)
    await redis.close()
    while ((await count()) !== 0) await new Promise((go) => setTimeout(go, 5))
  })
})
