/** A run that shows that its source has changed leaves its last answers to the operator, without secrets. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { childrenOf, until } from '../../rigs/servers/processes.ts'
import { type AccountId, type RunId, runStream, sourceStream } from '../../src/domain/ids.ts'
import { capturesOf, readCapture, removeCapture } from '../../src/health/captures/list.ts'
import { type Cassette, hasBrowser, runTask } from '../../src/plugin/testing.ts'
import { openStand, type Stand } from './stand.ts'

const KEY = 'operators-key-8d969eef'
/** The signed-in state of an account. */
const COOKIES = { session: 'MARK-session-3f2a', spaced: 'MARK%20spaced%2Fe1' }
const STORED = 'MARK1-stored-in-page-7c1e'
/** A cookie that each answer sets. */
const SET = 'MARK-set-by-answer'

let stand: Stand
let site: Server
/** the content of the site's answers: a page, or the fields of a JSON object */
let content: string | object
/** called for each request, before its answer */
let onRequest: (request: IncomingMessage) => void
const drifting = new Set<string>()

beforeEach(async () => {
  content = { lamps: [{ title: 'Desk lamp' }] }
  onRequest = () => {}
  drifting.clear()
  site = createServer((request, response) => {
    onRequest(request)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://site')
    if (pathname === '/moved') return void response.writeHead(302, { location: '/lamps?key=' }).end()
    response.setHeader('set-cookie', `third=${SET}; Path=/; Secure`)
    if (typeof content === 'string') return void response.setHeader('content-type', 'text/html').end(content)
    const { cookie } = request.headers
    const echo = { key: searchParams.get('key'), cookie, decoded: decodeURIComponent(cookie ?? ''), STORED }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ...content, echo }))
  })
  await new Promise<void>((listens) => site.listen(0, '127.0.0.1', listens))
  stand = await openStand({
    plugins: join(import.meta.dirname, 'capture-plugins'),
    credentials: new Map([['lamps', { KEY }]]),
    drifting,
  })
  const origins = new Map([['lamps', `http://127.0.0.1:${(site.address() as AddressInfo).port}`]])
  const chromiumPath = process.env.CHROMIUM_PATH || null
  await stand.startWorker({ sourceOrigins: origins, workerConcurrency: 32, chromiumPath })
})
afterEach(async () => {
  site.closeAllConnections()
  await stand.close()
  site.close()
})

type Ran = { readonly id: RunId; readonly account: AccountId; readonly status: string }

/** Executes a run to its end. */
async function ran(paths: string[], task = 'lamps.list', by?: AccountId): Promise<Ran> {
  const account = by ?? (await stand.openAccount())
  const id = await stand.request(account, task, { paths })
  return { id, account, status: (await stand.ended(id)).run_status }
}

const captureIdOf = ({ id }: Ran) => id.replace('run_', 'cap_')
const storedIds = async () => (await capturesOf(stand)).map(({ id }) => id)

/** The capture of a run, once it is stored. */
async function captured(run: Ran) {
  await until(async () => (await storedIds()).includes(captureIdOf(run)))
  return (await readCapture(stand, captureIdOf(run)))!
}

/** Replays a capture. @returns the code of the error */
async function replayed({ task, input, exchanges }: Cassette) {
  const { declaration, source } = stand.catalogue.get(task)!
  return (await runTask(declaration, input, { source, exchanges })).error?.code
}

/** Kills a process, if it has not ended by itself. */
function killed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const pathsOf = ({ exchanges }: Cassette) => exchanges.map(({ request }) => /\/\w*/.exec(request)?.[0])

test('a run whose source has changed leaves a cassette that fails with the same code', async () => {
  content = { items: [] }
  const run = await ran(['/moved', '/never'])
  const { capture, cassette } = await captured(run)
  expect(capture).toMatchObject({
    task_key: 'lamps.list',
    source: 'lamps',
    run_id: run.id,
    account_id: run.account,
    code: 'source-changed',
    exchanges: 2,
  })
  expect(pathsOf(cassette)).toEqual(['/moved', '/lamps'])
  expect(await replayed(cassette)).toBe('source-changed')
})

test('a run whose items do not match their schema is captured, with its last three answers', async () => {
  onRequest = ({ url = '' }) => {
    content = { lamps: [{ title: url.startsWith('/5') ? 5 : url }] }
  }
  const run = await ran(['/1', '/2', '/3', '/4', '/5'])
  const { capture, cassette } = await captured(run)
  expect([run.status, capture.code]).toEqual(['errored', 'output-invalid'])
  expect(pathsOf(cassette)).toEqual(['/3', '/4', '/5'])
  expect(cassette.note).toContain('the last 3 of 5 answers')
})

