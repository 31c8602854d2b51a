/**
 * Where children write files before they are stored: a folder of this process, gone with it, or at the next start
 * when it could not clean up.
 *
 * @module
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Makes the folder of this process, and removes those of processes that are no more.
 *
 * @param parent on the file system of the artifact store, so that files are moved and not copied
 * @returns its path
 */
export function openWorkFolder(parent: string): string {
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(parent)) {
    const pid = Number(/^(\d+)-/.exec(name)?.[1])
    if (pid > 0 && !isAlive(pid)) removeFolder(join(parent, name))
  }
  return mkdtempSync(join(parent, `${process.pid}-`))
}

/** Removes a folder with all that is in it; nothing when there is none. */
export const removeFolder = (path: string): void => rmSync(path, { recursive: true, force: true })

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Somebody else's process is alive too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
