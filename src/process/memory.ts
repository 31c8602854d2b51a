/**
 * How much memory processes take.
 *
 * @module
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { promisify } from 'node:util'

/** What this process and all that it starts may take: the machine's memory, or its container's. */
export function memoryBytes(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(totalmem(), limit) : totalmem()
}

const HAS_PROC = existsSync('/proc/self/status')

/** Resident memory of processes in MiB, by pid; a process that is gone has no entry. */
export const residentMb = async (pids: readonly number[]): Promise<Map<number, number>> =>
  HAS_PROC ? fromProc(pids) : fromPs(pids)

function fromProc(pids: readonly number[]): Map<number, number> {
  const found = new Map<number, number>()
  for (const pid of pids) {
    try {
      const kb = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      if (kb !== undefined) found.set(pid, Number(kb) / 1024)
    } catch {
      // It has ended meanwhile.
    }
  }
  return found
}

async function fromPs(pids: readonly number[]): Promise<Map<number, number>> {
  // It fails when one of them is gone, and tells of the others all the same.
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=,rss=', '-p', pids.join(',')]).catch(
    (error) => error,
  )
  return new Map(
    [...stdout.matchAll(/(\d+)\s+(\d+)/g)].map(([, pid, kb]) => [Number(pid), Number(kb) / 1024]),
  )
}

/** Makes a child the first to go when the machine runs out of memory, instead of the service, where the system can. */
export function preferAsVictim(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '500')
  } catch {
    // This system has no such thing, or the child has ended.
  }
}
