/**
 * The log of the process: one JSON object a line on stderr, or readable lines on a terminal. Never an input, a key or
 * a cookie.
 *
 * @module
 */
import pino from 'pino'
import pretty from 'pino-pretty'

export type Logger = pino.Logger

/** @param level of LOG_LEVEL */
export function createLogger(level: string): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  if (process.stderr.isTTY) return pino(options, pretty({ destination: 2, sync: true }))
  return pino(options, pino.destination({ dest: 2, sync: true }))
}
