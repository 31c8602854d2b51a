/**
 * Ends the shell that started it when it does not answer Ctrl-C, as during an endless loop. A process of its own: the
 * terminal sends it the signal as well. It writes a line when it listens, and the shell one for each Ctrl-C that it handled.
 *
 * @module
 */
import { clearTimeout, setTimeout, type Timer } from '../../src/async/timers.ts'

/** Time to answer Ctrl-C, in milliseconds. */
const ANSWER_MS = 1000

let ending: Timer | undefined
process.on('SIGINT', () => {
  ending ??= setTimeout(() => {
    process.kill(process.ppid, 'SIGKILL')
    process.stderr.write('\nThe entry does not end: the shell was ended with it.\n')
    process.exit()
  }, ANSWER_MS)
})
process.stdin.on('data', () => {
  clearTimeout(ending)
  ending = undefined
})
process.stdin.on('end', () => process.exit())
process.stdout.write('listening\n')
