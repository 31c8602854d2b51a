/**
 * What a page of the event feed costs an account that does little, alone in the log and beside a million events of
 * others. Everything is made in a temporary folder.
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
import { append, envelop } from '../src/log/execute.ts'
import { openSqliteLog, type SqliteLog } from '../src/log/sqlite/log.ts'
import { Tail } from '../src/log/tail.ts'
import { openSqliteReadModels } from '../src/read/sqlite/read-models.ts'
import { EVENTS_A_RUN, Writer } from './writer.ts'

/** Events of the quiet account, spread over the log; a page brings half of them. */
const OWN = 200
const PAGE = 100
const ROUNDS = 15
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

/** Microseconds for a page: the first one, and one behind the last event, as a client asks that waits for news. */
async function pages({ feed, account, log }: Made): Promise<readonly [first: number, last: number]> {
  const head = await log.head()
  const measured = async (after: typeof head, length: number) => {
    const started = performance.now()
    for (let n = 0; n < PAGES_A_ROUND; n++) {
      const { events } = await feed.page(account, after, PAGE)
      if (events.length !== length) throw new Error(`a page has ${events.length} events`)
    }
    return ((performance.now() - started) * 1000) / PAGES_A_ROUND
  }
  return [await measured(null, PAGE), await measured(head, 0)]
}

const median = (figures: number[]): number => figures.sort((a, b) => a - b)[figures.length >> 1]!

const { values } = parseArgs({ options: { events: { type: 'string', default: '1000000' } } })
const folder = await mkdtemp(join(tmpdir(), 'gleaner-feed-'))
const made: Made[] = []
try {
  for (const others of [0, Number(values.events)]) made.push(await make(folder, others))
  const rounds: (readonly [number, number])[][] = []
  for (let round = 0; round < ROUNDS; round++) {
    const figures: (readonly [number, number])[] = []
    for (const one of made) figures.push(await pages(one))
    rounds.push(figures)
  }
  console.log('| events of others | first page, us | times | page behind the last event, us | times |')
  console.log('|---|---|---|---|---|')
  for (const [i, { others }] of made.entries()) {
    const columns = [0, 1].flatMap((which) => [
      median(rounds.map((figures) => figures[i]![which]!)).toFixed(1),
      median(rounds.map((figures) => figures[i]![which]! / figures[0]![which]!)).toFixed(2),
    ])
    console.log(`| ${[others.toLocaleString('en'), ...columns].join(' | ')} |`)
  }
} finally {
  for (const { log } of made) await log.close()
  await rm(folder, { recursive: true, force: true })
}
