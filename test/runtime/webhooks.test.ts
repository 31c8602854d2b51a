/** Webhooks on both runtimes: created, delivered, verified, and after a restart. */
import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { endAll } from '../start/processes.ts'
import { addressOf, client, folder, KEY, OPERATOR_KEY } from '../start/server.ts'
import { isSignedBy, type Receiver, startReceiver } from '../webhooks/receiver.ts'
import { RUNTIMES, serveOn } from './runtimes.ts'

const data = folder()
const receivers: Receiver[] = []
afterAll(async () => {
  await endAll()
  for (const receiver of receivers) await receiver.stop()
  data.remove()
})

test.each(RUNTIMES.map((runtime) => ({ name: runtime.name, runtime })))(
  'an event is delivered and verified, also one that came while the service was down, on $name',
  async ({ name, runtime }) => {
    // Its own: a service of another test may deliver an event once more.
    const receiver = startReceiver()
    receivers.push(receiver)
    const dataDir = join(data.path, name)
    const env = { WEBHOOK_ALLOW_HOSTS: '127.0.0.1' }
    const first = serveOn(runtime, dataDir, env)
    const address = await addressOf(first)
    const { body } = await client(address, KEY)('/v1/webhooks', {
      url: receiver.url,
      types: ['CreditsGranted'],
    })
    const { body: account } = await client(address, KEY)('/v1/account')
    const grant = (at: string, amount: number) =>
      client(at, OPERATOR_KEY)('/admin/grant-credits', { account_id: account.account_id, amount })
    await grant(address, 1)
    await receiver.until((all) => all.length === 1)
    expect(isSignedBy(body.secret, receiver.received[0]!)).toBe(true)
    const tested = await client(address, KEY)(`/v1/webhooks/${body.webhook_id}/test`, {})
    expect(tested.body).toMatchObject({ delivered: true, status: 204 })
    // The answer is given before the event is delivered, or not.
    await grant(address, 2)
    first.child.kill('SIGKILL')
    await first.ended

    const second = serveOn(runtime, dataDir, env)
    await addressOf(second)
    await receiver.until((all) => all.some(({ event }) => event.data.amount === 2))
    expect(receiver.received.every((one) => isSignedBy(body.secret, one))).toBe(true)
  },
  60_000,
)
