/**
 * Webhooks: the latency from an event to its endpoint, the cost of a delivery, and the cost of a thousand endpoints
 * that each get an event a minute. A real server on a temporary folder; the endpoints are in this process.
 *
 *   bun bench/webhooks.ts
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { addressOf, client, folder, OPERATOR_KEY, startServer } from '../rigs/servers/server.ts'

const EVENTS = 2000
const ACCOUNTS = 50
const PER_ACCOUNT = 20
const MINUTES = 2

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN
const pause = (ms: number) => new Promise((go) => setTimeout(go, ms))

const lags: number[] = []
let got = 0
const receiver = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { time } = (await request.json()) as { time: string }
    lags.push(Date.now() - Date.parse(time))
    got++
    return new Response(null, { status: 204 })
  },
})
const data = folder()
const server = startServer(data.path, { WEBHOOK_ALLOW_HOSTS: '127.0.0.1' })
const address = await addressOf(server)
const operator = client(address, OPERATOR_KEY)
/** CPU time of the server in seconds. */
const used = () => {
  const [, , ...fields] = readFileSync(`/proc/${server.pid}/stat`, 'utf8')
    .replace(/\(.*\)/, '()')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}
const openAccount = async (webhooks: number): Promise<string> => {
  const { body } = await operator('/admin/accounts', { name: 'bench' })
  const account = client(address, body.api_key)
  for (let n = 0; n < webhooks; n++)
    await account('/v1/webhooks', { url: `http://127.0.0.1:${receiver.port}/`, types: ['CreditsGranted'] })
  return body.account_id
}
const grant = (account_id: string) => operator('/admin/grant-credits', { account_id, amount: 1 })

const [without, one] = [await openAccount(0), await openAccount(1)]
const timed = async (account: string) => {
  const before = used()
  for (let n = 0; n < EVENTS; n++) await grant(account)
  return () => (1e6 * (used() - before)) / EVENTS
}
const bare = (await timed(without))()
got = 0
lags.length = 0
const withWebhook = await timed(one)
while (got < EVENTS) await pause(5)
console.log(
  `lag, one event after the other: p50 ${percentile(lags, 0.5)} ms, p99 ${percentile(lags, 0.99)} ms`,
)
console.log(`processor time of a delivery: ${Math.round(withWebhook() - bare)} us`)

const accounts: string[] = []
for (let n = 0; n < ACCOUNTS; n++) accounts.push(await openAccount(PER_ACCOUNT))
await pause(20_000)
const idle = used()
await pause(20_000)
const idleShare = (used() - idle) / 20
got = 0
lags.length = 0
const before = used()
const started = performance.now()
for (let minute = 0; minute < MINUTES; minute++)
  for (const [n, account] of accounts.entries()) {
    await pause(Math.max(0, started + (minute + n / ACCOUNTS) * 60_000 - performance.now()))
    await grant(account)
  }
await pause(Math.max(0, started + MINUTES * 60_000 - performance.now()))
const share = (used() - before) / (MINUTES * 60)
console.log(
  `${ACCOUNTS * PER_ACCOUNT} endpoints: ${(100 * idleShare).toFixed(1)} % of a core without events, ${(100 * share).toFixed(1)} % with one each a minute (${got} deliveries, lag p50 ${percentile(lags, 0.5)} ms, p99 ${percentile(lags, 0.99)} ms)`,
)
server.child.kill('SIGTERM')
await server.ended
await receiver.stop(true)
data.remove()
