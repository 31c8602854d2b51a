/**
 * The folder in which children write files before they are stored. It belongs to this process and is removed with it,
 * or at the next start if the process could not clean up. If a process is ended from outside, by a deploy or a crash,
 * the largest file of the cut-off attempt is kept on this disk for the run's next attempt.
 *
 * @module
 */
import { execFile, spawnSync } from 'node:child_process'
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
import { promisify } from 'node:util'
import { clock } from '../../async/clock.ts'
import { isAlive } from '../../process/pid.ts'
import { UNFINISHED } from './protocol.ts'

/** A folder of another machine or container counts as abandoned if nothing was added for this long, in milliseconds. */
const LEFT_MS = 7 * 86_400_000
/** The folders that this process created. In a container, the previous process may have had the same pid. */
const ownFolders = new Set<string>()

/**
 * Creates the folder of this process, and removes the folders of processes that have exited.
 *
 * @param parent on the file system of the artifact store, so that files are moved and not copied; processes of several
 *   machines may share it
 * @param onOver called with the folder of each exited process of this machine, before it is removed
 * @returns its path
 */
export function openWorkFolder(parent: string, onOver: (path: string) => void = () => {}): string {
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  // A pid is meaningless on another machine or in another container.
  const here = `${hostname().replaceAll(/[^A-Za-z0-9]/g, '_')}-`
  for (const name of readdirSync(parent)) {
    const pid = Number(/^(\d+)-/.exec(name.startsWith(here) ? name.slice(here.length) : '')?.[1])
    const path = join(parent, name)
    const isOver = pid === process.pid ? !ownFolders.has(path) : pid > 0 ? !isAlive(pid) : isLeft(path)
    if (!isOver) continue
    if (pid > 0) onOver(path)
    removeFolder(path)
  }
  const path = mkdtempSync(join(parent, `${here}${process.pid}-`))
  ownFolders.add(path)
  return path
}

/** How long removing a folder may take, in milliseconds. What is left takes some space; the next start tries again. */
const REMOVE_MS = 10_000
/** A program: the runtimes take minutes for a folder nested deeply by a plugin, on a thread that commits need. */
const REMOVE = ['rm', ['-rf', '--']] as const

/** Removes a folder with its contents, if possible. Never throws: a plugin may have locked a folder of its own. */
export function removeFolder(path: string): void {
  const [command, args] = REMOVE
  spawnSync(command, [...args, path], { stdio: 'ignore', timeout: REMOVE_MS })
}

/** Like {@link removeFolder}, while the service continues. @throws when something is left */
export async function removeSoon(path: string): Promise<void> {
  const [command, args] = REMOVE
  await promisify(execFile)(command, [...args, path], { timeout: REMOVE_MS })
}

const isLeft = (path: string): boolean =>
  clock.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > LEFT_MS

/** Free bytes on the disk of a path, for users other than root. */
export async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}

/** How long unfinished files are kept, in milliseconds: no attempt follows later than this. */
const KEPT_MS = 86_400_000

export class Unfinished {
  /**
   * @param folder on the disk of the children's folders; created if missing
   * @param onFailure called with the reason why a file could not be kept or restored; the next attempt then starts from
   *   scratch
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

  /** Keeps the largest file of a run's folder, if any. Never throws. */
  keep(runId: string, from: string): void {
    this.attempt(() => {
      // The child may have replaced the folder by a link to a folder of the service.
      if (!lstatSync(from, { throwIfNoEntry: false })?.isDirectory()) return
      mkdirSync(this.folder, { recursive: true, mode: 0o700 })
      const files = readdirSync(from).flatMap((name) => {
        const status = lstatSync(join(from, name), { throwIfNoEntry: false })
        // A hard link to another file was not written by the run.
        return status?.isFile() && status.nlink === 1 ? [{ name, size: status.size }] : []
      })
      const largest = files.toSorted((a, b) => b.size - a.size)[0]
      if (largest) renameSync(join(from, largest.name), join(this.folder, runId))
    })
  }

  /** Keeps the unfinished files of a killed service's children. @param folder with one folder per child */
  rescue(folder: string): void {
    const runs = (child: string) => {
      for (const runId of readdirSync(join(folder, child))) this.keep(runId, join(folder, child, runId))
    }
    this.attempt(() => {
      for (const child of readdirSync(folder)) if (child.startsWith('child-')) this.attempt(() => runs(child))
    })
  }

  /** Moves a run's kept file into the folder of its next attempt. Never throws. @returns whether a file was moved */
  give(runId: string, to: string): boolean {
    const kept = join(this.folder, runId)
    if (!existsSync(kept)) return false
    return this.attempt(() => {
      mkdirSync(to, { recursive: true, mode: 0o700 })
      renameSync(kept, join(to, UNFINISHED))
    })
  }

  /** The run has ended: removes its kept file. */
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
