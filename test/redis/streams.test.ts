/** Readers of Redis streams get each entry once and in order, also after failures of the server. */
import { afterEach, describe, expect, test } from 'bun:test'
import { hasRedis, redisServers, type TestRedis } from '../../rigs/servers/redis.ts'
import { openRedis, type RedisConnection } from '../../src/redis/connection.ts'

const servers = redisServers()
const connections: RedisConnection[] = []
afterEach(() => Promise.all(connections.splice(0).map((redis) => redis.close())))

const until = async (is: () => boolean | Promise<boolean>) => {
  while (!(await is())) await new Promise((go) => setTimeout(go, 5))
}

/** A reader of the streams `one` and `two`, and the entries that it got. */
async function reading(server: TestRedis) {
  const messages: string[] = []
  const redis = await openRedis(server.url, { onFailure: () => {} })
  connections.push(redis)
  const reader = redis.streams()
  const hear = (key: string) => (message: Buffer) => messages.push(`${key}:${message.toString()}`)
  const end = reader.read('one', hear('one'))
  reader.read('two', hear('two'))
  return { redis, messages, reader, end, hear }
}
const add = (server: TestRedis, key: string, text: string) => server.command('XADD', key, '*', 'm', text)
const blocked = async (server: TestRedis) =>
  Number(/blocked_clients:(\d+)/.exec(String(await server.command('INFO', 'clients')))?.[1])

describe.skipIf(!hasRedis)('a reader of streams', () => {
  test('gets earlier entries, new entries, and those of a stream that is added later', async () => {
    const server = await servers.start()
    await add(server, 'one', 'before')
    const { messages, reader, hear } = await reading(server)
    await until(() => messages.length === 1)
    for (const text of ['a', 'b', 'c']) await add(server, 'one', text)
    await add(server, 'two', 'd')
    await until(() => messages.length === 5)
    expect(messages.filter((each) => each.startsWith('one'))).toEqual([
      'one:before',
      'one:a',
      'one:b',
      'one:c',
    ])
    await add(server, 'three', 'e')
    reader.read('three', hear('three'))
    await until(() => messages.length === 6)
    expect(messages.slice(4)).toEqual(['two:d', 'three:e'])
  })

  test('loses and repeats no entry after cut connections and a restart of the server', async () => {
    const server = await servers.start('--appendonly', 'yes', '--appendfsync', 'always')
    const { messages } = await reading(server)
    const texts = Array.from({ length: 30 }, (_, i) => `one:${i}`)
    for (const [i, text] of texts.entries()) {
      if (i % 10 === 5) await server.command('CLIENT', 'KILL', 'TYPE', 'normal')
      await add(server, 'one', text.slice(4))
    }
    await server.stop()
    await server.start()
    await add(server, 'one', 'last')
    await until(() => messages.at(-1) === 'one:last')
    expect(messages).toEqual([...texts, 'one:last'])
  }, 60_000)

  test('gets no entries of a removed stream, and leaves no blocked client when its connection is closed', async () => {
    const server = await servers.start()
    const { redis, messages, end } = await reading(server)
    await add(server, 'one', 'a')
    await until(() => messages.length === 1)
    end()
    await add(server, 'one', 'b')
    await add(server, 'two', 'c')
    await until(() => messages.length === 2)
    expect(messages).toEqual(['one:a', 'two:c'])
    await until(async () => (await blocked(server)) === 1)
    await redis.close()
    await until(async () => (await blocked(server)) === 0)
  })
})
