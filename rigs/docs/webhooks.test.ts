/** docs/webhooks.md: its programs accept deliveries of a real service and nothing else, and its commands work. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { join } from 'node:path'
import { newSecret, signatureHeaders } from '../../src/webhooks/sign.ts'
import { type Receiver, startReceiver } from '../../test/webhooks/receiver.ts'
import { DENO } from '../machines/runtime/runtimes.ts'
import { endAll, start, until } from '../servers/processes.ts'
import { addressOf, client, folder, KEY, ROOT, startServer } from '../servers/server.ts'
import { hasPython } from '../support/python.ts'
import { blocksOf, difference, runBlock } from './blocks.ts'
import { Programs } from './programs.ts'
import { freePort, type Kind, kindsOf, type Program, placeOf, startProgram } from './receivers.ts'
import { startWiki } from './wiki.ts'

const DOCUMENT = 'docs/webhooks.md'
const [CREATE = '', COMMANDS = '', LISTEN = '', DELIVERIES = '', ENABLE = '', ...AGAIN] = blocksOf(
  DOCUMENT,
  'sh',
)
const [REPLAY_FAILED = '', REPLAY_ONE = '', ROTATE = ''] = AGAIN
const KINDS = kindsOf(DENO.command[0])

let wiki: Awaited<ReturnType<typeof startWiki>>
let data: ReturnType<typeof folder>
let place: string
let address: string
let call: ReturnType<typeof client>
const programs: Program[] = []
const receivers: Receiver[] = []
beforeAll(async () => {
  wiki = await startWiki()
  data = folder()
  place = placeOf(join(data.path, 'programs'))
  address = await addressOf(
    startServer(join(data.path, 'data'), {
      SOURCE_ENCYCLOPEDIA_ORIGIN: wiki.origin,
      WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
      WEBHOOK_RETRIES_S: '0',
    }),
  )
  call = client(address, KEY)
}, 60_000)
afterEach(async () => {
  const { webhooks } = (await call('/v1/webhooks')).body
  for (const { webhook_id } of webhooks) await request('DELETE', `/v1/webhooks/${webhook_id}`)
  for (const program of programs.splice(0)) program.stop()
  for (const receiver of receivers.splice(0)) await receiver.stop()
})
afterAll(async () => {
  await endAll()
  await wiki.stop()
  data.remove()
})

test('each block of docs/webhooks.md is counted here', () => {
  const lengths = (['sh', 'json', 'ts', 'python'] as const).map(
    (language) => blocksOf(DOCUMENT, language).length,
  )
  expect(lengths).toEqual([8, 1, 1, 1])
})

const request = (method: string, path: string, body?: object) =>
  fetch(`${address}${path}`, {
    method,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })

async function create(url: string, types: readonly string[]) {
  const { status, body } = await call('/v1/webhooks', { url, types })
  expect(status).toBe(201)
  return body as { readonly webhook_id: string; readonly secret: string }
}

/** Makes a run that succeeds. @returns its id */
async function endedRun(): Promise<string> {
  const { body } = await call('/v1/encyclopedia/search', {
    query: 'otter',
    limit: 10,
    _run: { async: false },
  })
  expect(body.run_status).toBe('succeeded')
  return body.run_id
}

const BODY = JSON.stringify({ id: 'evt', type: 'gleaner.RunSucceeded', data: { run_id: 'run_é☃😀' } })
const nowS = () => Math.floor(Date.now() / 1000)

/** Posts a body as the service does. @returns the status */
async function post(url: string, headers: Readonly<Record<string, string>>, body = BODY): Promise<number> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/cloudevents+json', ...headers },
    body,
  })
  await answer.arrayBuffer()
  return answer.status
}

/** Begins a request and closes the connection before its body is complete. */
function hangUp(url: string): Promise<void> {
  const { port, hostname } = new URL(url)
  return new Promise((closed) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write('POST /hooks HTTP/1.1\r\nhost: hook\r\ncontent-length: 100\r\n\r\n{"half', () =>
        socket.destroy(),
      )
    })
    socket.on('close', () => closed())
  })
}

