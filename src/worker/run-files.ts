/**
 * The files that a run writes. Each is moved out of its child's folder, stored, and recorded by an event, as long as
 * the run stays within the limits.
 *
 * @module
 */
import { lstat, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Artifacts } from '../artifacts/artifacts.ts'
import { unlessMissing } from '../artifacts/folder.ts'
import { clock } from '../async/clock.ts'
import type { LeasedRun, RunEnd } from '../domain/run.ts'
import type { Logger } from '../logger.ts'
import { randomUUID } from '../random.ts'
import { expiryOf, type Retention } from './expiry.ts'
import type { Lease } from './lease.ts'
import type { OfRun } from './process/from-child.ts'
import { isContentType, isFileName, UNFINISHED } from './process/protocol.ts'
import { freeBytes } from './process/work-folder.ts'

/** A file that a plugin has finished. */
export type FileReport = OfRun & { readonly type: 'file' }

export type RunFilesDeps = Retention & {
  readonly artifacts: Pick<Artifacts, 'putFile'>
  readonly logger: Logger
  /** MiB of all files of a run */
  readonly runFilesLimitMb: number
  /** MiB that must stay free on the disk of `folder`; 0: not looked at */
  readonly diskFreeMinMb: number
  /** accessible only to the service, on the disk of the children's folders: files are moved here before inspection */
  readonly folder: string
}

/**
 * `ref`: the stored file. `fault`: the file is not stored, and the plugin gets the reason. `forged`: our own code in
 * the child never sends such a message. `over`: a limit ends the run.
 */
export type FileAnswer =
  | { readonly ref: string }
  | { readonly fault: string }
  | { readonly forged: string }
  | { readonly over: RunEnd }

const MB = 1024 * 1024
/** Each file is an event in the run's stream and part of its state. */
const MOST_FILES = 100
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
    private readonly lease: Pick<Lease, 'persist' | 'handle'>,
  ) {}

  /**
   * Measures, at most once a second, how much the run has written so far. Never throws.
   *
   * @param folder of the run
   * @returns the end of a run over a limit
   */
  async look(folder: string): Promise<RunEnd | undefined> {
    if (clock.monotonic() < this.lookAt) return undefined
    this.lookAt = Number.POSITIVE_INFINITY
    try {
      const written = await sizeOf(folder)
      return written === undefined ? undefined : await this.over(written)
    } catch (error) {
      this.deps.logger.warn(
        { err: error, run_id: this.run.runId },
        'The files of a run could not be measured. They are measured again in a second.',
      )
      return undefined
    } finally {
      this.lookAt = clock.monotonic() + LOOK_MS
    }
  }

  /** Stores a file that a child reports as finished. Never throws. @param folder of the run; its files are named by number */
  async keep({ id, name, contentType }: FileReport, folder: string): Promise<FileAnswer> {
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

  private async store(path: string, contentType: string): Promise<FileAnswer> {
    const { runId, attempt, runUntil } = this.run
    const { lease } = this
    const { artifacts } = this.deps
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
    const recorded = await lease.persist(async () => {
      await lease.handle({ type: 'store-file', attempt, file })
      return { ref }
    })
    return recorded ?? { fault: 'the run was lost' }
  }

  /** @param more bytes in addition to the stored files */
  private async over(more: number): Promise<RunEnd | undefined> {
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

const tooLarge = (detail: string): RunEnd => ({ status: 'failed', code: 'response-too-large', detail })

/** Bytes of the files in a folder; undefined when the folder does not exist. */
async function sizeOf(folder: string): Promise<number | undefined> {
  const names = await unlessMissing(readdir(folder))
  if (!names) return undefined
  let bytes = 0
  for (const name of names)
    if (name !== UNFINISHED) bytes += (await unlessMissing(stat(join(folder, name))))?.size ?? 0
  return bytes
}
