/**
 * Accounts signed in at one source, on one worker with one browser: no data of one account shows in a run of another,
 * with any browser storage, any order of runs, and any process that dies in the middle.
 *
 * @module
 */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import pino from 'pino'
import { until } from '../../rigs/servers/processes.ts'
import { type AccountId, loginStream, type RunId } from '../../src/domain/ids.ts'
import { isEnded } from '../../src/domain/run-state.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import { belowOf } from '../browser/processes.ts'
import { openStand, type Stand } from './stand.ts'

setDefaultTimeout(120_000)
const PAGE =
  '<!doctype html><script>var heard = null; new BroadcastChannel("club").onmessage = ({ data }) => { heard = data }</script>'
/** requests of runs that wait for an answer, by mark */
const heldResponses = new Map<string, ServerResponse>()
/** marks whose runs are to wait */
const holding = new Set<string>()
let kept = 0
const site = createServer(({ url = '', headers }, response) => {
  const [path, mark = ''] = url.split('?')
  const cookie = headers.cookie ?? ''
  if (path === '/held' && holding.has(mark)) return void heldResponses.set(mark, response)
  if (path === '/who') return void response.end(JSON.stringify({ cookie }))
  const body = path === '/' ? PAGE : `${path} ${++kept} ${cookie}`
  const lasting = { 'cache-control': 'max-age=3600', etag: `"${mark}"` }
  response.writeHead(200, { 'content-type': 'text/html', ...(path === '/kept' ? lasting : {}) }).end(body)
})
const lines: string[] = []
let stand: Stand
let logins = 0

beforeAll(async () => {
  await new Promise<void>((listens) => site.listen(0, '127.0.0.1', listens))
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  stand = await openStand({ plugins: join(import.meta.dirname, 'login-plugins'), logger })
  const origins = new Map([['club', `http://127.0.0.1:${(site.address() as AddressInfo).port}`]])
  await stand.startWorker({ sourceOrigins: origins, chromiumPath: process.env.CHROMIUM_PATH || null })
})
afterAll(async () => {
  site.closeAllConnections()
  await stand.close()
  site.close()
})
beforeEach(() => {
  heldResponses.clear()
  holding.clear()
})

/** A signed-in account, with a word that must not appear anywhere else. */
type Member = { readonly account: AccountId; readonly word: string; readonly ref: string }

/** A login state with the word in each of its storages. */
function stateWith(word: string): string {
  const cookie = { domain: 'www.club.example', path: '/', expires: -1, secure: true, sameSite: 'Lax' }
  const records = [{ key: 1, value: `${word}-database` }]
  const store = { name: 's', records, indexes: [], autoIncrement: false }
  return JSON.stringify({
    cookies: [
      { ...cookie, name: 'session', value: `${word}-cookie`, httpOnly: true },
      { ...cookie, name: 'seen', value: `${word}-seen`, httpOnly: false },
    ],
    origins: [
      {
        origin: 'https://www.club.example',
        localStorage: [{ name: 'state', value: `${word}-local` }],
        indexedDB: [{ name: 'state', version: 1, stores: [store] }],
      },
    ],
  })
}

async function member(name: string): Promise<Member> {
  const word = `${name}${++logins}x${crypto.randomUUID().slice(0, 8)}`
  const account = await stand.openAccount()
  const ref = await stand.vault.save(account, 'club', stateWith(word))
  const cause = { correlationId: 'test', causationId: 'test', now: stand.now() }
  const signedIn = { ref, validUntil: null, startedAt: stand.now() }
  await stand.logins.complete(account, 'club', signedIn, cause)
  return { account, word, ref }
}

const begin = ({ account, word }: Member, task = 'visit'): Promise<RunId> =>
  stand.request(account, `club.${task}`, { mark: word })

/** What a page sees in the first run of an account, before it has stored anything itself. */
const firstSight = (word: string) => ({
  cookie: `seen=${word}-seen`,
  local: { state: `${word}-local` },
  session: {},
  databases: { state: [`${word}-database`] },
  cached: [],
  broadcast: null,
  name: '',
  opener: null,
  locks: [],
  who: JSON.stringify({ cookie: `session=${word}-cookie; seen=${word}-seen` }),
})

/**
 * Checks that the run of a member saw all of its own state and no state of the others.
 *
 * @param again whether the run was restarted, and so may find the cookies of its first attempt
 */
async function expectAlone(id: RunId, own: Member, others: readonly Member[], again = false): Promise<void> {
  const run = await stand.ended(id)
  expect(run.run_status).toBe('succeeded')
  const [item] = run.result.items
  expect(item.signed_in).toBe(true)
  const cookies = `session=${own.word}-cookie; seen=${own.word}-seen`
  if (again) expect(item.who).toStartWith(cookies)
  else {
    expect(item.who).toBe(cookies)
    expect(item.before).toMatchObject(firstSight(own.word))
  }
  expect(item.after).toMatchObject({
    local: { state: `${own.word}-local`, planted: own.word },
    databases: { planted: [own.word] },
    cached: ['planted', own.word],
    locks: [own.word],
  })
  for (const { word } of others) expect(JSON.stringify(run)).not.toContain(word)
}

