/**
 * Run slots after an outage of Redis. Slots expire by Redis's clock while nobody can renew them. Whoever asked first
 * after the outage would get slots of runs that still run, and the account would exceed its limit. So a process acquires
 * no slot until all processes have had the time to renew theirs.
 *
 * @module
 */
import { clock } from '../../async/clock.ts'
import { isUnavailable, StoreUnavailable } from '../../log/event-log.ts'
import type { RunSlots } from '../ephemeral-store.ts'

/** Workers renew their slots this often within the time for which they hold them. */
const RENEWALS = 3

/**
 * @param slots the slots in Redis
 * @param probe resolves if Redis answers
 * @param monotonic milliseconds; the clock of the process by default
 */
export function renewedAfterOutage(
  slots: RunSlots,
  probe: () => Promise<unknown>,
  monotonic: () => number = clock.monotonic,
): RunSlots {
  let answeredAt = monotonic()
  let hasFailed = false
  let closedUntil = Number.NEGATIVE_INFINITY
  const watched = async <T>(call: () => T | Promise<T>): Promise<T> => {
    try {
      const answer = await call()
      // After a failure, only `acquire` judges how long Redis was away.
      if (!hasFailed) answeredAt = monotonic()
      return answer
    } catch (error) {
      if (isUnavailable(error)) hasFailed = true
      throw error
    }
  }
  return {
    async acquire(slot, limit, forMs, now) {
      if (hasFailed) {
        await probe()
        const isLong = monotonic() - answeredAt > forMs / RENEWALS
        if (isLong) closedUntil = monotonic() + forMs / RENEWALS
        hasFailed = false
      }
      if (monotonic() < closedUntil)
        throw new StoreUnavailable('Redis was away, and the slots of running runs are being renewed')
      return watched(() => slots.acquire(slot, limit, forMs, now))
    },
    renew: (held, forMs, now) => watched(() => slots.renew(held, forMs, now)),
    release: (slot, endedForMs, now) => watched(() => slots.release(slot, endedForMs, now)),
  }
}
