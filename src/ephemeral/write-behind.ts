/**
 * Writes that are collected in memory, and made together seconds later.
 *
 * @module
 */
import { clearTimeout, setTimeout, type Timer } from '../async/timers.ts'

export type WriteBehindOptions = {
  /** how long something stays only in memory, in milliseconds; 3 seconds by default */
  readonly flushMs?: number
  /** called when it could not be written, which is retried. By default a warning of the process */
  readonly onError?: ((error: unknown) => void) | undefined
}

const FLUSH_MS = 3000

/**
 * Calls `flush` in time.
 *
 * @param unsaved what is only in memory
 * @param flush writes it, and removes what was written. Never throws
 */
export function writeBehind(
  unsaved: { readonly size: number },
  flush: () => Promise<void>,
  { flushMs = FLUSH_MS }: WriteBehindOptions,
): { arm(): void; close(): Promise<void> } {
  let timer: Timer | undefined
  const arm = () => {
    if (timer !== undefined) return
    timer = setTimeout(async () => {
      await flush()
      timer = undefined
      if (unsaved.size > 0) arm()
    }, flushMs)
    // The timer does not keep the process alive: a process closes its stores, which flushes, before it ends.
    timer.unref()
  }
  return {
    /** Something is unsaved. */
    arm,
    /** Writes what is only in memory. */
    async close() {
      clearTimeout(timer)
      await flush()
    },
  }
}