/** Begins a run that leaves its marks and then waits in its page until `letGo`. */
async function beginHeld(who: Member): Promise<RunId> {
  holding.add(who.word)
  const id = await begin(who)
  await until(() => heldResponses.has(who.word))
  return id
}

function letGo({ word }: Member): void {
  holding.delete(word)
  heldResponses.get(word)?.end()
}

function killAll(kind: RegExp): void {
  const processes = belowOf(process.pid).filter(
    ({ command }) => kind.test(command) && !/setpriv/.test(command),
  )
  if (processes.length === 0) throw new Error(`no process ${kind}`)
  for (const { pid } of processes) process.kill(pid, 'SIGKILL')
}
const CHROMIUM = /^(?!.*(chromium\.sh| --type=)).*--user-data-dir=/
const HOST = /browser\/host\/main\.ts/
const CHILD = /worker\/process\/child\/main\.ts/

describe.skipIf(!hasBrowser)('no data of one account shows in a run of another', () => {
  test('in consecutive runs, in both orders', async () => {
    const [a, b, c] = [await member('ann'), await member('bob'), await member('cid')]
    await expectAlone(await begin(a), a, [b, c])
    await expectAlone(await begin(b), b, [a, c])
    await expectAlone(await begin(c), c, [a, b])
  })

  test('in concurrent runs, with both pages open', async () => {
    const [a, b] = [await member('ann'), await member('bob')]
    const runs = [await beginHeld(a), await beginHeld(b)] as const
    letGo(a)
    await expectAlone(runs[0], a, [b])
    letGo(b)
    await expectAlone(runs[1], b, [a])
  })

  test.each([
    ['Chromium', CHROMIUM],
    ['the browser host', HOST],
  ])('after %s was killed during a run, which then starts again', async (_, kind) => {
    const [a, b] = [await member('ann'), await member('bob')]
    const first = await beginHeld(a)
    heldResponses.delete(a.word)
    killAll(kind)
    const second = await begin(b)
    await expectAlone(second, b, [a])
    // The first run is back at the same point, in another browser.
    await until(() => heldResponses.has(a.word))
    letGo(a)
    await expectAlone(first, a, [b])
  })

  test('after its child was killed during a run, which another worker may take over', async () => {
    const [a, b] = [await member('ann'), await member('bob')]
    const first = await beginHeld(a)
    heldResponses.delete(a.word)
    killAll(CHILD)
    // The run may be given to a child whose death was not noticed yet.
    const second = await begin(b)
    // Its lease must begin before the clock moves.
    await stand.until(second, ({ status }) => status !== 'queued')
    const reconciler = stand.newReconciler()
    stand.clock.offset += 31_000
    await until(async () => {
      await stand.shown()
      await reconciler.once()
      const [one, other] = await Promise.all([first, second].map((id) => stand.runs.load(id)))
      // A run that ended without being held again fails the checks below.
      return (heldResponses.has(a.word) || isEnded(one!.state)) && isEnded(other!.state)
    })
    await expectAlone(second, b, [a])
    letGo(a)
    await expectAlone(first, a, [b], true)
  })

  test('in runs of an account without a login, concurrent and afterwards', async () => {
    const a = await member('ann')
    const first = await beginHeld(a)
    for (const isBeside of [true, false]) {
      const account = await stand.openAccount()
      const run = await stand.ended(await stand.request(account, 'club.visit-as-anyone', { mark: 'nobody' }))
      const [{ signed_in, who, before }] = run.result.items
      expect({ signed_in, who }).toEqual({ signed_in: false, who: '' })
      expect(before).toMatchObject({
        cookie: '',
        local: {},
        databases: {},
        cached: [],

        locks: [],
      })
      expect(JSON.stringify(run)).not.toContain(a.word)
      if (isBeside) {
        letGo(a)
        await expectAlone(first, a, [])
      }
    }
  })
})

describe.skipIf(!hasBrowser)('the state that a page left', () => {
  test('is restored in the next run of the account, except session storage, caches and window.name', async () => {
    const a = await member('ann')
    await stand.ended(await begin(a))
    const run = await stand.ended(await begin(a))
    const [{ before }] = run.result.items
    expect(before).toMatchObject({
      cookie: `seen=${a.word}-seen; planted=${a.word}`,
      local: { state: `${a.word}-local`, planted: a.word },
      databases: { state: [`${a.word}-database`], planted: [a.word] },
      ...{ session: {}, cached: [], name: '' },
    })
  })

  test('is not kept when the login is deleted during the run', async () => {
    const a = await member('ann')
    const id = await beginHeld(a)
    await stand.logins.delete(a.account, 'club', { correlationId: 't', causationId: 't', now: stand.now() })
    letGo(a)
    await stand.ended(id)
    expect(await stand.vault.load(a.account, 'club', a.ref)).toBeUndefined()
    const names = (await stand.log.readStream(loginStream(a.account, 'club'))).map(({ type }) => type)
    expect(names).toEqual(['LoginCompleted', 'LoginDeleted'])
    expect((await stand.ended(await begin(a))).error.code).toBe('source-login-required')
  })
})

test.skipIf(!hasBrowser)('the log lines of the service contain no login state', () => {
  expect(lines.length).toBeGreaterThan(0)
  for (const part of ['-cookie', '-local', '-database'])
    expect(lines.filter((l) => l.includes(part))).toEqual([])
})
