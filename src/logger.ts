/**
 * The log of the process: one JSON object a line on stderr, or readable lines on a terminal. No line of the service's own
 * has an input, a key or a cookie. Words of others stand in it as they are: errors of extractors and of the browser, what
 * plugins log, and at `debug` what they print.
 *
 * @module
 */
import pino from 'pino'
import pretty from 'pino-pretty'

export type Logger = pino.Logger

/** Lines that wait while they can't be written, in characters; newer ones are dropped. */
const MOST_WAITING = 1024 * 1024

/** @param level of LOG_LEVEL */
export function createLogger(level: string): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  const destination = pino.destination({ dest: 2, sync: true, maxLength: MOST_WAITING })
  // A full disk or a closed terminal behind stderr must not fail the request or the run that has something to say,
  // and there is nobody else to tell of it.
  destination.on('error', () => {})
  return process.stderr.isTTY
    ? pino(options, pretty({ destination, sync: true }))
    : pino(options, destination)
}
