/**
 * Connections that stay open while their client pauses.
 *
 * @module
 */
import { clearInterval, setInterval } from '../async/timers.ts'

/** The connection of a request, on a runtime that closes idle connections. */
export type IdleConnection = {
  /** False once the answer is sent or the client is gone. */
  isOpen(): boolean
  /** Begins the time that the connection may stay idle again. */
  restartIdleLimit(): void
}

/**
 * Holds a connection open until its answer is sent or its client is gone. The limit is restarted and never lifted: Bun
 * would not set it again after the answer. A client that vanishes without a word is noticed by the system, since what
 * is sent to it stays unacknowledged.
 *
 * @param everyMs how often the limit is restarted, in milliseconds; shorter than the limit
 * @returns ends the hold earlier
 */
export function holdOpen(connection: IdleConnection, everyMs: number): () => void {
  const timer = setInterval(() => {
    if (connection.isOpen()) connection.restartIdleLimit()
    else clearInterval(timer)
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
