/**
 * The command line of a real process.
 *
 * @module
 */
import type { Io } from './command.ts'

/**
 * Reads the environment and writes to stdout and stderr. A reader that goes away, like `head`, ends the process without
 * a word.
 */
export function processIo(): Io {
  const stop = new AbortController()
  let listening = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  return {
    env: process.env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTerminal: process.stdout.isTTY === true && process.stderr.isTTY === true,
    width: process.stdout.columns,
    now: Date.now,
    get signal() {
      // Only a command that asks for the signal stops at its own pace; any other ends as processes do.
      if (!listening)
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
      listening = true
      return stop.signal
    },
  }
}
