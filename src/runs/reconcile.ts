/**
 * The reconciler closes what crashes and deadlines leave open: charges without runs, runs late in the queue or while
 * running, lost workers, missing refunds. The read model of deadlines lists the candidates. Every decision is made on
 * the streams, so it is idempotent: a stale row, a repetition or a second process changes nothing.
 *
 * @module
 */
import { type DeadlineRow, deadlines } from '../../projections/deadlines.ts'
import { inBatches } from '../async/batches.ts'
import { clock } from '../async/clock.ts'
import type { EventLog } from '../log/event-log.ts'
import type { Logger } from '../logger.ts'
import { pagesOf } from '../read/pages.ts'
import { isFromLog, type ReadModels } from '../read/read-models.ts'
import type { RunCommands } from './commands.ts'

export type ReconcilerDeps = {
  readonly log: EventLog
  readonly readModels: ReadModels
  readonly commands: RunCommands
  readonly logger: Logger
  readonly leaseS: number
  /** milliseconds since 1970 */
  readonly now: () => number
}

/** The process that ends a run also refunds it. The reconciler waits this long, in milliseconds, before it does so. */
const REFUND_MS = 2000
/**
 * In milliseconds. With leases of up to 15 minutes, a lease or a charge is never due later than this from now, unless it was
 * written by a clock that ran ahead. Rows of the queue may be, and are skipped.
 */
const AHEAD_MS = 900_000
const CAUSE = 'reconciler'

export class Reconciler {
  /** rows that were due far ahead one lease after the start */
  private ahead: readonly DeadlineRow[] | undefined
  /** the time of the next look at them, in milliseconds of `clock.monotonic()` */
  private lookAt: number

  constructor(private readonly deps: ReconcilerDeps) {
    this.lookAt = clock.monotonic() + 1000 * deps.leaseS
  }

  /**
   * One round: reconciles everything that is due now. Rows that fail are logged and stay due.
   *
   * @param signal ends the round after the current page of rows
   */
  async once(signal?: AbortSignal): Promise<void> {
    const { log, readModels } = this.deps
    const now = this.deps.now()
    // Deadlines of another log would close runs that this log never contained.
    const checkpoint = await readModels.checkpoint(deadlines)
    if (!checkpoint || !(await isFromLog(log, checkpoint))) return
    // Paging may skip rows with the same due time as the last row of a page. They are due in the next round too.
    const due = pagesOf(readModels, deadlines, 'due', { equals: [], upTo: now, order: 'ascending' })
    for await (const rows of due) {
      await inBatches(rows, (row) => this.reconcile(row, now))
      if (signal?.aborted) return
    }
    await this.closeAhead(now)
  }

  /**
   * If the clock is set back by hours, old leases end hours from now, and their runs count against the account's limit
   * until then. A live worker renews within one lease. So a row that stays unchanged for one lease has no worker, and is
   * closed.
   */
  private async closeAhead(now: number): Promise<void> {
    const { readModels, leaseS } = this.deps
    if (clock.monotonic() < this.lookAt) return
    if (this.ahead) {
      this.lookAt = Number.POSITIVE_INFINITY
      await inBatches(this.ahead, async (row) => {
        const same = await readModels.get(deadlines, row.run_id)
        if (same?.kind === row.kind && same.due === row.due) await this.reconcile(row, row.due + REFUND_MS)
      })
    } else {
      const rows: DeadlineRow[] = []
      const after = now + Math.max(AHEAD_MS, 2000 * leaseS)
      const far = pagesOf(readModels, deadlines, 'due', { equals: [], after, order: 'ascending' })
      for await (const page of far) rows.push(...page.filter(({ kind }) => kind !== 'queue'))
      this.lookAt = clock.monotonic() + 1000 * leaseS
      this.ahead = rows
    }
  }

  private async reconcile(row: DeadlineRow, now: number): Promise<void> {
    const { run_id, kind } = row
    try {
      if (kind === 'queue' || kind === 'lease') await this.tick(row, now)
      else if (kind === 'admission' || row.due <= now - REFUND_MS) await this.refund(row, now)
    } catch (error) {
      this.deps.logger.error(
        { err: error, run_id, kind },
        'A run could not be reconciled. The next round tries again.',
      )
    }
  }

  /** Refunds a run that has ended, or a charge without a run, whose stream is closed first, so that no run can follow. */
  private async refund(row: DeadlineRow, now: number): Promise<void> {
    const { run_id: runId, account_id: accountId } = row
    const command = { type: 'close', runId, accountId } as const
    const { commands, logger } = this.deps
    const { state, events } = await commands.handle(runId, command, { causationId: CAUSE, now })
    if (events.length > 0)
      logger.warn(
        { run_id: runId, account_id: accountId },
        'A charge had no run: its admission was cut off. The run is closed; its credits are refunded.',
      )
    await commands.refund(state, { runId, accountId }, { causationId: CAUSE })
  }

  /** Handles a run that is late or has lost its worker. */
  private async tick({ run_id }: DeadlineRow, now: number): Promise<void> {
    const { commands, leaseS, logger } = this.deps
    const command = { type: 'tick', now, leaseS } as const
    const { events } = await commands.handle(run_id, command, { causationId: CAUSE, now })
    if (events.length === 0) return
    logger.warn(
      { run_id, events: events.map(({ event }) => event.type) },
      'A run was late or had lost its worker: it was requeued or ended.',
    )
  }
}