async function receiving(kind: Kind, types: readonly string[]) {
  const port = await freePort()
  const webhook = await create(`http://127.0.0.1:${port}/hooks`, types)
  const program = await startProgram(kind, { place, port, secret: webhook.secret })
  programs.push(program)
  return { ...webhook, program }
}

/** Expects that the program refuses everything that the service did not just send, and keeps running. */
async function expectOthersRefused(program: Program, secret: string): Promise<void> {
  const signed = (at = nowS(), by = secret, body = BODY) => signatureHeaders([by], 'evt', at, body)
  const good = signed()
  const signature = good['webhook-signature']
  const refused: Readonly<Record<string, Record<string, string>>> = {
    'without headers': {},
    'without a signature': { 'webhook-id': 'evt', 'webhook-timestamp': String(nowS()) },
    'signed with another secret': signed(nowS(), newSecret()),
    'of another body': signed(nowS(), secret, `${BODY} `),
    'of ten minutes ago': signed(nowS() - 600),
    'of ten minutes ahead': signed(nowS() + 600),
    'with another id': { ...good, 'webhook-id': 'evt2' },
    'with another time': { ...good, 'webhook-timestamp': String(nowS() + 1) },
    'with a time that is no number': { ...good, 'webhook-timestamp': 'now' },
    'with an empty signature': { ...good, 'webhook-signature': '' },
    'with the scheme alone': { ...good, 'webhook-signature': 'v1,' },
    'with half a signature': { ...good, 'webhook-signature': signature.slice(0, 20) },
    'with a signature of another scheme': { ...good, 'webhook-signature': signature.replace('v1', 'v2') },
    'with a signature that is no base64': { ...good, 'webhook-signature': `v1,${'é'.repeat(44)}` },
  }
  for (const [name, headers] of Object.entries(refused))
    expect({ name, status: await post(program.url, headers) }).toEqual({ name, status: 400 })
  await hangUp(program.url)
  expect(program.printed()).toEqual([])

  const others = signatureHeaders([newSecret(), secret], 'evt', nowS(), BODY)
  expect(await post(program.url, others)).toBe(204)
  expect(await post(program.url, signed(nowS() - 200))).toBe(204)
  await until(() => program.printed().length >= 2)
  expect(program.printed()).toEqual(Array(2).fill('evt gleaner.RunSucceeded run_é☃😀'))
}

/** Expects that the program accepts deliveries of the service, also after the secret was rotated. */
async function expectServiceAccepted(program: Program, webhook_id: string): Promise<void> {
  const before = program.printed().length
  const tested = () => call(`/v1/webhooks/${webhook_id}/test`, {})
  expect((await tested()).body).toMatchObject({ delivered: true, status: 204 })
  const run = await endedRun()
  // Signed bodies may contain other characters than ASCII.
  await call('/admin/create-key', { name: 'Zoë’s ☃ 😀' })
  const lines = () => program.printed().slice(before)
  const types = () => lines().map((line) => line.split(' ')[1])
  await until(() => types().includes('gleaner.RunSucceeded') && types().includes('gleaner.KeyCreated'))
  expect(lines().find((line) => line.includes('RunSucceeded'))).toEndWith(` ${run}`)
  await call(`/v1/webhooks/${webhook_id}/rotate-secret`, {})
  expect((await tested()).body).toMatchObject({ delivered: true, status: 204 })
  const { body } = await call(`/v1/webhooks/${webhook_id}/deliveries`)
  expect(body.deliveries.map(({ state }: { state: string }) => state)).toEqual(['delivered', 'delivered'])
}

