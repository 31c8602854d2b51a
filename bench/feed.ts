/**
 * The cost of a page of the event feed for a quiet account, alone in the log and beside a million events of others.
 * Everything is written to a temporary folder.
 *
 *   bun bench/feed.ts [--events 1000000]
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type AccountId, accountStream, newAccountId } from '../src/domain/ids.ts'
import { Feed } from '../src/feed/feed.ts'
import type { Position } from '../src/log/event-log.ts'
import { append, envelop } from '../src/log/execute.ts'
import { openSqliteLog, type SqliteLog } from '../src/log/sqlite/log.ts'
import { Tail } from '../src/log/tail.ts'
import { openSqliteReadModels } from '../src/read/sqlite/read-models.ts'
import { interleaved } from './interleaved.ts'
import { EVENTS_A_RUN, Writer } from './writer.ts'

/** Events of the quiet account, spread over the log; a page holds half of them. */
const OWN = 200
const PAGE = 100
const PAGES_A_ROUND = 200

type Made = {
  readonly log: SqliteLog
  readonly feed: Feed
  readonly account: AccountId
  readonly others: number
}

async function make(folder: string, others: number): Promise<Made> {
  const log = openSqliteLog(join(folder, `${others}.db`))
  const writer = new Writer(log)
  await writer.open()
  const account = newAccountId(Date.now(), randomBytes(10))
  const cause = { accountId: account, correlationId: 'x', causationId: 'x', now: Date.now() }
  for (let n = 0; n < OWN; n++) {
    const data = { account_id: account, amount: 1, balance_after: n + 1 }
    await append(log, accountStream(account), n - 1, envelop([{ type: 'CreditsGranted', data }], cause))
    await writer.runsOf(Math.round(others / OWN / EVENTS_A_RUN))
  }
  return {
    log,
    feed: new Feed(log, new Tail(log), openSqliteReadModels(join(folder, 'none.db'))),
    account,
    others,
  }
}

/** Microseconds for a page after a position with the expected number of events. */
async function page({ feed, account }: Made, after: Position | null, length: number): Promise<number> {
  const started = performance.now()
  for (let n = 0; n < PAGES_A_ROUND; n++) {
    const { events } = await feed.page(account, after, PAGE)
    if (events.length !== length) throw new Error(`a page has ${events.length} events`)
  }
  return ((performance.now() - started) * 1000) / PAGES_A_ROUND
}

const { values } = parseArgs({ options: { events: { type: 'string', default: '1000000' } } })
const folder = await mkdtemp(join(tmpdir(), 'gleaner-feed-'))
const made: Made[] = []
try {
  for (const others of [0, Number(values.events)]) made.push(await make(folder, others))
  const first = await interleaved(made, (one) => page(one, null, PAGE))
  // Like a client that polls for new events.
  const last = await interleaved(made, async (one) => page(one, await one.log.head(), 0))
  console.log('| events of others | first page, us | times | page behind the last event, us | times |')
  console.log('|---|---|---|---|---|')
  for (const [i, { others }] of made.entries()) {
    const columns = [first, last].flatMap((pages) => [pages[i]!.us.toFixed(1), pages[i]!.times.toFixed(2)])
    console.log(`| ${[others.toLocaleString('en'), ...columns].join(' | ')} |`)
  }
} finally {
  for (const { log } of made) await log.close()
  await rm(folder, { recursive: true, force: true })
}
