/**
 * Where children write files before they are stored: a folder of this process, gone with it, or at the next start
 * when it could not clean up.
 *
 * @module
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** A folder of another machine's, or another container's, is taken for left behind when nothing came there for so long. */
const LEFT_MS = 7 * 86_400_000
/** Of this process. In a container the one before it had the same number. */
const made = new Set<string>()

/**
 * Makes the folder of this process, and removes those of processes that are no more.
 *
 * @param parent on the file system of the artifact store, so that files are moved and not copied; processes of several
 *   machines may share it
 * @param onOver told of the folder of each process that is no more, before it is removed
 * @returns its path
 */
export function openWorkFolder(parent: string, onOver: (path: string) => void = () => {}): string {
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  // Numbers of processes mean nothing on another machine, nor in another container.
  const here = `${hostname().replaceAll(/[^A-Za-z0-9]/g, '_')}-`
  for (const name of readdirSync(parent)) {
    const pid = Number(/^(\d+)-/.exec(name.startsWith(here) ? name.slice(here.length) : '')?.[1])
    const path = join(parent, name)
    const isOver = pid === process.pid ? !made.has(path) : pid > 0 ? !isAlive(pid) : isLeft(path)
    if (!isOver) continue
    if (pid > 0) onOver(path)
    removeFolder(path)
  }
  const path = mkdtempSync(join(parent, `${here}${process.pid}-`))
  made.add(path)
  return path
}

/** Removes a folder with all that is in it; nothing when there is none. */
export const removeFolder = (path: string): void => rmSync(path, { recursive: true, force: true })

const isLeft = (path: string): boolean =>
  Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > LEFT_MS

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Somebody else's process is alive too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
