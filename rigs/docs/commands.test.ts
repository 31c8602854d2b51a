/** Runs the commands of README.md, docs/http.md, docs/logins.md and docs/events.md against a real server. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { endAll, type Running, start } from '../servers/processes.ts'
import { addressOf, client, folder, OPERATOR_KEY, ROOT } from '../servers/server.ts'
import { blocksOf, difference, type Ran, runBlock } from './blocks.ts'
import { startReceiver } from './receiver.ts'
import { NEVER, startWiki } from './wiki.ts'

const README = blocksOf('README.md', 'sh')
const HTTP = blocksOf('docs/http.md', 'sh')
const [START = '', FIRST_RESULT = '', STEP_BY_STEP = ''] = README
const [
  VARIABLES = '',
  KICKOFF = '',
  TASKS = '',
  RESULT = '',
  FILES = '',
  PAGES = '',
  SYNC = '',
  REPEAT = '',
  CANCEL_AND_LIST = '',
  DAYS = '',
  CREDITS = '',
  LOGINS = '',
  KEYS = '',
  EVENTS = '',
  WEBHOOK = '',
  WEBHOOK_TEST = '',
  WEBHOOKS = '',
  OPERATOR = '',
  REFUSED = '',
] = HTTP
const [EVENT_PAGE = '', RUN_EVENTS = ''] = blocksOf('docs/events.md', 'sh')
const [LOGIN_NEEDED = '', LOGINS_AGAIN = ''] = blocksOf('docs/logins.md', 'sh')

let wiki: Awaited<ReturnType<typeof startWiki>>
let data: ReturnType<typeof folder>
let server: Running
let address: string
let key: string
let call: ReturnType<typeof client>

beforeAll(async () => {
  wiki = await startWiki()
  data = folder()
  const [command = '', ...words] = (START.split('\n')[0] ?? '').replace(/ *#.*/, '').split(' ')
  server = start(command, words, {
    cwd: ROOT,
    env: {
      PORT: '0',
      DATA_DIR: data.path,
      BOOTSTRAP_KEY: '',
      OPERATOR_KEY,
      PLUGINS_DIR: join(ROOT, 'test', 'clients', 'plugins'),
      SOURCE_ENCYCLOPEDIA_ORIGIN: wiki.origin,
      WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
      LOG_LEVEL: 'warn',
    },
  })
  address = await addressOf(server)
  ;[key] = await server.says(/gln_[0-9A-Za-z]+_[0-9A-Za-z]{6}/)
  call = client(address, key)
}, 60_000)
afterAll(async () => {
  await endAll()
  await wiki.stop()
  data.remove()
})

/** Runs a block with the values that a reader fills in. */
function type(block: string, fillIn: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const filled = { 'http://127.0.0.1:3000': address, 'gln_…': key, ...fillIn }
  const text = Object.entries(filled).reduce((so, [open, value]) => so.replaceAll(open, value), block)
  expect(text).not.toContain('…')
  return runBlock(text, { GLEANER_URL: address, GLEANER_API_KEY: key, OPERATOR_KEY })
}
const parsed = ({ bodies }: Ran) => bodies.map((body) => JSON.parse(body))

test('each block for a shell is counted here', () => {
  const lengths = ['README.md', 'docs/http.md', 'docs/logins.md', 'docs/events.md'].map(
    (document) => blocksOf(document, 'sh').length,
  )
  expect(lengths).toEqual([3, 19, 2, 3])
})

