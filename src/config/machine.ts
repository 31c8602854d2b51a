/**
 * What this machine, or container, can take: the defaults of settings that depend on it.
 *
 * @module
 */
import { availableParallelism, totalmem } from 'node:os'

const MIB = 1024 * 1024

/** The memory available to this process and its children: the machine's, or the container's limit. */
export function memoryBytes(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(totalmem(), limit) : totalmem()
}

/** What a run takes in a process that it shares with others, with its part of the process, in MiB. */
export const RUN_MIB = 16

/** How many runs at once fit into some memory. */
export const runsInMemory = (bytes = memoryBytes()): number =>
  Math.max(1, Math.floor(bytes / (RUN_MIB * MIB)))

/** How many runs at once: most of them wait for a site. */
export const defaultRuns = (cores = availableParallelism(), bytes = memoryBytes()): number =>
  Math.min(32 * cores, 128, runsInMemory(bytes))

/** How many pages at once: each has a process of 100 to 300 MiB. */
export const defaultPages = (cores = availableParallelism(), bytes = memoryBytes()): number =>
  Math.max(1, Math.min(4 * cores, Math.floor(bytes / (512 * MIB))))
