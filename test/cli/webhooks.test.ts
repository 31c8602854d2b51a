/** `gleaner webhooks` and `gleaner listen`, which talk to a running service. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Client, type Service, startService } from '../http/service.ts'
import { isSignedBy, type Receiver, startReceiver } from '../webhooks/receiver.ts'
import { type CommandLine, commandLine } from './command-line.ts'

let line: CommandLine
let service: Service
let client: Client
let env: Record<string, string>
let receiver: Receiver
beforeAll(async () => {
  line = await commandLine()
  service = await startService({ env: { WEBHOOK_ALLOW_HOSTS: '127.0.0.1' } })
  client = await service.openAccount()
  service.startDeliverer()
  receiver = startReceiver()
  env = { GLEANER_URL: service.listen(), GLEANER_API_KEY: client.key }
})
afterAll(async () => {
  await receiver.stop()
  await service.close()
  line.remove()
})

async function endedRun(): Promise<string> {
  const { run_id } = await (await service.post('/v1/sample/search', client.key, { query: 'otter' })).json()
  await service.finish(run_id)
  return run_id
}

test('webhooks creates, lists, tests and replays to an endpoint', async () => {
  const creation = await line.gleaner(
    `webhooks create ${receiver.url} --types RunSucceeded --description warehouse`,
    { env },
  )
  const [id = '', secret = ''] = creation.out.split('\n')
  expect([creation.code, id.slice(0, 4), secret.slice(0, 6)]).toEqual([0, 'whk_', 'whsec_'])
  const listed = await line.gleaner('webhooks list', { env })
  expect(listed.out).toBe(`${id}  enabled  ${receiver.url}  RunSucceeded\n`)
  const tested = await line.gleaner(`webhooks test ${id}`, { env })
  expect(tested.out).toMatch(/^delivered: 204 in \d+ ms\n$/)
  expect(isSignedBy(secret, receiver.received.at(-1)!)).toBe(true)
  await endedRun()
  await receiver.until((all) => all.some(({ event }) => event.type === 'gleaner.RunSucceeded'))
  const { event } = receiver.received.at(-1)!
  const replayed = await line.gleaner(`webhooks replay ${id} --event ${event.id} --json`, { env })
  expect(JSON.parse(replayed.out)).toEqual({ deliveries: 1 })
  await receiver.until((all) => all.filter((one) => one.event.id === event.id).length === 2)
  await service.send(`/v1/webhooks/${id}`, { method: 'DELETE', key: client.key })
})

test('a refusal of the service is printed with the field, and a failed test delivery exits with 1', async () => {
  const refused = await line.gleaner('webhooks create https://10.0.0.1/', { env })
  expect([refused.code, refused.out]).toEqual([1, ''])
  expect(refused.err).toContain('/url must have a host whose addresses are all public')
  const unknown = await line.gleaner('webhooks test whk_00000000000000000000000000', { env })
  expect([unknown.code, unknown.err.includes('not-found')]).toEqual([1, true])
  const both = await line.gleaner('webhooks replay whk_1', { env })
  expect([both.code, both.err]).toEqual([2, 'gleaner: Use --event or --from.\nAdd --help for usage.\n'])
  const dead = startReceiver(() => 500)
  const creation = await line.gleaner(`webhooks create ${dead.url}`, { env })
  const failed = await line.gleaner(`webhooks test ${creation.out.split('\n')[0]}`, { env })
  expect([failed.code, failed.out]).toEqual([1, 'not delivered: The endpoint responded with 500.\n'])
  await dead.stop()
})

test('a missing key or an invalid address exits with 2, an unreachable service with 1', async () => {
  const { GLEANER_URL = '' } = env
  const none = await line.gleaner('webhooks list', { env: { GLEANER_URL, GLEANER_API_KEY: '' } })
  expect([none.code, none.err.includes('set GLEANER_API_KEY')]).toEqual([2, true])
  const odd = await line.gleaner('webhooks list --url ftp://example.org', { env })
  expect([odd.code, odd.err.includes('ftp://example.org')]).toEqual([2, true])
  const away = await line.gleaner('webhooks list --url http://127.0.0.1:1', { env })
  expect([away.code, away.err.includes('connection-failed')]).toEqual([1, true])
})

test('listen forwards new events in order, signed, waits for the local program and continues from a position', async () => {
  const before = await endedRun()
  const stop = new AbortController()
  const said: string[] = []
  let isUp = false
  const local = startReceiver(() => (isUp ? 200 : 500))
  const { port } = new URL(local.url)
  await local.stop()
  const waiting = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<void>()
  const third = Promise.withResolvers<void>()
  const hear = (text: string) => {
    said.push(text)
    if (said.filter((line) => line.includes(' 200 ')).length === 3) third.resolve()
    if (text.startsWith('Forwarding')) ready.resolve()
    if (text.includes('Waiting for it')) waiting.resolve()
  }
  const listening = line.gleaner(`listen --forward-to http://127.0.0.1:${port}/hook`, {
    env,
    signal: stop.signal,
    hear,
  })
  await ready.promise
  const runs = [await endedRun(), await endedRun()]
  await waiting.promise
  isUp = true
  const up = startReceiver(() => 200, Number(port))
  await up.until((all) => all.length === 2)
  const last = await endedRun()
  await up.until((all) => all.length === 3)
  const secret = /signed with (whsec_\S+)/.exec(said.join(''))![1]!
  expect(up.received.map(({ event }) => event.data.run_id)).toEqual([...runs, last])
  expect(up.received.map(({ event }) => event.data.run_id)).not.toContain(before)
  expect(up.received.every((one) => isSignedBy(secret, one))).toBe(true)
  await third.promise
  stop.abort()
  const { code, err, out } = await listening
  expect(code).toBe(0)
  expect(out.split('\n')[0]).toMatch(/^\S+ gleaner\.RunSucceeded run-run_\w+ 200 \d+ ms$/)
  const position = /--from (\S+)/.exec(err)![1]!

  // Continues from the printed position without duplicates, with a given secret.
  const again = new AbortController()
  const ownSecret = `whsec_${'A'.repeat(43)}=`
  const resumed = line.gleaner(
    `listen --forward-to http://127.0.0.1:${port}/hook --from ${position} --secret ${ownSecret} --types RunRequested,RunSucceeded`,
    { env, signal: again.signal },
  )
  const fourth = await endedRun()
  await up.until((all) => all.length === 5)
  expect(up.received.slice(3).map(({ event }) => [event.type, event.data.run_id])).toEqual([
    ['gleaner.RunRequested', fourth],
    ['gleaner.RunSucceeded', fourth],
  ])
  expect(isSignedBy(ownSecret, up.received.at(-1)!)).toBe(true)
  again.abort()
  expect((await resumed).code).toBe(0)
  await up.stop()
}, 20_000)
