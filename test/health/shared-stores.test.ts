/** Two workers on EventStoreDB and Redis: one of them announces a change, and both share the 20 minutes between mails. */
import { afterAll, expect, test } from 'bun:test'
import { type EventStoreProcess, startEventStoreProcess } from '../../rigs/servers/eventstore/process.ts'
import { hasRedis, redisServers } from '../../rigs/servers/redis.ts'
import { HealthWatch } from '../../src/health/watch.ts'
import { type Service, startService } from '../http/service.ts'

let eventStore: EventStoreProcess | undefined
const services: Service[] = []
afterAll(async () => {
  for (const service of services) await service.close()
  await eventStore?.kill()
})
// Its servers end after the services.
const servers = redisServers()

test.skipIf(!hasRedis)('a change is announced once, and one mail is allowed', async () => {
  eventStore = await startEventStoreProcess()
  const env = {
    EVENTSTORE_URL: eventStore.url,
    REDIS_URL: (await servers.start()).url,
    VAULT_KEY: `${'A'.repeat(43)}=`,
  }
  for (let node = 0; node < 2; node++) services.push(await startService({ env }))
  const [one] = services
  const { key } = await one!.openAccount()
  for (let run = 0; run < 3; run++) {
    const kickoff = await one!.post('/v1/sample/search', key, { query: 'otter' })
    const id = kickoff.headers.get('run-id') ?? ''
    await one!.finish(id, { status: 'failed', code: 'source-changed' })
  }
  await one!.shown()
  const said: string[] = []
  const watches = services.map(
    ({ deps }) =>
      new HealthWatch({ ...deps, onChanged: ({ task, from, to }) => said.push(`${task.key} ${from}>${to}`) }),
  )
  for (let round = 0; round < 3; round++) {
    await Promise.all(watches.map((watch) => watch.once()))
    await one!.shown()
  }
  expect(said).toEqual(['sample.search unknown>broken'])
  const events = (await services[1]!.events()).filter(({ type }) => type === 'TaskHealthChanged')
  expect(events.map(({ stream }) => String(stream))).toEqual(['source-sample'])
  const takes = services.map(({ deps }) => deps.ephemeral.take('operator', 'health-mail', 1, Date.now()))
  const allowed = (await Promise.all(takes)).filter((take) => take.allowed)
  expect(allowed).toHaveLength(1)
})
