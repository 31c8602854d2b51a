/**
 * The lines that one run writes to the service's log.
 *
 * @module
 */
import type { LeasedRun, RunEnd } from '../domain/run.ts'
import type { Logger } from '../logger.ts'
import type { Failure } from '../net/exits/rest.ts'
import type { Completed, OfRun } from './process/from-child.ts'
import { MOST_LOG_LINES } from './process/protocol.ts'

export class RunLog {
  private lines = 0
  private readonly of: { readonly run_id: string; readonly task: string }

  constructor(
    private readonly logger: Logger,
    { runId, taskKey }: LeasedRun,
  ) {
    this.of = { run_id: runId, task: taskKey }
  }

  /** A line of its plugin. A plugin in a loop writes no more than {@link MOST_LOG_LINES}. */
  plugin({ fields, message }: OfRun & { readonly type: 'log' }): void {
    if (++this.lines <= MOST_LOG_LINES) this.logger.info({ ...fields, ...this.of }, message)
  }

  /** How it read its source, for tasks that have something to say about it. */
  read({ route, skipped }: Pick<Completed, 'route' | 'skipped'>): void {
    if (route === undefined && skipped === undefined) return
    this.logger.info({ ...this.of, route: route ?? null, skipped: skipped ?? 0 }, 'A run was read.')
  }

  again(reason: string): void {
    this.logger.info({ ...this.of, reason }, 'A task starts again.')
  }

  alone(reason: string): void {
    this.logger.info({ ...this.of, reason }, 'Its process died: the run is executed again, alone.')
  }

  /** @param from the label of the exit that it leaves */
  otherExit(why: Failure, from: string | undefined): void {
    this.logger.info({ ...this.of, from, why }, 'A run starts over at another exit.')
  }

  /** A fault in the service or the plugin. @returns how the run ends for it */
  fault(code: string, reason: string): RunEnd {
    this.logger.error(
      { ...this.of, code, reason },
      'A run ended because of a fault in the service or the plugin. Its credits are refunded.',
    )
    return { status: 'errored', code }
  }

  /** A fault that no client and no site can cause. @returns how the run ends for it */
  defect(reason: string): RunEnd {
    return this.fault('defect', reason)
  }

  abandoned(attempt: number, why: string): void {
    this.logger.warn(
      { run_id: this.of.run_id, attempt, why },
      'A run was abandoned. Unless it has ended, it is requeued when its lease ends.',
    )
  }
}
