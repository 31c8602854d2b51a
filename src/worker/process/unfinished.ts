/**
 * What an attempt has written when its process was ended from outside, by a deploy or a crash: its largest file, kept on
 * this disk for the run's next attempt.
 *
 * @module
 */
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Its name in the folder of the next attempt. Other files there have numbers. */
export const UNFINISHED = 'unfinished'
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
    const since = Date.now() - KEPT_MS
    for (const name of readdirSync(folder))
      if ((lstatSync(join(folder, name), { throwIfNoEntry: false })?.ctimeMs ?? since) < since)
        this.drop(name)
  }

  /** Keeps the largest file of a run's folder; nothing when there is none. Never throws. */
  keep(runId: string, from: string): void {
    this.attempt(() => this.keepLargest(runId, from))
  }

  private keepLargest(runId: string, from: string): void {
    if (!existsSync(from)) return
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    const files = readdirSync(from).flatMap((name) => {
      const status = lstatSync(join(from, name), { throwIfNoEntry: false })
      // Another name of something else is nothing that the run has written.
      return status?.isFile() && status.nlink === 1 ? [{ name, size: status.size }] : []
    })
    const largest = files.toSorted((a, b) => b.size - a.size)[0]
    if (largest) renameSync(join(from, largest.name), join(this.folder, runId))
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

  /** The run is over. */
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
