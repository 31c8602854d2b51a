/**
 * Accounts with a long ledger.
 *
 * @module
 */
import type { Actor } from '../../src/domain/events.ts'
import { type AccountId, accountStream, newRunId } from '../../src/domain/ids.ts'
import type { EventLog } from '../../src/log/event-log.ts'
import { append, envelop } from '../../src/log/execute.ts'

const DAY_MS = 86_400_000
/** Events of one append. */
const AT_ONCE = 500

export type Spending = {
  readonly charges: number
  /** the charges are spread evenly over so many days */
  readonly days: number
  readonly tasks: readonly string[]
  readonly actors: readonly Actor[]
  /** the time of the last charge, in milliseconds since 1970 */
  readonly until: number
}

/**
 * Appends an account and its charges of one credit each. Tasks and actors take turns; nothing is left of the balance.
 */
export async function appendSpending(
  log: EventLog,
  account_id: AccountId,
  { charges, days, tasks, actors, until }: Spending,
): Promise<void> {
  const stream = accountStream(account_id)
  const cause = { accountId: account_id, correlationId: 'spending', causationId: 'spending' }
  const from = until - days * DAY_MS
  const granted = { account_id, amount: charges, balance_after: charges }
  await append(
    log,
    stream,
    -1,
    envelop(
      [
        { type: 'AccountOpened', data: { account_id, name: 'Spender' } },
        { type: 'CreditsGranted', data: granted },
      ],
      { ...cause, now: from },
    ),
  )
  const charge = (n: number) => {
    const now = from + Math.floor(((n + 1) * days * DAY_MS) / charges)
    const run_id = newRunId(
      now,
      Uint8Array.from({ length: 10 }, (_, i) => (n >> (4 * i)) & 255),
    )
    const reason = tasks[n % tasks.length]!
    const data = { account_id, amount: 1, balance_after: charges - n - 1, run_id, reason }
    return envelop([{ type: 'CreditsCharged', data }], { ...cause, actor: actors[n % actors.length], now })
  }
  for (let n = 0; n < charges; n += AT_ONCE) {
    const events = Array.from({ length: Math.min(AT_ONCE, charges - n) }, (_, i) => charge(n + i))
    await append(log, stream, n + 1, events.flat())
  }
}
