/**
 * The files that a run writes. Each is moved out of its child's folder, stored, and recorded by an event, as long as
 * the run stays within the limits.
 *
 * @module
 */
import { lstat, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessMissing } from '../artifacts/folder.ts'
import { clock } from '../async/clock.ts'
import type { LeasedRun } from '../domain/run.ts'
import { randomUUID } from '../random.ts'
import type { Attempt } from './attempt.ts'
import { type Conclusion, expiryOf } from './finish.ts'
import type { OfRun } from './process/heard.ts'
import { isContentType, isFileName, UNFINISHED } from './process/protocol.ts'
import { freeBytes } from './process/work-folder.ts'
import type { WorkerDeps, WorkerSettings } from './worker.ts'

type FileSaid = OfRun & { readonly type: 'file' }

export type RunFilesDeps = Pick<WorkerDeps, 'artifacts' | 'logger' | 'now'> &
  Pick<WorkerSettings, 'runFilesLimitMb' | 'diskFreeMinMb' | 'resultRetentionDays'> & {
    /** accessible only to the service, on the disk of the children's folders: files are moved here before inspection */
    readonly folder: string
  }

/** The parts of an attempt that its files need. Messages of an ended execution are ignored. */
type FilesOwner = Pick<Attempt, 'lease' | 'execution' | 'collected' | 'conclude' | 'defect'>

/**
 * `ref`: the stored file. `fault`: the file is not stored, and the plugin gets the reason. `forged`: our own code in
 * the child never sends such a message. `over`: a limit ends the run.
 */
type Kept =
  | { readonly ref: string }
  | { readonly fault: string }
  | { readonly forged: string }
  | { readonly over: Conclusion }

const MB = 1024 * 1024
/** Each file is an event in the run's stream and part of its state. */
const MOST_FILES = 100
/** How long the plugin of a run over a limit may take to stop, in milliseconds. */
const OVER_MS = 2000
/** The interval between measurements of a run's folder, in milliseconds. */
const LOOK_MS = 1000

export class RunFiles {
  /** size of the files that are stored or about to be */
  private bytes = 0
  private count = 0
  private lookAt = 0

  constructor(
    private readonly deps: RunFilesDeps,
    private readonly run: LeasedRun,
    private readonly owner: FilesOwner,
  ) {}

  /** Stores a file that a child reports as finished, and answers the child. Never throws. */
  async keep(said: FileSaid): Promise<void> {
    const { owner } = this
    const { execution } = owner
    if (execution?.folder === undefined) return
    const kept = await this.take(said, execution.folder)
    if (owner.execution !== execution) return
    if ('forged' in kept) owner.conclude(owner.defect(`the child reported ${kept.forged}`))
    else if ('over' in kept) owner.conclude(kept.over, OVER_MS)
    else {
      if ('ref' in kept) owner.collected.addFile(said.name, kept.ref)
      execution.answer({ type: 'filed', id: said.id, error: 'ref' in kept ? null : kept.fault })
    }
  }

  /** Measures, at most once a second, how much the run has written so far. Never throws. */
  async look(): Promise<void> {
    const { execution } = this.owner
    if (execution?.folder === undefined || clock.monotonic() < this.lookAt) return
    this.lookAt = Number.POSITIVE_INFINITY
    try {
      const written = await sizeOf(execution.folder)
      const over = written === undefined ? undefined : await this.over(written)
      if (over && this.owner.execution === execution) this.owner.conclude(over, OVER_MS)
    } catch (error) {
      this.deps.logger.warn(
        { err: error, run_id: this.run.runId },
        'The files of a run could not be measured. They are measured again in a second.',
      )
    }
    this.lookAt = clock.monotonic() + LOOK_MS
  }

  /** @param folder of the run; its files are named by number */
  private async take(said: FileSaid, folder: string): Promise<Kept> {
    const { id, name, contentType } = said
    if (!isFileName(name) || !isContentType(contentType))
      return { forged: 'a file without a proper name or type' }
    if (++this.count > MOST_FILES)
      return { fault: `a run may have ${MOST_FILES} files at most: put more into an archive` }
    const path = join(this.deps.folder, `file-${randomUUID()}`)
    try {
      // Move the file out of the child's reach first, so that the inspected file is the stored file.
      await rename(join(folder, String(id)), path)
      const status = await lstat(path)
      // A hard link or symbolic link may lead to a file of the service, which the run did not write.
      if (!status.isFile() || status.nlink !== 1) return { forged: 'a file that is a link' }
      const over = await this.over(status.size)
      if (over) return { over }
      this.bytes += status.size
      return await this.store(path, contentType)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { forged: 'a file that does not exist' }
      this.deps.logger.error(
        { err: error, run_id: this.run.runId },
        'A file of a run could not be stored. The plugin is told.',
      )
      return { fault: 'the file could not be stored' }
    } finally {
      await rm(path, { force: true }).catch(() => {})
    }
  }

  private async store(path: string, contentType: string): Promise<Kept> {
    const { runId, attempt, runUntil } = this.run
    const { artifacts } = this.deps
    const { lease } = this.owner
    const expiry = expiryOf(this.deps, Date.parse(runUntil))
    // The work of hours should not fail with a short outage of the store.
    const stored = await lease
      .persist(() => artifacts.putFile(runId, 'file', path, expiry))
      .catch((cause) => {
        // It was there a moment ago, so the child is not to blame if the store finds no file.
        throw new Error('the file could not be stored', { cause })
      })
    if (!stored) return { fault: 'the run was lost' }
    const { ref, bytes, sha256 } = stored
    const file = { ref, content_type: contentType, bytes, sha256 }
    const kept = await lease.persist(async () => {
      await lease.execute({ type: 'store-file', attempt, file })
      return { ref }
    })
    return kept ?? { fault: 'the run was lost' }
  }

  /** @param more bytes in addition to the stored files */
  private async over(more: number): Promise<Conclusion | undefined> {
    const { runFilesLimitMb, diskFreeMinMb, folder } = this.deps
    if (this.bytes + more > runFilesLimitMb * MB)
      return tooLarge(
        `The files of the run are larger than the ${runFilesLimitMb} MB that this service allows for one run.`,
      )
    if (diskFreeMinMb === 0 || (await freeBytes(folder)) >= diskFreeMinMb * MB) return undefined
    this.deps.logger.error(
      { run_id: this.run.runId, setting: 'DISK_FREE_MIN_MB' },
      'Too little free disk space: a run that writes files was ended. Free some space in DATA_DIR.',
    )
    return tooLarge('This service has too little free disk space for the files of the run.')
  }
}

const tooLarge = (detail: string): Conclusion => ({ status: 'failed', code: 'response-too-large', detail })

/** Bytes of the files in a folder; undefined when the folder does not exist. */
async function sizeOf(folder: string): Promise<number | undefined> {
  const names = await unlessMissing(readdir(folder))
  if (!names) return undefined
  let bytes = 0
  for (const name of names)
    if (name !== UNFINISHED) bytes += (await unlessMissing(stat(join(folder, name))))?.size ?? 0
  return bytes
}
