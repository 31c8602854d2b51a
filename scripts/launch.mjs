/**
 * Runs a program in the foreground as if it were this one: its output, its signals, its exit code.
 *
 * @module
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'

const STOPPING = ['SIGTERM', 'SIGINT', 'SIGHUP']
/** Signals closer together than this are one wish: Ctrl-C reaches the whole group, and npm hands it on once more. */
const ONE_WISH_MS = 2000

/**
 * Starts a program and waits for its end. SIGTERM, SIGINT and SIGHUP are handed on, each wish once; so is the end of
 * the npm that started this process, which a shell between them may not hand on.
 *
 * @returns its exit code; 128 and the signal's number when a signal ended it
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

/** Only under npm: a program that was started by hand may well outlive its shell. */
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
