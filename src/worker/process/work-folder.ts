/**
 * Where children write files before they are stored: a folder of this process, gone with it, or at the next start when
 * it could not clean up. And what an attempt has written when its process was ended from outside, by a deploy or a
 * crash: its largest file, kept on this disk for the run's next attempt.
 *
 * @module
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { statfs } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { clock } from '../../async/clock.ts'
import { isAlive } from '../../process/pid.ts'
import { UNFINISHED } from './protocol.ts'

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
  clock.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > LEFT_MS

/** Bytes that may still be written to the disk of a path by others than root. */
export async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}

/** Who has not come by then does not come any more, in milliseconds. */
const KEPT_MS = 86_400_000

export class Unfinished {
  /**
   * @param folder on the disk of the children's folders; made when it is missing
   * @param onFailure told why a file could not be kept or given: the next attempt begins from nothing then
   */
  constructor(
    private readonly folder: string,
    private readonly onFailure: (error: unknown) => void,
  ) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const since = clock.now() - KEPT_MS
    for (const name of readdirSync(folder))
      if ((lstatSync(join(folder, name), { throwIfNoEntry: false })?.ctimeMs ?? since) < since)
        this.drop(name)
  }

  /** Keeps the largest file of a run's folder; nothing when there is none. Never throws. */
  keep(runId: string, from: string): void {
    if (!existsSync(from)) return
    this.attempt(() => {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 })
      const files = readdirSync(from).flatMap((name) => {
        const status = lstatSync(join(from, name), { throwIfNoEntry: false })
        // Another name of something else is nothing that the run has written.
        return status?.isFile() && status.nlink === 1 ? [{ name, size: status.size }] : []
      })
      const largest = files.toSorted((a, b) => b.size - a.size)[0]
      if (largest) renameSync(join(from, largest.name), join(this.folder, runId))
    })
  }

  /** Keeps what the children of a service have left that was killed. @param folder with one folder for each child */
  rescue(folder: string): void {
    this.attempt(() => {
      for (const child of readdirSync(folder))
        if (child.startsWith('child-'))
          for (const runId of readdirSync(join(folder, child))) this.keep(runId, join(folder, child, runId))
    })
  }

  /** Puts what was kept for a run into the folder of its next attempt. Never throws. @returns whether there is anything */
  give(runId: string, to: string): boolean {
    const kept = join(this.folder, runId)
    if (!existsSync(kept)) return false
    return this.attempt(() => {
      mkdirSync(to, { recursive: true, mode: 0o700 })
      renameSync(kept, join(to, UNFINISHED))
    })
  }

  /** The run has ended: what was kept for it is removed. */
  drop(runId: string): void {
    rmSync(join(this.folder, runId), { force: true })
  }

  private attempt(act: () => void): boolean {
    try {
      act()
      return true
    } catch (error) {
      this.onFailure(error)
      return false
    }
  }
}
