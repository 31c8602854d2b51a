/**
 * Runs a program in the foreground in place of this one: passes on its output, signals and exit code.
 *
 * @module
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'

const STOPPING = ['SIGTERM', 'SIGINT', 'SIGHUP']
/** Signals closer together than this count as one: Ctrl-C reaches the whole group, and npm forwards it once more. */
const ONE_WISH_MS = 2000

/**
 * Starts a program and waits for its end. Forwards SIGTERM, SIGINT and SIGHUP, without duplicates. If the npm that
 * started this process ends, the program gets SIGTERM: a shell between them may not forward the signal.
 *
 * @returns the exit code of the program; 128 plus the signal's number if a signal ended it
 */
export function launch(program, args, options = {}) {
  const child = spawn(program, args, { stdio: 'inherit', ...options })
  let last = Number.NEGATIVE_INFINITY
  const stop = (signal) => {
    const now = performance.now()
    const again = now - last < ONE_WISH_MS
    last = now
    if (!again) child.kill(signal)
  }
  for (const signal of STOPPING) process.on(signal, stop)
  const orphaned = watchParent(() => stop('SIGTERM'))
  return new Promise((resolve, reject) => {
    const end = () => {
      clearInterval(orphaned)
      for (const signal of STOPPING) process.off(signal, stop)
    }
    child.on('error', (error) => {
      end()
      reject(error)
    })
    child.on('close', (code, signal) => {
      end()
      resolve(code ?? 128 + (constants.signals[signal] ?? 0))
    })
  })
}

/** Calls `gone` when the parent ends. Only under npm: a program that was started by hand may outlive its shell. */
function watchParent(gone) {
  if (!process.env.npm_lifecycle_event) return undefined
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    gone()
  }, 500)
  return timer
}