describe('README.md', () => {
  test('npm start prints a key, with which the first result has three articles and costs one credit', async () => {
    const ran = await type(FIRST_RESULT)
    expect(ran.statuses).toEqual([200])
    const [run] = parsed(ran)
    expect(run).toMatchObject({ run_status: 'succeeded', credits: { charged: 1, refunded: 0 } })
    expect(run.result.items.map(({ title }: { title: string }) => title)).toEqual([
      'otter 1',
      'otter 2',
      'otter 3',
    ])
    expect((await call('/v1/account')).body.balance).toBe(999)
  })

  test('step by step: the kickoff, the ended run, its items as CSV and the account', async () => {
    const ran = await type(STEP_BY_STEP)
    expect(ran.statuses).toEqual([202, 200, 200, 200])
    const [run = '', csv = '', account = ''] = ran.bodies
    expect(JSON.parse(run)).toMatchObject({ run_status: 'succeeded', attempt: 1 })
    expect(csv.split('\r\n').slice(0, 2)).toEqual([
      'title,pageid,ns,url,snippet,snippet_html,size,wordcount,timestamp',
      expect.stringMatching(/^otter 1,1,0,https?:/),
    ])
    expect(JSON.parse(account)).toMatchObject({ name: 'default', balance: 998 })
  })
})

