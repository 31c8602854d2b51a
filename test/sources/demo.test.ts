/**
 * The demo as started by a newcomer, and complete runs of every task on it: each printed call goes through the HTTP
 * API, workers and child processes, signed in at the hosted page if necessary, and yields the same result as its
 * cassette in the test of its plugin. For the other cassettes, the mock sites give the recorded answers.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { promisify } from 'node:util'
import {
  childrenOf,
  endAll,
  isAlive,
  type Running,
  signalGroup,
  start,
  until,
} from '../../rigs/servers/processes.ts'
import { client, ROOT } from '../../rigs/servers/server.ts'
import { signInAt } from '../../rigs/support/hosted-link.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { type CatalogueTask, loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import { answerOf, replay } from '../../src/plugin/testing/exchanges.ts'
import { hasBrowser, runTask } from '../../src/plugin/testing.ts'
import { type CassetteFile, cassettesOf, needsLogin, sitesOf } from '../../tools/mock-sites/cassettes.ts'
import { flightsAnswer } from '../../tools/mock-sites/flights.ts'
import { matcherOf } from '../../tools/mock-sites/matching.ts'

const catalogue = await loadCatalogue({ folders: [PLUGINS], config: { pluginsDir: null, runLimitS: 300 } })
const all = cassettesOf(catalogue)
/** Without Chromium some tasks cannot run, and nobody can sign in. */
const cassettes = all.filter((one) => hasBrowser || !(one.task.declaration.needs?.browser || needsLogin(one)))

const folder = temporaryFolder()
const demoFolders = () => readdirSync(folder).filter((name) => name.startsWith('gleaner-demo-'))

let demo: Running
let url: string
let key: string
let call: ReturnType<typeof client>

beforeAll(async () => {
  const notHeeded = { BOOTSTRAP_KEY: 'x', DATA_DIR: '/x', EVENTSTORE_URL: 'x', ROLES: 'x', PROXY_URL: 'x' }
  const env = { PORT: '0', PLUGINS_DIR: '', TMPDIR: folder, ...notHeeded }
  demo = start('npm', ['run', 'demo', '--silent'], { cwd: ROOT, env })
  ;[, url = '', key = ''] = await demo.says(
    /export GLEANER_URL=(\S+)\nexport GLEANER_API_KEY=(\S+)\n[\s\S]*E-mail/,
  )
  call = client(url, key)
}, 60_000)
afterAll(endAll)

/** The credentials that the demo prints. */
function user() {
  const said = (what: string) => new RegExp(`${what}: +(.+)`).exec(demo.printed.out)?.[1] ?? ''
  return { name: said('User name'), password: said('Password'), code: said('Code') }
}

