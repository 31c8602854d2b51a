/**
 * What runs of an account took and got back up to a revision of its stream: from the read models as far as they have
 * come, and from the stream for the rest, or for all of it while they are away or being filled.
 *
 * @module
 */
import { evolveRunCredits, type RunCredits } from '../domain/account.ts'
import { type AccountId, accountStream, type RunId } from '../domain/ids.ts'
import type { EventLog } from '../log/event-log.ts'
import type { Booking, Snapshots } from './ledger.ts'
import { isBooking } from './recent-credits.ts'
import { RunFilter } from './run-filter.ts'

/** Events that are read, and so are in memory, at once. */
const PAGE = 500

export type PastCredits = {
  /** none for a run that had nothing */
  readonly credits: ReadonlyMap<RunId, RunCredits>
  /** all runs that were charged by then, where the whole stream had to be read */
  readonly filter?: RunFilter | undefined
}

/**
 * Looks runs up. In the stream it goes backwards, and no further than to the first charges of these runs.
 *
 * @param runs the runs that are asked for
 * @param upTo the last revision that counts
 * @throws {StoreUnavailable} when the log can't be read
 */
export async function pastCredits(
  { log, snapshots }: { readonly log: EventLog; readonly snapshots: Snapshots },
  account: AccountId,
  runs: ReadonlySet<RunId>,
  upTo: number,
): Promise<PastCredits> {
  const credits = new Map<RunId, RunCredits>()
  if (runs.size === 0 || upTo < 0) return { credits }
  const add = ({ revision, event }: Booking) => {
    const run = event.data.run_id
    if (revision <= upTo && runs.has(run)) credits.set(run, evolveRunCredits(credits.get(run), event))
  }
  const projected = await projectedBookings(snapshots, account, runs)
  projected.bookings.forEach(add)
  const filter = new RunFilter()
  /** runs of which there may be something before what was read: their first charge was not met yet */
  const open = new Set(runs)
  for (let end = upTo; end > projected.upTo; end -= PAGE) {
    if (open.size === 0) return { credits }
    const from = Math.max(projected.upTo + 1, end - PAGE + 1)
    for (const { event, revision } of await log.readStream(accountStream(account), from, end - from + 1)) {
      if (!isBooking(event)) continue
      add({ revision, event })
      filter.add(event.data.run_id)
      if (event.type === 'CreditsCharged' && event.data.block === undefined) open.delete(event.data.run_id)
    }
  }
  return projected.upTo < 0 ? { credits, filter } : { credits }
}

/** The bookings that the read models have of these runs, and the revision up to which there are no others. */
async function projectedBookings(
  snapshots: Snapshots,
  account: AccountId,
  runs: ReadonlySet<RunId>,
): Promise<{ readonly bookings: readonly Booking[]; readonly upTo: number }> {
  const snapshot = await snapshots.account(account)
  const none = { bookings: [], upTo: -1 }
  if (!snapshot) return none
  const found = await Promise.all([...runs].map((run) => snapshots.bookings(account, run, snapshot)))
  if (found.includes(undefined)) return none
  const upTo = snapshot.revision
  return { bookings: found.flatMap((each) => each ?? []).filter(({ revision }) => revision <= upTo), upTo }
}
