/** A changed site is noticed by the health of its task, through real workers and processes of plugins. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import type { AccountId } from '../../src/domain/ids.ts'
import { standingsOf } from '../../src/health/standings.ts'
import { answerOf } from '../../src/plugin/testing/exchanges.ts'
import type { Exchange } from '../../src/plugin/testing.ts'
import { openStand, type Stand } from '../../test/worker/stand.ts'
import { matcherOf } from '../../tools/mock-sites/matching.ts'
import { startSite } from '../servers/site.ts'
import { type Change, changed } from './changes.ts'
import { cassetteRecordings, type Recording } from './recordings.ts'

const RUNS = 20
/** Different queries of a site that answers all alike. */
const QUERIES = 10

/** The recording of a task whose site changes, and what the health of the task says then. */
type Case = readonly [task: string, file: string, change: Change, health: string, fields: readonly string[]]
const CASES: readonly Case[] = [
  [
    'encyclopedia.search',
    'search.json',
    { part: '.query.search[].timestamp', way: 'dropped' },
    'drifting',
    ['timestamp'],
  ],
  ['marketplace.member.search', 'member-search.json', { part: '.users', way: 'emptied' }, 'broken', []],
  ['forum.posts', 'posts.json', { part: 'shreddit-post[author]', way: 'dropped' }, 'drifting', ['author']],
  [
    'realty_a.search',
    'search.json',
    { part: '.props.pageProps.searchResults.properties', way: 'renamed' },
    'broken',
    [],
  ],
  ['video.channel.shorts', 'shorts-own-order.json', { part: '.contents', way: 'dropped' }, 'broken', []],
]

const catalogue = await loadCatalogue({ folders: [PLUGINS], config: { pluginsDir: null, runLimitS: 300 } })
const recordings = cassetteRecordings(catalogue)
const recordingOf = (task: string, file: string): Recording => {
  const recording = recordings.find(({ task: { key }, name }) => key === task && name === file)
  if (!recording) throw new Error(`${task} has no cassette ${file}`)
  return recording
}

let stand: Stand
let account: AccountId
const sites: Awaited<ReturnType<typeof startChanging>>[] = []
beforeAll(async () => {
  stand = await openStand({ plugins: PLUGINS, pace: { perSecond: 10_000, concurrent: 100 } })
  const origins = new Map<string, string>()
  for (const [task, file] of CASES) {
    const site = await startChanging(recordingOf(task, file))
    sites.push(site)
    origins.set(task.split('.')[0]!, site.origin)
  }
  await stand.startWorker({ sourceOrigins: origins, workerConcurrency: 8 })
  account = await stand.openAccount(100_000)
})
afterAll(async () => {
  await stand.close()
  for (const site of sites) await site.stop()
})

/** A site with the answers of a recording, until it changes. */
async function startChanging({ exchanges }: Recording) {
  let choose = matcherOf(exchanges)
  const site = await startSite(async (request, response) => {
    const parts = await Array.fromAsync(request as AsyncIterable<Uint8Array>)
    const { method = 'GET', url: path = '/' } = request
    const exchange: Exchange | undefined = choose({ method, path, body: Buffer.concat(parts).toString() })
    const answer = answerOf(exchange ?? { request: path, status: 403, body: '<title>Access denied</title>' })
    response.writeHead(answer.status, [...answer.headers].flat())
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  return {
    stop: site.stop,
    origin: site.origin,
    change(change: Change): void {
      choose = matcherOf(changed(exchanges, change))
    },
  }
}

test.each(CASES.map((each, i) => [`${each[0]}: ${each[2].part} ${each[2].way}`, each, i] as const))(
  '%s',
  async (_, [key, file, change, health, fields], i) => {
    const { input, task } = recordingOf(key, file)
    const inputOf = (number: number) =>
      key === 'encyclopedia.search' ? { ...input, query: `lamps ${number % QUERIES}` } : input
    const run = async (number: number) => stand.ended(await stand.request(account, key, inputOf(number)))
    const runs = () => Promise.all(Array.from({ length: RUNS }, (_, number) => run(number)))
    const standing = async () => {
      await stand.shown()
      const [standing] = await standingsOf(stand, [task])
      return [standing?.health, standing?.drift.map(({ field }) => field)]
    }
    for (const { run_status, result } of await runs())
      expect([run_status, result.items.length > 0]).toEqual(['succeeded', true])
    expect(await standing()).toEqual(['healthy', []])
    sites[i]!.change(change)
    await runs()
    expect(await standing()).toEqual([health, expect.arrayContaining(fields)])
  },
  120_000,
)