for (const kind of KINDS) {
  const isMissing = kind.language === 'python' && !hasPython
  test.skipIf(isMissing)(
    `the receiver in ${kind.name} accepts current deliveries of the service and nothing else, and keeps running`,
    async () => {
      const { webhook_id, secret, program } = await receiving(kind, ['RunSucceeded', 'KeyCreated'])
      await expectOthersRefused(program, secret)
      await expectServiceAccepted(program, webhook_id)
    },
  )

  test.skipIf(isMissing).each(['', 'whsec_'])(
    `the receiver in ${kind.name} accepts nothing if its secret is %j: anyone could sign with an empty key`,
    async (secret) => {
      const port = await freePort()
      // It may refuse to start.
      const program = await startProgram(kind, { place, port, secret }).catch(() => undefined)
      if (!program) return
      programs.push(program)
      expect(await post(program.url, signatureHeaders(['whsec_'], 'evt', nowS(), BODY))).not.toBe(204)
      expect(program.printed().filter((line) => line.includes('run_'))).toEqual([])
    },
  )
}

test('the receiver in TypeScript compiles in strict mode', () => {
  const strict = new Programs(join(data.path, 'strict'))
  strict.save(blocksOf(DOCUMENT, 'ts')[0] ?? '', ['standardwebhooks'])
  expect(strict.compiled()).toBe('')
})

/** A block with the values that a reader fills in. */
function typed(block: string, fillIn: Readonly<Record<string, string>>) {
  const filled = { 'gln_…': KEY, ...fillIn }
  const text = Object.entries(filled).reduce((so, [open, value]) => so.replaceAll(open, value), block)
  expect(text).not.toMatch(/…(?! {2})/)
  return text
}

const env = () => ({ GLEANER_URL: address, GLEANER_API_KEY: KEY })

/** Runs a block of commands other than curl. @returns the printed lines, without npm's */
async function command(block: string, fillIn: Readonly<Record<string, string>>): Promise<string[]> {
  const program = start('sh', ['-e', '-c', typed(block, fillIn)], {
    cwd: ROOT,
    env: env(),
  })
  const { code } = await program.ended
  expect({ code, err: program.printed.err }).toMatchObject({ code: 0 })
  return program.printed.out.split('\n').filter((line) => line !== '' && !line.startsWith('> '))
}

const curl = (block: string, fillIn: Readonly<Record<string, string>>) =>
  runBlock(typed(block, fillIn), env())

