/**
 * Processes by pid.
 *
 * @module
 */

/** Whether a process with this pid exists. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // The process exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Kills a process, or with a negative number a process group. Does nothing when it is undefined or has ended. */
export function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}