describe('docs/http.md', () => {
  test('the kickoff is answered with 202 and the run that the example shows', async () => {
    const ran = await type(`${VARIABLES}${KICKOFF}`)
    expect(ran.statuses).toEqual([202])
    const [example = ''] = blocksOf('docs/http.md', 'json')
    expect(difference(JSON.parse(example), JSON.parse(ran.bodies[0] ?? ''))).toBeUndefined()
  })

  test('the ended run, its items as CSV and its events up to the last one', async () => {
    const { body: run } = await call('/v1/encyclopedia/search', { query: 'otter', limit: 5 })
    const ran = await type(RESULT, { 'run_…': run.run_id })
    expect(ran.statuses).toEqual([200, 200])
    const [ended = '', csv = ''] = ran.bodies
    expect(JSON.parse(ended)).toMatchObject({ run_id: run.run_id, run_status: 'succeeded' })
    expect(csv).toStartWith('title,pageid,')
    const followed = await type(RUN_EVENTS, { 'run_…': run.run_id })
    expect(followed.statuses).toEqual([200])
    expect(followed.bodies[0]).toMatch(/event: RunRequested\n.*event: RunSucceeded\n/s)
  })

  test('the list of tasks contains the single task', async () => {
    const ran = await type(TASKS)
    expect(ran.statuses).toEqual([200, 200])
    const [{ tasks }, task] = parsed(ran)
    expect(tasks).toContainEqual({ ...task, health: expect.any(String) })
  })

  test('the events of a run and its file', async () => {
    const { body: run } = await call('/v1/book/file', { bytes: 1000, _run: { async: false } })
    const [{ url }] = run.artifacts
    const ran = await type(FILES, { 'run_…': run.run_id, 'export.zip': url.split('/').at(-1) })
    expect(ran.statuses).toEqual([200, 200])
    expect(ran.bodies[0]).toMatch(/event: RunRequested\n.*event: RunSucceeded\n/s)
    expect(ran.bodies[1]).toHaveLength(1000)
  })

  test('a cursor brings the next page', async () => {
    const ran = await type(PAGES)
    expect(ran.statuses).toEqual([202])
    const [{ run_id }] = parsed(ran)
    const { body } = await call(`/v1/runs/${run_id}?wait=30`)
    expect(body.result).toMatchObject({ items: { 0: { title: 'otter 21' } }, next_cursor: '40' })
  })

  test('a synchronous call is answered with the ended run', async () => {
    const ran = await type(SYNC)
    expect(ran.statuses).toEqual([200])
    expect(parsed(ran)[0]).toMatchObject({ run_status: 'succeeded' })
  })

  test('a call repeated with its Idempotency-Key creates and charges one run', async () => {
    const { balance } = (await call('/v1/account')).body
    const ran = await type(REPEAT)
    expect(ran.statuses).toEqual([202, 202])
    const [first, second] = parsed(ran)
    expect(second.run_id).toBe(first.run_id)
    expect((await call('/v1/account')).body.balance).toBe(balance - 1)
  })

  test('cancel ends a run with a refund, and the list of runs is answered', async () => {
    const { balance } = (await call('/v1/account')).body
    const { body: run } = await call('/v1/encyclopedia/search', { query: NEVER })
    const ran = await type(CANCEL_AND_LIST, { 'run_…': run.run_id })
    expect(ran.statuses).toEqual([202, 200])
    const [cancelled, list] = parsed(ran)
    expect(['cancelling', 'cancelled']).toContain(cancelled.run_status)
    expect(list).toEqual({ runs: [], next_cursor: null })
    expect((await call(`/v1/runs/${run.run_id}?wait=30`)).body).toMatchObject({
      run_status: 'cancelled',
      credits: { charged: 1, refunded: 1 },
    })
    // The refund follows the end of the run.
    while ((await call('/v1/account')).body.balance !== balance) await new Promise((go) => setTimeout(go, 20))
  })

  test('the days of a task have today with its succeeded runs', async () => {
    const ran = await type(DAYS)
    expect(ran.statuses).toEqual([200])
    const [{ days }] = parsed(ran)
    expect(days).toMatchObject([{ success: 1, blocked: 0, fill: { title: 1 } }])
  })

  test('the sum of all ledger entries is the balance', async () => {
    const ran = await type(CREDITS)
    expect(ran.statuses).toEqual([200, 200])
    const [account, { entries }] = parsed(ran)
    const sum = entries.reduce((so: number, { amount }: { amount: number }) => so + amount, 0)
    expect(sum).toBe(account.balance)
  })

  test('logins are listed, requested with a link and deleted', async () => {
    const ran = await type(LOGINS)
    expect(ran.statuses).toEqual([200, 201, 200])
    const [{ logins }, signIn, deleted] = parsed(ran)
    expect(
      logins.map(({ source, state }: { source: string; state: string }) => [source, state]),
    ).toContainEqual(['microblog', 'needs_login'])
    expect(signIn).toMatchObject({
      state: 'in_progress',
      hosted_url: expect.stringContaining(`${address}/login/`),
    })
    expect(deleted).toMatchObject({ source: 'microblog', state: 'needs_login' })
  })

  test('keys are created, listed and revoked, and a revoked key is refused', async () => {
    const { body: keyRecord } = await call('/admin/create-key', {})
    const own = client(address, keyRecord.api_key)
    expect((await own('/v1/account')).status).toBe(200)
    const ran = await type(KEYS, { 'key_…': keyRecord.key_id })
    expect(ran.statuses).toEqual([201, 200, 200])
    const [created, { keys }, revoked] = parsed(ran)
    expect(created).toMatchObject({ name: 'ci', scopes: ['runs'], api_key: expect.stringMatching(/^gln_/) })
    expect(keys.map(({ key_id }: { key_id: string }) => key_id)).toContain(created.key_id)
    expect(revoked).toMatchObject({ key_id: keyRecord.key_id, revoked_at: expect.any(String) })
    expect((await own('/v1/account')).body.code).toBe('revoked-key')
  })

  test('a page of events contains the end of a run', async () => {
    const ran = await type(EVENTS)
    expect(ran.statuses).toEqual([200])
    const types = parsed(ran)[0].events.map(({ type }: { type: string }) => type)
    expect(types).toContain('gleaner.RunSucceeded')
  })

  test('webhooks are created, tested, replayed, listed, changed and deleted', async () => {
    const receiver = await startReceiver()
    const creation = await type(WEBHOOK, { 'https://example.com/hook': receiver.url })
    expect(creation.statuses).toEqual([201])
    const [{ webhook_id, secret }] = parsed(creation)
    expect(secret).toStartWith('whsec_')
    const tested = await type(WEBHOOK_TEST, { 'whk_…': webhook_id })
    expect(tested.statuses).toEqual([200, 200, 202])
    const answers = parsed(tested)
    expect(answers).toMatchObject([
      { delivered: true, status: 204 },
      { deliveries: [], next_cursor: null },
      { deliveries: 0 },
    ])
    const ran = await type(WEBHOOKS, { 'whk_…': webhook_id })
    expect(ran.statuses).toEqual([200, 200, 200, 204])
    const [{ webhooks }, changed, rotated] = ran.bodies.slice(0, 3).map((body) => JSON.parse(body))
    expect(webhooks).toMatchObject([{ webhook_id, state: 'enabled' }])
    expect([changed.state, rotated.secret === secret]).toEqual(['disabled', false])
    receiver.stop()
  })

  test("the operator's calls open an account, grant credits and limit its tasks", async () => {
    const operator = client(address, OPERATOR_KEY)
    const { body: opened } = await operator('/admin/accounts', { name: 'to fill in' })
    const ran = await type(OPERATOR, { 'acc_…': opened.account_id })
    expect(ran.statuses).toEqual([201, 200, 200])
    const [account, granted, entitled] = parsed(ran)
    expect(account).toMatchObject({ name: 'Team Otter', balance: 500, api_key: expect.any(String) })
    expect(granted).toEqual({ account_id: opened.account_id, balance: 100 })
    expect(entitled).toMatchObject({ tasks: ['encyclopedia.*'], limits: { concurrent_runs: 5 } })
    expect((await client(address, opened.api_key)('/v1/book/file', { bytes: 1 })).body.code).toBe(
      'task-not-allowed',
    )
  })
})

