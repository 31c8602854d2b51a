/**
 * What processes use, from `/proc`.
 *
 * @module
 */
import { readFileSync } from 'node:fs'

/** CPU seconds and proportional memory (PSS) in MiB: pages of memory that processes share count once. */
export type Usage = { readonly cpuS: number; readonly pssMb: number }

const NONE: Usage = { cpuS: 0, pssMb: 0 }

function usageOf(pid: number): Usage {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    const memory = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    return {
      cpuS: (Number(fields[11]) + Number(fields[12])) / 100,
      pssMb: Number(/^Pss:\s+(\d+)/m.exec(memory)?.[1] ?? 0) / 1024,
    }
  } catch {
    // The process has ended in the meantime.
    return NONE
  }
}

const sum = (all: Iterable<Usage>): Usage =>
  [...all].reduce((a, b) => ({ cpuS: a.cpuS + b.cpuS, pssMb: a.pssMb + b.pssMb }), NONE)

/** What processes have used so far. */
export const usage = (pids: readonly number[]): Usage => sum(pids.map(usageOf))

const WATCH_MS = 300

/** Watches processes, those that start and end in the meantime included. */
export class Watch {
  private readonly before: ReadonlyMap<number, Usage>
  /** of each process, as last seen */
  private readonly last = new Map<number, Usage>()
  private readonly timer = setInterval(() => this.look(), WATCH_MS)
  private peakMb = 0
  private processes = 0

  /** @param pids the processes at this moment */
  constructor(private readonly pids: () => readonly number[]) {
    this.look()
    this.before = new Map(this.last)
  }

  /** @returns CPU seconds since the start, and the peaks of memory and of the number of processes */
  stop(): { readonly cpuS: number; readonly peakMb: number; readonly processes: number } {
    clearInterval(this.timer)
    this.look()
    const cpuS = sum(this.last.values()).cpuS - sum(this.before.values()).cpuS
    return { cpuS, peakMb: this.peakMb, processes: this.processes }
  }

  private look(): void {
    const now = this.pids().map((pid) => [pid, usageOf(pid)] as const)
    for (const [pid, used] of now) if (used.cpuS > 0) this.last.set(pid, used)
    this.peakMb = Math.max(this.peakMb, sum(now.map(([, used]) => used)).pssMb)
    this.processes = Math.max(this.processes, now.length)
  }
}
