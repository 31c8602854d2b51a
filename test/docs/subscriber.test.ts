/** docs/examples/subscriber.mjs, as docs/events.md says to start it, killed again and again. */
import { afterEach, expect, test } from 'bun:test'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { endAll, type Running, signalGroup, start, until } from '../start/processes.ts'
import { addressOf, client, folder, KEY, ROOT, startServer } from '../start/server.ts'
import { blocksOf } from './blocks.ts'

const COMMAND = blocksOf('docs/events.md', 'sh').at(-1) ?? ''
const KILLS = 8
const CREDITS = 1_000_000
/** Together more entries than the subscriber reads at once, so that it is killed between its pages too. */
const RUNS = 46
const LONGEST_LIFE_MS = 250

let data: ReturnType<typeof folder>
afterEach(async () => {
  await endAll()
  data.remove()
})

type Entry = { id: string; type: string; run_id?: string; amount: number }

/** What its file has, without the position on top. */
function entriesIn(file: string): Entry[] {
  if (!existsSync(file)) return []
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line))
}

/** Kicks off runs, of which every second one is refunded. */
async function makeRuns(call: ReturnType<typeof client>): Promise<void> {
  const replies = await Promise.all(
    Array.from({ length: RUNS }, (_, i) => call('/v1/storm/quick', i % 2 === 0 ? {} : { end: 'not-found' })),
  )
  expect(replies.every(({ status }) => status === 202)).toBe(true)
}

/** All entries, oldest first, once all runs have ended and the ledger shows it. */
async function ledgerOf(call: ReturnType<typeof client>, entries: number) {
  const all: { kind: string; amount: number; run_id: string | null }[] = []
  await until(async () => {
    all.length = 0
    for (let cursor = ''; ; ) {
      const { body } = await call(`/v1/account/ledger?limit=500${cursor}`)
      all.push(...body.entries)
      if (body.next_cursor === null) return all.length === entries
      cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
    }
  })
  return all.reverse()
}

test('a subscriber that is killed at random moments has each ledger entry once, in order, and their sum is the balance', async () => {
  data = folder()
  const address = await addressOf(startServer(join(data.path, 'data')))
  const call = client(address, KEY)
  symlinkSync(join(ROOT, 'docs'), join(data.path, 'docs'))
  const file = join(data.path, 'ledger.ndjson')
  const command = COMMAND.replace('gln_…', KEY)
  const subscribe = (): Running =>
    start('sh', ['-c', command], { cwd: data.path, env: { GLEANER_URL: address } })

  for (let kill = 0; kill < KILLS; kill++) {
    const subscriber = subscribe()
    await makeRuns(call)
    await new Promise((go) => setTimeout(go, Math.random() * LONGEST_LIFE_MS))
    // Were it not running any more, there would be nothing to kill.
    signalGroup(subscriber.pid, 'SIGKILL')
    expect((await subscriber.ended).signal).toBe('SIGKILL')
  }
  const ledger = await ledgerOf(call, 1 + KILLS * RUNS * 1.5)
  subscribe()
  await until(() => entriesIn(file).length >= ledger.length)

  const entries = entriesIn(file)
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length)
  expect(
    entries.map(({ type, amount, run_id = null }) => ({
      kind: type.replace('gleaner.Credits', '').toLowerCase(),
      amount,
      run_id,
    })),
  ).toEqual(ledger.map(({ kind, amount, run_id }) => ({ kind, amount, run_id })))
  const { balance } = (await call('/v1/account')).body
  expect(balance).toBe(CREDITS - KILLS * (RUNS / 2) * 2)
  expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(balance)
}, 60_000)
