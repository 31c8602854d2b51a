/**
 * Visits that were opened here and wait for a worker: they end when their time is over or their link was withdrawn.
 *
 * @module
 */
import { delay } from '../../../async/delay.ts'
import type { SignIns } from '../../links.ts'
import type { VisitWanted } from '../gateway.ts'
import type { Trouble } from './trouble.ts'
import type { RelayVisit } from './visit.ts'

export type WaitingDeps = {
  readonly signIns: Pick<SignIns, 'find' | 'close'>
  readonly trouble: Trouble
  readonly now: () => number
  readonly lookMs?: number
}

/** How much longer than its time a visit waits, so that it is ended and not just gone, in milliseconds. */
export const GRACE_MS = 10_000
const LOOK_MS = 2000

export class Waiting {
  private readonly stopping = new AbortController()

  constructor(private readonly deps: WaitingDeps) {}

  /** Looks after a visit for as long as it waits. */
  watch(visit: RelayVisit, wanted: VisitWanted): void {
    void this.look(visit, wanted)
  }

  /** Leaves them alone: workers find out themselves when they take them. */
  stop(): void {
    this.stopping.abort()
  }

  private async look(visit: RelayVisit, wanted: VisitWanted): Promise<void> {
    const { now, trouble, lookMs = LOOK_MS } = this.deps
    const { signal } = this.stopping
    for (;;) {
      await delay(Math.max(1, Math.min(lookMs, wanted.expiresAt - now())), signal)
      if (signal.aborted) return
      try {
        if (!(await this.isToWait(visit, wanted))) return
      } catch (err) {
        if (signal.aborted) return
        trouble.failed(err, 'a sign-in that waits could not be looked after')
        // It is gone by itself then.
        if (now() > wanted.expiresAt + GRACE_MS) return
        await delay(lookMs, signal)
      }
    }
  }

  private async isToWait(visit: RelayVisit, { id, hash, expiresAt }: VisitWanted): Promise<boolean> {
    const { signIns, now } = this.deps
    const standing = await visit.standing()
    if (!standing || standing.before === null) return false
    if ((await signIns.find(hash, now()))?.opened === id) return true
    // A link whose time is over is gone too.
    const why = now() >= expiresAt ? 'expired' : 'withdrawn'
    if ((await visit.withdraw(why)) === undefined) return false
    await signIns.close(hash)
    return false
  }
}