describe('docs/events.md', () => {
  test('a page of the feed contains the charges of the runs', async () => {
    const ran = await type(EVENT_PAGE)
    expect(ran.statuses).toEqual([200])
    expect(parsed(ran)[0].events[0]).toMatchObject({ type: 'gleaner.CreditsCharged' })
  })
})

describe('docs/logins.md', () => {
  test('a call without a login is answered as in the example, and the login calls equal those of docs/http.md', async () => {
    const ran = await type(LOGIN_NEEDED)
    expect(ran.statuses).toEqual([428])
    const [example = ''] = blocksOf('docs/logins.md', 'json')
    const here = example.replaceAll('https://gleaner.example.com', address)
    expect(difference(JSON.parse(here), JSON.parse(ran.bodies[0] ?? ''))).toBeUndefined()
    expect(LOGINS_AGAIN).toBe(LOGINS)
  })
})

describe('the examples in JSON', () => {
  const [RUN = '', PROBLEM = ''] = blocksOf('docs/http.md', 'json')
  const [PAGE = '', EVENT = ''] = blocksOf('docs/events.md', 'json')

  test('are counted here, so that each is checked against an answer', () => {
    expect(blocksOf('docs/http.md', 'json').length + blocksOf('docs/events.md', 'json').length).toBe(4)
    expect(blocksOf('README.md', 'json')).toEqual([])
  })

  test('match the schemas of /openapi.json', async () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats(ajv)
    ajv.addSchema((await call('/openapi.json')).body, 'api')
    for (const [name, example] of Object.entries({ Run: RUN, Problem: PROBLEM, Event: EVENT })) {
      const check = ajv.getSchema(`api#/components/schemas/${name}`)!
      check(JSON.parse(example))
      expect({ name, errors: check.errors }).toEqual({ name, errors: null })
    }
  })

  test('show the problem that the service answers', async () => {
    const ran = await type(REFUSED)
    expect(ran.statuses).toEqual([422])
    expect(
      difference(JSON.parse(PROBLEM.replace('http://127.0.0.1:3000', address)), parsed(ran)[0]),
    ).toBeUndefined()
  })

  test('show the page of events and the first charge that the service answers', async () => {
    const { body } = await call('/v1/events?types=CreditsCharged')
    const { events, ...rest } = body
    expect(difference(JSON.parse(PAGE.replace('[ … ]', '"…"')), { events: '', ...rest })).toBeUndefined()
    expect(difference(JSON.parse(EVENT), events[0])).toBeUndefined()
  })
})
