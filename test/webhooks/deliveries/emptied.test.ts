/** An endpoint whose delivery store loses everything while the delivering process keeps running. */
import { expect, test } from 'bun:test'
import { MemoryDeliveryStore } from '../../../rigs/simulation/stores/deliveries.ts'
import { nextTurn } from '../../../src/async/delay.ts'
import { type Client, type Service, startService } from '../../http/service.ts'
import { startReceiver } from '../receiver.ts'

async function endedRun(service: Service, { key }: Client): Promise<string> {
  const answer = await service.post('/v1/sample/search', key, { query: 'otter' })
  const { run_id } = await answer.json()
  await service.finish(run_id)
  return run_id
}

/** A service with an endpoint that failed once, so its delivery is pending, and has recovered since. */
async function withWaiting() {
  const deliveries = new MemoryDeliveryStore()
  const env = { WEBHOOK_ALLOW_HOSTS: '127.0.0.1', WEBHOOK_RETRIES_S: '3600', LEASE_S: '0.5' }
  const service = await startService({ env, stores: () => ({ deliveries }) })
  const client = await service.openAccount()
  service.startDeliverer()
  let isUp = false
  const receiver = startReceiver(() => (isUp ? 204 : 500))
  await service.post('/v1/webhooks', client.key, { url: receiver.url })
  const run = await endedRun(service, client)
  await receiver.until((all) => all.length === 1)
  isUp = true
  const waits = () =>
    Object.values(deliveries.dump()).some((one) =>
      one.deliveries.some(({ attemptsSinceQueued }) => attemptsSinceQueued === 1),
    )
  // The deliverer runs in this process and needs a turn.
  while (!waits()) await nextTurn()
  const stop = async () => {
    await receiver.stop()
    await service.close()
  }
  return { deliveries, service, client, receiver, run, stop }
}

test('a pending delivery of an emptied store is delivered with the next event', async () => {
  const { deliveries, service, client, receiver, run, stop } = await withWaiting()
  deliveries.clear()
  const next = await endedRun(service, client)
  const received = await receiver.until(
    (all) => new Set(all.map(({ event }) => event.data.run_id)).size === 2 && all.length >= 3,
  )
  expect(
    received
      .slice(1)
      .map(({ event }) => event.data.run_id)
      .sort(),
  ).toEqual([run, next].sort())
  await stop()
})

test('a pending delivery of an emptied store is delivered without a further event once its lease is renewed', async () => {
  const { deliveries, receiver, run, stop } = await withWaiting()
  deliveries.clear()
  const received = await receiver.until((all) => all.length === 2)
  expect(received[1]?.event.data.run_id).toBe(run)
  await stop()
})
