/** A real server that delivers to sometimes failing endpoints and is killed repeatedly. */
import { afterEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { type Received, type Receiver, startReceiver } from '../../../test/webhooks/receiver.ts'
import { endAll } from '../../servers/processes.ts'
import { addressOf, client, folder, OPERATOR_KEY, startServer } from '../../servers/server.ts'
import { randomOf } from './load.ts'

afterEach(endAll)

/** Set DELIVERIES=10000 KILLS=100 for a long run. */
const DELIVERIES = Number(process.env.DELIVERIES ?? 200)
const KILLS = Number(process.env.KILLS ?? 3)
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9))
/** The share of requests that an endpoint fails. */
const FAULTS = 0.05
const AT_ONCE = 20
const SETTINGS = { WEBHOOK_ALLOW_HOSTS: '127.0.0.1', WEBHOOK_RETRIES_S: '0,0,0,0,0,0,0,0,0,0' }
const FAULTY = [500, 503, 302, 429]

test(
  `despite ${KILLS} kills and ${FAULTS * 100} % faults, all ${DELIVERIES} events reach their own account only (SEED=${SEED})`,
  async () => {
    const data = folder()
    const random = randomOf(SEED)
    const refused = new Set<Received>()
    const faulty = (received: Received) => {
      if (random() >= FAULTS) return 204
      refused.add(received)
      return FAULTY[Math.floor(random() * FAULTY.length)]!
    }
    const accepted = ({ received }: Receiver) => received.filter((one) => !refused.has(one))
    const accounts: { id: string; receiver: Receiver; granted: Set<number> }[] = []
    let server = startServer(data.path, SETTINGS)
    let address = await addressOf(server)
    for (let i = 0; i < 2; i++) {
      const operator = client(address, OPERATOR_KEY)
      const { body } = await operator('/admin/accounts', { name: `account ${i}` })
      const receiver = startReceiver(faulty)
      const endpoint = await client(address, body.api_key)('/v1/webhooks', {
        url: receiver.url,
        types: ['CreditsGranted'],
      })
      expect(endpoint.status).toBe(201)
      accounts.push({ id: body.account_id, receiver, granted: new Set() })
    }
    const each = Math.ceil(DELIVERIES / accounts.length)
    for (let life = 0; life <= KILLS; life++) {
      const upTo = Math.ceil((each * (life + 1)) / (KILLS + 1))
      const operator = client(address, OPERATOR_KEY)
      await Promise.all(
        accounts.flatMap(({ id, granted }) => {
          const amounts = Array.from({ length: upTo }, (_, n) => n + 1).filter((n) => !granted.has(n))
          return Array.from({ length: AT_ONCE }, async () => {
            for (let amount = amounts.shift(); amount; amount = amounts.shift()) {
              const { status } = await operator('/admin/grant-credits', { account_id: id, amount })
              expect(status).toBe(200)
              granted.add(amount)
            }
          })
        }),
      )
      if (life === KILLS) break
      // While it delivers.
      server.child.kill('SIGKILL')
      await server.ended
      server = startServer(data.path, SETTINGS)
      address = await addressOf(server)
    }
    for (const { id, receiver } of accounts) {
      const amounts = () => new Set(accepted(receiver).map(({ event }) => event.data.amount))
      await receiver.until(() => amounts().size >= each)
      expect([...amounts()].length).toBe(each)
      for (const { event } of receiver.received) expect(event.source).toBe(`/accounts/${id}`)
    }
    server.child.kill('SIGTERM')
    expect((await server.ended).code).toBe(0)
    for (const { receiver } of accounts) await receiver.stop()
    rmSync(data.path, { recursive: true, force: true })
  },
  60_000 + 20 * DELIVERIES + 5000 * KILLS,
)