test('no cookie of a login, and none of the operator’s credentials, is in a capture', async () => {
  content = { items: [] }
  const account = await stand.openAccount()
  const cookie = { domain: 'www.lamps.example', path: '/', secure: true, httpOnly: true, sameSite: 'Lax' }
  const cookies = Object.entries(COOKIES).map(([name, value]) => ({ ...cookie, name, value, expires: -1 }))
  const localStorage = [{ name: 'auth', value: JSON.stringify({ token: STORED }) }]
  const origins = [{ origin: 'https://www.lamps.example', localStorage }]
  const ref = await stand.vault.save(account, 'lamps', JSON.stringify({ cookies, origins }))
  const cause = { correlationId: 'test', causationId: 'test', now: stand.now() }
  const login = { ref, validUntil: null, startedAt: stand.now() }
  await stand.logins.complete(account, 'lamps', login, cause)
  const sent: string[] = []
  onRequest = ({ headers }) => void sent.push(headers.cookie ?? '')
  const path = `/${SET}/${encodeURIComponent(COOKIES.spaced)}?me=${COOKIES.session}&stored=${STORED}`
  const { cassette } = await captured(await ran([path], 'lamps.list', account))
  const text = JSON.stringify(cassette)
  expect(sent.join()).toContain(COOKIES.session)
  expect(cassette.signedIn).toBe(true)
  expect(cassette.exchanges[0]?.json).toMatchObject({ items: [] })
  for (const secret of ['MARK', 'operators-key', '8d969eef']) expect(text).not.toContain(secret)
})

test('a run that succeeds while its task drifts is captured without a code; others are not', async () => {
  await ran(['/good'])
  drifting.add('lamps.list')
  const { capture, cassette } = await captured(await ran(['/drifting']))
  expect(capture.code).toBeNull()
  expect(pathsOf(cassette)).toEqual(['/drifting'])
  expect(await storedIds()).toEqual([capture.id])
})

test('while a source is broken, one run in ten minutes is captured', async () => {
  content = {}
  const first = await ran(['/first'])
  await captured(first)
  await Promise.all(Array.from({ length: 20 }, () => ran(['/more'])))
  expect(await storedIds()).toEqual([captureIdOf(first)])
})

test('a process that is killed takes its answers with it, and the run that is executed again has a capture', async () => {
  content = {}
  let isFirst = true
  onRequest = () => {
    if (isFirst) childrenOf(process.pid).forEach(killed)
    isFirst = false
  }
  const run = await ran(['/lamps'])
  const { capture, cassette } = await captured(run)
  expect([run.status, capture.code, cassette.exchanges.length]).toEqual(['failed', 'source-changed', 1])
  expect(await storedIds()).toEqual([capture.id])
})

test('the account does not see a capture: not in its run, and not in its events', async () => {
  content = {}
  const run = await ran(['/lamps'])
  await captured(run)
  expect(JSON.stringify(await stand.ended(run.id))).not.toContain('capture')
  const events = await stand.log.readAccount?.(run.account, null, 1000)
  expect(events?.map(({ stream }) => stream)).not.toContain(sourceStream('lamps'))
  expect(events?.map(({ stream }) => stream)).toContain(runStream(run.id))
  expect(await stand.eventsOf(run.id)).not.toContain('CaptureStored')
})

test('a capture expires after seven days, and can be deleted before', async () => {
  content = {}
  const run = await ran(['/lamps'])
  const { capture } = await captured(run)
  stand.clock.offset += 7 * 86_400_000 - 60_000
  expect(await storedIds()).toEqual([capture.id])
  stand.clock.offset += 60_000
  expect(await storedIds()).toEqual([])
  expect(await readCapture(stand, capture.id)).toBeUndefined()
  stand.clock.offset = 0
  expect([await removeCapture(stand, capture.id), await removeCapture(stand, capture.id)]).toEqual([
    true,
    false,
  ])
  expect(await storedIds()).toEqual([])
})

test.skipIf(!hasBrowser)(
  'the document of a page is captured as its plugin read it, and replays',
  async () => {
    content = `<!doctype html><html><head><title>Lamps</title></head><body><p>Desk lamp</p>
    <script>document.body.insertAdjacentHTML('beforeend', '<em>loaded later</em>'); fetch('/data')</script></body></html>`
    const { capture, cassette } = await captured(await ran(['/one'], 'lamps.page'))
    expect([capture.code, pathsOf(cassette)]).toEqual(['source-changed', ['/one']])
    expect(cassette.exchanges[0]?.body).toContain('<em>loaded later</em>')
    expect(await replayed(cassette)).toBe('source-changed')
  },
)

test.skipIf(!hasBrowser)(
  'what a plugin fetches from inside of a page is captured too, and replays',
  async () => {
    const page = '<!doctype html><html><head></head><body><script>fetch("/data")</script></body></html>'
    onRequest = ({ url }) => {
      content = url === '/' ? page : { items: [] }
    }
    const { cassette } = await captured(await ran(['/lamps'], 'lamps.inside'))
    expect(pathsOf(cassette)).toEqual(['/', '/lamps'])
    expect(cassette.exchanges[1]?.json).toMatchObject({ items: [] })
    expect(await replayed(cassette)).toBe('source-changed')
  },
)
