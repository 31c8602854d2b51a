/**
 * CPU time of this process and all its descendants: a browser consists of many processes.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second. */
const TICK_MS = 10

/** Whether the CPU time of other processes can be read here. */
export const seesChildren = existsSync('/proc/self/stat')

/** User and system time so far in milliseconds, including descendants if the system reports it. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000 + (seesChildren ? childrenMs() : 0)
}

type Stat = { readonly pid: number; readonly parent: number; readonly own: number; readonly ended: number }

/** CPU time of all descendants, including the ended ones. */
function childrenMs(): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => statOf(Number(pid)) ?? [])
  const below = (parent: number): number =>
    all
      .filter((one) => one.parent === parent)
      .reduce((sum, { pid, own, ended }) => sum + own + ended + below(pid), 0)
  const self = all.find(({ pid }) => pid === process.pid)
  return below(process.pid) + (self?.ended ?? 0)
}

/** Undefined for a process that has ended in the meantime. */
function statOf(pid: number): Stat | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return undefined
  }
  // The process name may contain any character. Fields as in proc(5), from the third on.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const sum = (...numbers: number[]) => numbers.reduce((so, n) => so + (fields[n - 3] ?? 0), 0) * TICK_MS
  return { pid, parent: fields[1] ?? 0, own: sum(14, 15), ended: sum(16, 17) }
}
