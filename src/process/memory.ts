/**
 * How much memory processes use.
 *
 * @module
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'

const HAS_PROC = existsSync('/proc/self/status')

/** Resident memory of processes in MiB, keyed by pid. A process that has ended has no entry. */
export const residentMb = async (pids: readonly number[]): Promise<Map<number, number>> =>
  HAS_PROC ? fromProc(pids) : fromPs(pids)

function fromProc(pids: readonly number[]): Map<number, number> {
  const sizes = new Map<number, number>()
  for (const pid of pids) {
    try {
      const kb = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      if (kb !== undefined) sizes.set(pid, Number(kb) / 1024)
    } catch {
      // The process has ended.
    }
  }
  return sizes
}

async function fromPs(pids: readonly number[]): Promise<Map<number, number>> {
  // `ps` fails when one of the processes has ended, but still prints the others.
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=,rss=', '-p', pids.join(',')]).catch(
    (error) => error,
  )
  return new Map(
    [...stdout.matchAll(/(\d+)\s+(\d+)/g)].map(([, pid, kb]) => [Number(pid), Number(kb) / 1024]),
  )
}

/**
 * Makes the kernel kill a child before the service when the machine runs out of memory, where the system supports it.
 */
export function preferAsVictim(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '500')
  } catch {
    // This system does not support it, or the child has ended.
  }
}
