/**
 * Webhooks on both runtimes: created, delivered, verified.
 *
 * @module
 */
import { expect } from 'bun:test'
import { isSignedBy, startReceiver } from '../../../../test/webhooks/receiver.ts'
import { alike } from '../servers.ts'

alike('an event and a test are delivered to a webhook with valid signatures', async (server) => {
  const receiver = startReceiver()
  try {
    const wanted = { url: receiver.url, types: ['CreditsGranted'] }
    const { webhook_id, secret } = await server.json(server.post('/v1/webhooks', wanted))
    const { account_id } = await server.json(server.send('/v1/account'))
    await server.operator('/admin/grant-credits', { account_id, amount: 1 })
    await receiver.until((all) => all.length === 1)
    const tested = await server.json(server.post(`/v1/webhooks/${webhook_id}/test`, {}))
    expect(tested).toMatchObject({ delivered: true, status: 204 })
    expect(receiver.received.map((one) => isSignedBy(secret, one))).toEqual([true, true])
    expect((await server.send(`/v1/webhooks/${webhook_id}`, { method: 'DELETE' })).status).toBe(204)
    return receiver.received.map(({ event }) => event.type)
  } finally {
    await receiver.stop()
  }
})
