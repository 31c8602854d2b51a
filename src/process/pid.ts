/**
 * Processes by their numbers.
 *
 * @module
 */

/** Whether there is such a process. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Somebody else's process is alive too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Ends a process at once, or with a negative number a group of them; nothing when there is none, or none any more. */
export function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself meanwhile.
  }
}