describe('the commands', () => {
  test('create an endpoint, test it, list its deliveries, enable it and rotate its secret', async () => {
    const receiver = startReceiver()
    receivers.push(receiver)
    const creation = await curl(CREATE, { 'https://example.com/hooks': receiver.url })
    expect(creation.statuses).toEqual([201])
    const { webhook_id, secret, types } = JSON.parse(creation.bodies[0] ?? '')
    expect(types).toEqual(['RunSucceeded', 'RunFailed'])
    const lines = await command(COMMANDS, {
      'https://example.com/hooks': receiver.url,
      'whk_…': webhook_id,
    })
    expect(lines).toEqual([
      expect.stringMatching(/^whk_\w+$/),
      expect.stringMatching(/^whsec_/),
      expect.stringContaining(receiver.url),
      expect.stringContaining(webhook_id),
      expect.stringMatching(/^delivered: 204 in \d+ ms$/),
    ])
    const listed = await curl(DELIVERIES, { 'whk_…': webhook_id })
    expect(JSON.parse(listed.bodies[0] ?? '')).toEqual({ deliveries: [], next_cursor: null })
    expect((await request('PATCH', `/v1/webhooks/${webhook_id}`, { state: 'disabled' })).status).toBe(200)
    const enabled = await curl(ENABLE, { 'whk_…': webhook_id })
    expect(JSON.parse(enabled.bodies[0] ?? '')).toMatchObject({ webhook_id, state: 'enabled' })
    const rotated = await curl(ROTATE, { 'whk_…': webhook_id })
    expect(rotated.statuses).toEqual([200])
    expect(JSON.parse(rotated.bodies[0] ?? '').secret).not.toBe(secret)
  })

  test('replay the failed deliveries of a time span, and one event', async () => {
    let isUp = false
    const receiver = startReceiver(() => (isUp ? 204 : 500))
    receivers.push(receiver)
    const { webhook_id } = await create(receiver.url, ['RunSucceeded'])
    await endedRun()
    const failed = async () => (await call(`/v1/webhooks/${webhook_id}/deliveries?state=failed`)).body
    await until(async () => (await failed()).deliveries.length === 1)
    expect(receiver.received).toHaveLength(2)
    isUp = true
    const times = {
      '2026-11-21T10:00:00Z': new Date(Date.now() - 60_000).toISOString(),
      '2026-11-21T12:00:00Z': new Date(Date.now() + 60_000).toISOString(),
    }
    expect(await command(REPLAY_FAILED, { 'whk_…': webhook_id, ...times })).toEqual(['1 delivery was queued'])
    await receiver.until((all) => all.length === 3)
    const { event, headers } = receiver.received[2]!
    const one = await curl(REPLAY_ONE, { 'whk_…': webhook_id, 'EVENT=…': `EVENT=${event.id}` })
    expect([one.statuses, JSON.parse(one.bodies[0] ?? '')]).toEqual([[202], { deliveries: 1 }])
    await receiver.until((all) => all.length === 4)
    expect(receiver.received.map((each) => each.headers.get('webhook-id'))).toEqual(
      Array(4).fill(headers.get('webhook-id')),
    )
  })

  test('forward events to a local program until interrupted', async () => {
    const receiver = startReceiver()
    receivers.push(receiver)
    const block = typed(LISTEN, { 'http://localhost:4000/hooks': receiver.url })
    const listening = start('sh', ['-e', '-c', block], { cwd: ROOT, env: env() })
    await listening.says(/signed with whsec_\S+/)
    const run = await endedRun()
    await listening.says(new RegExp(`^\\S+ gleaner\\.RunSucceeded run-${run} 204 \\d+ ms$`, 'm'))
    process.kill(-listening.pid, 'SIGINT')
    await listening.ended
    expect(listening.printed.err).toContain('Stopped. Continue with --from ')
  })
})

test('a delivery has the documented event and headers, and a replay of a time span delivers its types', async () => {
  const receiver = startReceiver()
  receivers.push(receiver)
  const { webhook_id } = await create(receiver.url, ['RunSucceeded'])
  const from = new Date().toISOString()
  await endedRun()
  await receiver.until((all) => all.length === 1)
  const [{ headers, event, body }] = receiver.received as [Receiver['received'][0]]
  const [example = ''] = blocksOf(DOCUMENT, 'json')
  const { data: documented, ...envelope } = JSON.parse(example)
  const { ms, usage } = event.data as { ms: number; usage: { requests: number; bytes: number } }
  expect(ms).toBeGreaterThanOrEqual(0)
  expect(usage.bytes).toBeGreaterThan(0)
  // Each run takes its own time, and its requests are longer with a longer version of the runtime.
  const data = { ...documented, ms, usage: { ...documented.usage, bytes: usage.bytes } }
  expect(difference({ ...envelope, data }, event)).toBeUndefined()
  expect(headers.get('content-type')).toBe('application/cloudevents+json')
  expect(headers.get('user-agent')).toStartWith('Gleaner/')
  expect(headers.get('webhook-id')).toBe(event.id)
  expect(body).toBe(JSON.stringify(event))
  const { body: replay } = await call(`/v1/webhooks/${webhook_id}/replay`, { from })
  expect(replay).toEqual({ deliveries: 1 })
  await receiver.until((all) => all.length === 2)
  expect(receiver.received.map(({ event: { type } }) => type)).toEqual([
    'gleaner.RunSucceeded',
    'gleaner.RunSucceeded',
  ])
})
