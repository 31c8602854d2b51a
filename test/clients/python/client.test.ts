/** clients/python: with the real service, with a faulty one, as an installed package, and its README. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { startWiki } from '../../../rigs/docs/wiki.ts'
import { endAll, start } from '../../../rigs/servers/processes.ts'
import { addressOf, folder, KEY, OPERATOR_KEY, ROOT, startServer } from '../../../rigs/servers/server.ts'
import { hasPython, PYTHON } from '../../../rigs/support/python.ts'
import { differences, PLACES } from './places.ts'

const CLIENT = join(ROOT, 'clients', 'python')

/** Runs Python with the client on its path. Warnings are errors. */
async function python(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = start(PYTHON, ['-B', '-W', 'error', ...args], {
    cwd: join(ROOT, 'test', 'clients', 'python'),
    env: { PYTHONPATH: CLIENT, PYTHONIOENCODING: 'utf-8', ...env },
  })
  const { code } = await child.ended
  return { code, ...child.printed }
}

/** Runs a test file. Python reports leaked resources only on stderr. */
async function pass(tests: string, env: Readonly<Record<string, string>> = {}) {
  const { code, err } = await python(['-m', 'unittest', tests], env)
  expect(err).toMatch(/\nRan [1-9]\d* tests? in .*\n\nOK\n$/)
  expect(err).not.toContain('Exception ignored')
  expect(code).toBe(0)
}

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`

/** A message signed by the library of Standard Webhooks. */
function signed(payload: string, i: number) {
  const [id, now] = [`msg_${i}`, new Date()]
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(SECRET).sign(id, now, payload),
  }
  return { payload, headers, secret: SECRET }
}

describe.skipIf(!hasPython)('the Python client', () => {
  let wiki: Awaited<ReturnType<typeof startWiki>>
  let data: ReturnType<typeof folder>
  let url: string
  beforeAll(async () => {
    wiki = await startWiki()
    data = folder()
    const plugins = join(data.path, 'plugins')
    for (const from of ['rigs/machines/crash/plugins/storm', 'test/worker/plugins/faults'])
      cpSync(join(ROOT, from), join(plugins, from.split('/').at(-1)!), { recursive: true })
    const env = {
      PLUGINS_DIR: plugins,
      SOURCE_ENCYCLOPEDIA_ORIGIN: wiki.origin,
      WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
    }
    url = await addressOf(startServer(join(data.path, 'data'), env))
  }, 60_000)
  afterAll(async () => {
    await endAll()
    await wiki.stop()
    data.remove()
  })

  const service = () => ({ SERVICE: JSON.stringify({ url, key: KEY, operator: OPERATOR_KEY }) })

  test.concurrent('starts, waits for, pages, follows, cancels and downloads runs of the real service', async () => {
    await pass('test_calls.Runs', service())
  }, 60_000)

  test.concurrent('makes each webhook call to the real service and verifies its deliveries', async () => {
    await pass('test_calls.Webhooks', service())
  }, 60_000)

  test.concurrent('makes each other call to the real service', async () => {
    await pass('test_calls.EverythingElse', service())
  }, 60_000)

  test.concurrent('handles a service that closes connections, is unavailable, redirects or answers nonsense', async () => {
    await pass('test_faults')
  }, 60_000)

  test.concurrent('accepts valid Standard Webhooks signatures, and refuses changed, old and unsigned messages', async () => {
    await pass('test_webhooks', {
      WEBHOOKS: JSON.stringify(['{}', '{"data": "ö \u{1f9a6}"}', ' [1] '].map(signed)),
    })
  })

  test.concurrent('has types with exactly the fields, nulls and values of /openapi.json', async () => {
    const { code, out, err } = await python(['shapes.py'])
    expect([code, err]).toEqual([0, ''])
    const shapes = JSON.parse(out)
    expect(Object.keys(shapes).sort()).toEqual(Object.keys(PLACES).sort())
    expect(differences(await (await fetch(`${url}/openapi.json`)).json(), shapes)).toEqual([])
  })

  test.concurrent('builds a wheel with the module, py.typed and a record of their hashes', async () => {
    const { code, out, err } = await python(['wheel.py', data.path])
    expect([code, err]).toEqual([0, ''])
    const { names, from, version } = JSON.parse(out)
    expect(from).toBe('gleaner/__init__.py')
    expect(names).toEqual([
      'gleaner/__init__.py',
      'gleaner/py.typed',
      ...['METADATA', 'WHEEL', 'RECORD'].map((name) => `gleaner_client-${version}.dist-info/${name}`),
    ])
  })

  test.concurrent('does what its README shows', async () => {
    const readme = readFileSync(join(CLIENT, 'README.md'), 'utf8')
    const blocks = [...readme.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
    const [first = '', errors = '', webhook = ''] = blocks
    expect(blocks.length).toBe(3)
    const text = `${first}${errors}`.replace('http://127.0.0.1:3000', url)
    const { payload, headers, secret } = signed('{"type": "gleaner.RunSucceeded"}', 1)
    const request = `import os\nclass request:\n  headers = ${JSON.stringify(headers)}\n  get_data = lambda: b'${payload}'\n`
    const env = { GLEANER_API_KEY: KEY, WEBHOOK_SECRET: secret }
    const ran = await python(['-c', `${text}\n${request}${webhook}print(event["type"])`], env)
    expect([ran.code, ran.err]).toEqual([0, ''])
    const lines = ran.out.trim().split('\n')
    expect(lines.slice(0, 5).map((line) => line.split(' http')[0])).toEqual(
      [1, 2, 3, 4, 5].map((n) => `otter ${n}`),
    )
    expect(lines[5]).toStartWith(`Sign in at ${url}/login/`)
    expect(lines.slice(6)).toEqual(['gleaner.RunSucceeded'])
  })
})