describe('the demo', () => {
  test('prints that its data is sample data, and names every task', async () => {
    expect(demo.printed.out).toContain('This is a demo with sample data')
    const { body } = await call('/v1/tasks')
    const named = [...demo.printed.out.matchAll(/^# .* \((\S+)\)$/gm)].map(([, task = '']) => task)
    expect(named).toEqual(body.tasks.map(({ task_key }: { task_key: string }) => task_key))
    expect(named).toEqual(catalogue.tasks.map((task) => task.key))
    expect(catalogue.failures).toEqual([])
  })

  test('has sample data for every task', () => {
    expect(demo.printed.out).not.toContain('No sample data')
  })

  test('prints calls of every task that work when pasted into a shell, with a sign-in where required', async () => {
    const working = catalogue.tasks.filter(({ key }) => printedOf(key).length > 0)
    // What is read without a login comes first: a login made for one task is found by the next one.
    const visit = async ({ key }: CatalogueTask) =>
      [key, (await walk(key, callsOf(key).signedOut)).answers] as const
    const visits = new Map(await Promise.all(working.map(visit)))
    const bySource = Map.groupBy(working, ({ source }) => source)
    const members = await Promise.all(bySource.values().map(walkSignedIn))
    const ends = members.flat().map((member) => ({
      ...member,
      answers: [...(visits.get(member.key) ?? []), ...member.answers],
    }))
    expect(ends.flatMap(({ signIns }) => signIns)).toEqual(
      hasBrowser
        ? [
            'forum.community.details: no code',
            'microblog.search: login-required',
            'photo.profile-download: no code',
            'shortvideo.comments: no code',
          ]
        : [],
    )
    for (const { key, answers } of ends) expect([key, answers.length]).toEqual([key, printedOf(key).length])
    await Promise.all(
      ends.flatMap(({ key, answers }) => answers.map((run, i) => isAsItsCassette(run, printedOf(key)[i]!))),
    )
  }, 240_000)
})

/** The runnable cassettes of a task whose calls the demo prints. */
function printedOf(key: string): CassetteFile[] {
  const own = cassettes.filter(({ task }) => task.key === key)
  const first = [own.find((one) => !needsLogin(one)), own.find(needsLogin)]
  return first.filter((one) => one !== undefined)
}

/** The calls that the demo prints for a task: before a sign-in, for it, and after it. */
function callsOf(key: string) {
  const [, block = ''] = demo.printed.out.split(`(${key})\n`)
  const said = block.split(/^# .* \(\S+\)$/m)[0] ?? ''
  const lines = said.split('\n').filter((line) => line.startsWith('curl '))
  const isMembers = catalogue.get(key)?.declaration.needs?.login === true
  const at = isMembers ? 0 : lines.findIndex((line) => line.includes('/v1/logins/'))
  if (at < 0 || !hasBrowser) return { signedOut: lines.slice(0, 1), signIn: [], signedIn: [] }
  const signIn = isMembers ? [] : lines.slice(at, at + 1)
  return { signedOut: lines.slice(0, at), signIn, signedIn: lines.slice(at + signIn.length) }
}

/** Pastes the calls of a source's tasks that need a login, or are better with one; signs in once. */
async function walkSignedIn([first, ...others]: readonly CatalogueTask[]) {
  if (!first) return []
  const { signIn, signedIn } = callsOf(first.key)
  const end = await walk(first.key, [...signIn, ...signedIn])
  return [end, ...(await Promise.all(others.map(({ key }) => walk(key, callsOf(key).signedIn))))]
}

/** Pastes calls of a task, and signs in if an answer has a link. */
async function walk(key: string, calls: readonly string[]) {
  const answers = []
  const signIns: string[] = []
  for (const line of calls) {
    const answer = await paste(line)
    if (answer.hosted_url === undefined) answers.push(answer)
    else {
      signIns.push(`${key}: ${answer.code ?? 'no code'}`)
      await signInAt(answer.hosted_url, user())
      if (answer.status === 428) answers.push(await paste(line))
    }
  }
  return { key, answers, signIns }
}

// biome-ignore lint/suspicious/noExplicitAny: JSON, which the assertions check
async function paste(line: string): Promise<any> {
  const { stdout } = await promisify(execFile)('sh', ['-c', line], {
    env: { ...process.env, GLEANER_URL: url, GLEANER_API_KEY: key },
  })
  return JSON.parse(stdout)
}

/** Whether a run has content. Some tasks have all their content beside the items. */
// biome-ignore lint/suspicious/noExplicitAny: a run as it was answered
function isFull({ result, artifacts }: any): boolean {
  const { items = [], ...beside } = result ?? {}
  return [...items, ...artifacts, ...Object.values(beside)].some((part) => part instanceof Object)
}

// biome-ignore lint/suspicious/noExplicitAny: a run as it was answered
async function isAsItsCassette(run: any, filed: CassetteFile): Promise<void> {
  const { task, cassette } = filed
  const { source } = task
  const { input, exchanges } = cassette
  expect([run.task_key, run.run_status, run.error, isFull(run)]).toEqual([task.key, 'succeeded', null, true])
  const signedIn = needsLogin(filed)
  const now = () => clockOf(run)
  // The site of flights answers on the day that is asked for.
  const answers = source.name === 'flights' ? { fetch: flightsOf(exchanges, source.origin) } : { exchanges }
  const trace = await runTask(task.declaration, input, { source, ...answers, signedIn, now })
  expect(trace.error).toBeNull()
  expect(run.result).toEqual({ items: trace.items, ...trace.rest })
  expect(run.artifacts.map(({ name }: { name: string }) => name)).toEqual(trace.files.map(({ name }) => name))
  expect(run.credits).toEqual(creditsOf(task, input, trace))
  expect(await eventsOf(run.run_id)).toMatch(
    /^RunRequested RunStarted (?:(?:RunProgressed|ArtifactStored) )*ResultStored RunSucceeded$/,
  )
}

function flightsOf(exchanges: Parameters<typeof replay>[0], origin: string): ReturnType<typeof replay> {
  const send = replay(exchanges, origin)
  return async (request) => {
    const { pathname, search } = new URL(request.url)
    const asked = { method: request.method, path: pathname + search, body: await request.clone().text() }
    const answer = await send(request)
    const { body } = flightsAnswer(asked)({ request: pathname, body: await answer.text() })
    return new Response(String(body), answer)
  }
}

describe('the mock site of a source gives the answers of each of its cassettes', () => {
  const { families, signIns } = sitesOf(catalogue, all, [])
  const others = cassettes.filter((one) => !printedOf(one.task.key).includes(one))
  test('some cassettes are not printed by the demo', () => expect(others.length).toBeGreaterThan(5))

  test.each(others.map((one) => [`${one.task.key}: ${one.file.pathname.split('/').at(-1)}`, one] as const))(
    '%s',
    async (_, filed) => {
      const { task, cassette } = filed
      const { source } = task
      const signedIn = needsLogin(filed)
      const open = signIns.get(source.name)?.open ?? []
      const own = source.login && !signedIn ? [] : families.get(source.name)!
      const choose = matcherOf([...own, ...open])
      const send = replay(cassette.exchanges, source.origin)
      const fetch = async (request: Request) => {
        const { method, url } = request
        const { pathname, search } = new URL(url)
        const exchange = choose({ method, path: pathname + search, body: await request.clone().text() })
        const [held, expected] = [await send(request), answerOf(exchange ?? { request: url, status: 404 })]
        expect([url, expected.status, await expected.text()]).toEqual([
          url,
          held.status,
          await held.clone().text(),
        ])
        return held
      }
      const { error } = await runTask(task.declaration, cassette.input, { source, fetch, signedIn })
      expect(error).toBeNull()
    },
    60_000,
  )
})

/** The time that a task read from the clock, if its items or files have one: a time within the run. */
// biome-ignore lint/suspicious/noExplicitAny: a run as it was answered
function clockOf({ created_at, finished_at, result, artifacts }: any): number {
  const [from, to] = [Math.floor(Date.parse(created_at) / 1000) * 1000, Date.parse(finished_at)]
  const dates = JSON.stringify([result, artifacts]).matchAll(
    /(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d):?(\d\d(?:\.\d+)?)Z/g,
  )
  const times = [...dates].map(([, year, month, day, hour, minute, second]) =>
    Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`),
  )
  return times.find((time) => time >= from && time <= to) ?? to
}

type Outcome = { readonly rest: object; readonly blocks: readonly number[] }

function creditsOf(
  { declaration: task, price }: CassetteFile['task'],
  input: object,
  { rest, blocks }: Outcome,
) {
  const first = price(input as Readonly<Record<string, unknown>>)
  if (typeof task.price === 'number') return { charged: first, refunded: 0 }
  const charged = first + blocks.length * (task.price.block ?? 0)
  const spent = task.price.spent?.(rest as Readonly<Record<string, unknown>>) ?? charged
  return { charged, refunded: charged - spent }
}

/** The names of a run's events in their order. */
async function eventsOf(runId: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` }
  const text = await (await fetch(`${url}/v1/runs/${runId}/events`, { headers })).text()
  return [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name).join(' ')
}

test('Ctrl-C ends all processes of the demo and deletes its data', async () => {
  const children = childrenOf(demo.pid).flatMap((child) => [child, ...childrenOf(child)])
  expect([children.length > 0, demoFolders().length]).toEqual([true, 1])
  signalGroup(demo.pid, 'SIGINT')
  expect((await demo.ended).code).toBe(0)
  await until(() => !children.some(isAlive))
  expect(demoFolders()).toEqual([])
}, 60_000)
