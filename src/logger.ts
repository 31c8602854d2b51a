/**
 * The log of the process: one JSON object per line on stderr, or readable lines on a terminal. The service's own lines
 * never contain inputs, keys or cookies. Other text is logged unchanged: errors of extractors and of the browser, log
 * lines of plugins and, at level `debug`, their console output.
 *
 * @module
 */
import { createRequire } from 'node:module'
import pino from 'pino'

export type Logger = pino.Logger

/** Maximum size of the buffer of unwritten lines, in characters. Newer lines are dropped. */
const MOST_WAITING = 1024 * 1024

/** @param level of LOG_LEVEL */
export function createLogger(level: string): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  const destination = pino.destination({ dest: 2, sync: true, maxLength: MOST_WAITING })
  // If stderr fails (a full disk, a closed terminal), the request or run that logs must not fail. The error cannot be
  // reported anywhere else.
  destination.on('error', () => {})
  if (!process.stderr.isTTY) return pino(options, destination)
  // Loaded only for a terminal: 5 MB.
  const pretty: typeof import('pino-pretty') = createRequire(import.meta.url)('pino-pretty')
  return pino(options, pretty({ destination, sync: true }))
}
