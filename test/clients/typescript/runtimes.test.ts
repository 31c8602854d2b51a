/** The client with a real service: the same program on Node, Bun, Deno and in Chromium. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { verifyWebhook } from '../../../clients/typescript/src/index.ts'
import { BUN, DENO } from '../../../rigs/machines/runtime/runtimes.ts'
import { endAll, start } from '../../../rigs/servers/processes.ts'
import { addressOf, client, folder, OPERATOR_KEY, ROOT, startServer } from '../../../rigs/servers/server.ts'
import { openBrowser } from '../../../rigs/support/hosted-person.ts'
import { findChromium } from '../../../src/browser/chromium/find.ts'
import { linkProject, type Project } from './package.ts'
import { startSite } from './page.ts'

const hasBrowser = findChromium(process.env.CHROMIUM_PATH ?? null) !== undefined

let data: ReturnType<typeof folder>
let project: Project
let address: string
/** The deliveries to a webhook endpoint. */
const received: { headers: IncomingHttpHeaders; body: string }[] = []
const receiver = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  received.push({ headers: request.headers, body })
  response.writeHead(204).end()
})
beforeAll(async () => {
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
  data = folder()
  const server = startServer(join(data.path, 'data'), {
    PLUGINS_DIR: join(ROOT, 'test', 'clients', 'plugins'),
    LEASE_S: '1',
    WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
  })
  project = linkProject(join(data.path, 'project'))
  address = await addressOf(server)
}, 60_000)
afterAll(async () => {
  await endAll()
  receiver.close()
  data.remove()
})

/** The input of the story: a new account, and a delivery signed as by the service. */
async function options(url: string): Promise<string> {
  const { body } = await client(address, OPERATOR_KEY)('/admin/accounts', { name: 'story', credits: 1000 })
  const secret = Buffer.from('a secret of thirty-two bytes.....')
  const payload = JSON.stringify({ type: 'gleaner.WebhookTest', data: { text: 'Ötter 🦦' } })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', secret).update(`evt_1.${timestamp}.${payload}`).digest('base64')
  const headers = {
    'Webhook-Id': 'evt_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1a,other v1,${signature}`,
  }
  const { port } = receiver.address() as AddressInfo
  const webhook = {
    receiver: `http://127.0.0.1:${port}/`,
    payload,
    headers,
    secret: [`whsec_${btoa('an older secret')}`, `whsec_${secret.toString('base64')}`],
  }
  return JSON.stringify({ url, apiKey: body.api_key, webhook })
}

const EXPECTED = {
  run: [
    'succeeded',
    'book.pages',
    [0, 1, 2, 3].map((n) => ({ shelf: 'a b/ü', n })),
    { charged: 2, refunded: 0 },
    false,
  ],
  progress: true,
  items: Array.from({ length: 20 }, (_, n) => n),
  pages: [
    [0, 1, 2, 3],
    [4, 5, 6, 7],
  ],
  again: [true, true],
  ofOneRun: 4,
  same: 'succeeded',
  events: ['gleaner.RunRequested', 'gleaner.RunStarted', 'gleaner.ResultStored', 'gleaner.RunSucceeded'],
  rest: [1, 0],
  partial: [0, 1],
  partialEnd: ['RunFailed', 'not-found', undefined],
  impatient: ['TimeoutError', 23, undefined],
  leaving: ['Error', undefined, undefined],
  cancelled: ['cancelled', 'cancelled'],
  ndjson: 4,
  csvById: 45,
  csv: 'shelf,n\r\na b/ü,0\r\na b/ü,1\r\na b/ü,2\r\na b/ü,3\r\n',
  download: ['1000000', 1_000_000, true],
  books: true,
  feed: 'from the client',
  key: [true, true, true],
  refused: [
    ['GleanerError', 'revoked-key', 401],
    ['GleanerError', 'validation-failed', 422],
    ['GleanerError', 'not-found', 404],
    ['LoginRequired', 'login-required', 428],
    ['GleanerError', 'not-found', 404],
    ['GleanerError', 'not-found', 404],
  ],
  login: [true, true, 'microblog'],
  ended: [true, 'not-found', { items: [{ shelf: 'e', n: 0 }], next_cursor: null, partial: true }],
  tasks: true,
  task: 2,
  days: 'book.pages',
  logins: true,
  listed: true,
  health: { status: 'ok' },
  webhooks: [true, 204, 'of the story', 'disabled', true, { deliveries: 0 }, []],
  endpoint: [true, true, ['GleanerError', 'not-found', 404]],
  webhook: 'gleaner.WebhookTest',
  forged: ['GleanerError', 'invalid-webhook', undefined],
}
/** The same after JSON: undefined becomes null. */
const EXPECTED_JSON = JSON.parse(JSON.stringify(EXPECTED), (_, value) => (value === undefined ? null : value))

/** Compares the result, and verifies the deliveries with the secret that the story received. */
async function expectStory(json: string, expected: object = EXPECTED_JSON): Promise<void> {
  const { secret, ...story } = JSON.parse(json)
  expect(story).toEqual(expected)
  const checks = received.map(({ body, headers }) =>
    verifyWebhook(body, headers, secret).catch(({ code }) => ({ type: code })),
  )
  const types = (await Promise.all(checks)).map(({ type }) => type)
  expect(types.filter((type) => type === 'gleaner.WebhookTest')).toHaveLength(1)
}

describe('the client gives the same results', () => {
  const commands = { Node: ['node'], Bun: BUN.command, Deno: DENO.command }
  for (const [name, [program = '', ...args]] of Object.entries(commands)) {
    test.concurrent(`on ${name}`, async () => {
      const run = start(program, [...args, 'main.mjs', await options(address)], { cwd: project.path })
      expect({ ...(await run.ended), err: run.printed.err }).toEqual({ code: 0, signal: null, err: '' })
      await expectStory(run.printed.out)
    })
  }

  test.concurrent.skipIf(!hasBrowser)('in Chromium, on a page of the same origin', async () => {
    const site = await startSite(project, address)
    const browser = await openBrowser()
    try {
      const page = await browser.newPage()
      await page.goto(site.origin)
      const json = await page.evaluate(`(async () => {
        const [client, { story }] = await Promise.all([import('/client/index.js'), import('/story.mjs')])
        return JSON.stringify(await story(client, ${await options(site.origin)}))
      })()`)
      // The sign-in link has the service's own address.
      const login = EXPECTED.login.with(1, false)
      await expectStory(String(json), { ...EXPECTED_JSON, login })
    } finally {
      await browser.close()
      site.stop()
    }
  })
})
