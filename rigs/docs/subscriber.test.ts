/** docs/examples/subscriber.mjs, started as docs/events.md says and killed repeatedly. */
import { afterEach, expect, test } from 'bun:test'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { endAll, type Running, signalGroup, start, until } from '../servers/processes.ts'
import { addressOf, client, folder, KEY, ROOT, startServer } from '../servers/server.ts'
import { blocksOf } from './blocks.ts'

const COMMAND = blocksOf('docs/events.md', 'sh').at(-1) ?? ''
const KILLS = 8
const CREDITS = 1_000_000
/** All runs together make more entries than one page of the subscriber, so it is also killed between pages. */
const RUNS = 46
const LONGEST_LIFE_MS = 250

let data: ReturnType<typeof folder>
afterEach(async () => {
  await endAll()
  data.remove()
})

type Entry = { id: string; type: string; run_id?: string; amount: number }

/** The entries in its file, without the position in the first line. */
function entriesIn(file: string): Entry[] {
  if (!existsSync(file)) return []
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line))
}

/** Kicks off runs. Every second one is refunded. */
async function makeRuns(call: ReturnType<typeof client>): Promise<void> {
  const replies = await Promise.all(
    Array.from({ length: RUNS }, (_, i) => call('/v1/storm/quick', i % 2 === 0 ? {} : { end: 'not-found' })),
  )
  expect(replies.every(({ status }) => status === 202)).toBe(true)
}

/** All ledger entries, oldest first, once all runs have ended and the ledger is complete. */
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

test('a subscriber killed at random moments has each ledger entry once and in order, and their sum is the balance', async () => {
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
    // Throws if the subscriber is no longer running.
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
