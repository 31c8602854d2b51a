/**
 * Notices when files in a folder are saved. It compares times and sizes, since not every file system reports changes.
 *
 * @module
 */
import { readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { delay } from '../../src/async/delay.ts'

/** The time and size of each file, by its path in the folder. */
export type Snapshot = ReadonlyMap<string, string>

const LOOK_MS = 150

/** The files in a folder as they are now. Hidden files and installed packages are left out. */
export function snapshotOf(folder: string): Snapshot {
  const files = new Map<string, string>()
  const read = (within: string): void => {
    for (const entry of readdirSync(within, { withFileTypes: true })) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
      const path = join(within, entry.name)
      if (entry.isDirectory()) read(path)
      else files.set(relative(folder, path), stateOf(path))
    }
  }
  read(folder)
  return files
}

/** A file may vanish between the listing and the look at it: editors write to another file and rename it. */
function stateOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat ? `${stat.mtimeMs} ${stat.size}` : 'gone'
}

/**
 * Waits until files differ from a snapshot and are not being written any more.
 *
 * @returns their paths in the folder, sorted; never empty
 * @throws the signal's reason when it aborts
 */
export async function nextSave(folder: string, before: Snapshot, signal: AbortSignal): Promise<string[]> {
  for (let last = before; ; ) {
    await delay(LOOK_MS, signal)
    signal.throwIfAborted()
    const now = snapshotOf(folder)
    const changed = differing(before, now)
    if (changed.length > 0 && differing(last, now).length === 0) return changed
    last = now
  }
}

const differing = (a: Snapshot, b: Snapshot): string[] =>
  [...new Set([...a.keys(), ...b.keys()])].filter((path) => a.get(path) !== b.get(path)).sort()
