/**
 * 31 good runs of four accounts that wait for their site, and a bad one beside them in the same process.
 *
 * @module
 */
import { expect } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { until } from '../../../rigs/servers/processes.ts'
import type { AccountId, RunId } from '../../../src/domain/ids.ts'
import { openStand } from '../stand.ts'
import { openSite } from './site.ts'

export const GOOD_RUNS = 31
const ACCOUNTS = 4
export const CREDITS = 1000
/** of a good run */
export const COST = 6
/** A turn of the service's event loop that takes longer means that the service did not answer, in milliseconds. */
const STALLED_MS = 5000

export type Crowd = Awaited<ReturnType<typeof openCrowd>>
type GoodRun = { readonly name: string; readonly account: AccountId; readonly id: RunId }

/** Opens a stand with a worker and the site. @param signedIn all runs are of one account, which is signed in */
export async function openCrowd({ signedIn = false } = {}) {
  const lines: { readonly run_id?: string; readonly msg: string }[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const stand = await openStand({ plugins: join(import.meta.dirname, 'plugins'), logger })
  const site = await openSite()
  const secrets = join(stand.folder, 'secrets')
  mkdirSync(secrets)
  writeFileSync(join(secrets, 'secret.txt'), 'of the service')
  const worker = await stand.startWorker({
    workerConcurrency: 64,
    sourceOrigins: new Map([['chaos', site.origin]]),
  })
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => stand.openAccount(CREDITS)))
  const [only] = accounts
  const ref = signedIn ? await signIn(only!) : undefined
  const good: GoodRun[] = []
  const answers = watchAnswers()

  async function signIn(account: AccountId): Promise<string> {
    const cookie = { name: 'session', value: 's1', domain: 'www.chaos.example', path: '/', expires: -1 }
    const cookies = [{ ...cookie, secure: true, httpOnly: true, sameSite: 'Lax' }]
    const ref = await stand.vault.save(account, 'chaos', JSON.stringify({ cookies, origins: [] }))
    const cause = { correlationId: 'test', causationId: 'test', now: stand.now() }
    await stand.logins.complete(account, 'chaos', { ref, validUntil: null, startedAt: stand.now() }, cause)
    return ref
  }

  async function beginGood(name: string, account = signedIn ? only! : accounts[good.length % ACCOUNTS]!) {
    const run = { name, account, id: await stand.request(account, 'chaos.good', { name }) }
    good.push(run)
    return run
  }

  /** Begins a run of the bad task, and lets it go once all of the crowd is in one process. */
  async function beginBad(how: string, task = 'bad'): Promise<{ account: AccountId; id: RunId }> {
    for (let n = 0; n < GOOD_RUNS; n++) await beginGood(`good${n}`)
    await until(() => site.waiting.length === GOOD_RUNS)
    const account = signedIn ? only! : await stand.openAccount(CREDITS)
    const id = await stand.request(account, `chaos.${task}`, { how })
    await until(() => site.waiting.includes('bad'))
    expect(processes()).toEqual([{ state: 'accepting', processes: 1, runs: GOOD_RUNS + 1 }])
    const other = good.at(-1)!
    site.letBadGo({ folder: folderOf(other.id).replace(other.id, id), secrets })
    return { account, id }
  }

  /** The folder of a run in its process. */
  function folderOf(id: RunId): string {
    const work = join(stand.folder, 'work')
    for (const owner of readdirSync(work))
      for (const child of readdirSync(join(work, owner)))
        if (child.startsWith('child-') && readdirSync(join(work, owner, child)).includes(id))
          return join(work, owner, child, id)
    throw new Error(`no folder of ${id}`)
  }

  /** The processes of the chaos source. */
  const processes = () =>
    worker.pool.figures().flatMap(({ source, ...figures }) => (source === 'chaos' ? [figures] : []))

  /** Executes runs of another source until a run has ended. */
  async function answersUntil<T>(ended: Promise<T>): Promise<T> {
    const account = await stand.openAccount(1_000_000)
    let isOver = false
    const over = ended.finally(() => {
      isOver = true
    })
    do {
      const { run_status, attempt } = await stand.ended(await stand.request(account, 'calm.list'))
      expect({ run_status, attempt }).toEqual({ run_status: 'succeeded', attempt: 1 })
    } while (!isOver)
    return over
  }

  /** The good runs end as if they had been alone. @param times how often each was executed */
  async function expectGood(times: 1 | 2): Promise<void> {
    for (const { name, id } of good) {
      const word = `a word for ${name}`
      const ended = await stand.ended(id)
      expect(ended).toMatchObject({
        ...{ run_status: 'succeeded', attempt: 1, error: null, credits: { charged: COST, refunded: 0 } },
        result: { items: [{ said: `${name} begins` }, { said: `${name}: ${word}, ${word}` }] },
        artifacts: [{ name: 'name.txt', bytes: name.length }],
      })
      expect(ended.artifacts).toHaveLength(1)
      const types = await stand.eventsOf(id)
      expect(types.filter((type) => type === 'RunStarted')).toHaveLength(1)
      expect(site.requests.get(name)).toBe(times)
    }
    if (signedIn) return
    for (const account of accounts)
      await stand.untilBalance(account, CREDITS - COST * good.filter((run) => run.account === account).length)
  }

  return {
    stand,
    site,
    worker,
    secrets,
    /** the lines of the service's log */
    lines,
    /** of the signed-in account */
    login: { account: only!, ref },
    good,
    processes,
    /** Waits until no process of the chaos source is in a state. */
    isGone: (state: string) => until(() => processes().every((each) => each.state !== state)),
    beginGood,
    beginBad,
    answersUntil,
    expectGood,
    async close() {
      site.close()
      await stand.close()
      expect(answers.stop()).toBeLessThan(STALLED_MS)
    },
  }
}

/** Measures the longest turn of this process's event loop, in which the worker runs. */
function watchAnswers() {
  let last = performance.now()
  let longest = 0
  const look = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, 50)
  return {
    stop(): number {
      clearInterval(timer)
      look()
      return longest
    },
  }
}
