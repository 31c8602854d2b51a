/**
 * Files of artifacts in a folder: `<two characters>/<run id>/<name-hash>`, and `tmp/` for unfinished files. The two
 * characters are the last ones of the run id: they are evenly distributed, while the first ones are a time.
 *
 * @module
 */
import { mkdirSync } from 'node:fs'
import {
  chmod,
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { clock } from '../async/clock.ts'
import { orUnavailable } from '../log/away.ts'
import { StoreUnavailable } from '../log/event-log.ts'
import { randomUUID } from '../random.ts'
import { parseRef } from './refs.ts'
import { fileStream } from './streams.ts'

const TEMPORARY = 'tmp'
/** A younger file may still be written. */
const UNFINISHED_MS = 86_400_000

export class Folder {
  /** @throws {StoreUnavailable} when it can't be created */
  constructor(private readonly path: string) {
    const create = () => mkdirSync(join(path, TEMPORARY), { recursive: true, mode: 0o700 })
    orUnavailable(`${path} cannot be opened`, create)
  }

  /** Durably writes a file. @throws {StoreUnavailable} when the disk fails */
  write(ref: string, content: Uint8Array): Promise<void> {
    return this.finish(ref, (temporary) => writeFile(temporary, content, { flag: 'wx', mode: 0o600 }))
  }

  /** Moves a file into the folder, from any file system. @throws {StoreUnavailable} when the disk fails */
  async moveIn(ref: string, path: string): Promise<void> {
    await this.finish(ref, async (temporary) => {
      // The file stays in its place until it is stored, so that a failure can be followed by another try.
      await link(path, temporary).catch(() => copyFile(path, temporary))
      await chmod(temporary, 0o600)
      // Sweeps judge age by the modification time, which may be old for a file that took long to write.
      const now = new Date(clock.now())
      await utimes(temporary, now, now)
    })
    await fromDisk(() => rm(path, { force: true }))
  }

  /** A whole file. Undefined if it does not exist. */
  read(ref: string): Promise<Uint8Array | undefined> {
    return fromDisk(() => unlessMissing(readFile(this.fileOf(ref))))
  }

  /** A file from `start` up to but excluding `end`. Undefined if it does not exist. */
  async stream(ref: string, start: number, end: number): Promise<ReadableStream<Uint8Array> | undefined> {
    const path = this.fileOf(ref)
    return (await fromDisk(() => unlessMissing(stat(path)))) && (await fileStream(path, start, end))
  }

  /** Makes a hard link to a file, which the caller may move away. Undefined if the file does not exist. */
  async duplicate(ref: string): Promise<string | undefined> {
    const path = this.temporary()
    return unlessMissing(link(this.fileOf(ref), path).then(() => path))
  }

  async remove(ref: string): Promise<void> {
    const path = this.fileOf(ref)
    await rm(path, { force: true })
    // The folder of a run that still has other files, or that another sweep has removed, is no failure.
    await rmdir(dirname(path)).catch((error) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error
    })
  }

  /** Deletes files older than a day that a crash left unfinished. @returns how many */
  async sweepUnfinished(now: number): Promise<number> {
    let removed = 0
    for (const name of await readdir(join(this.path, TEMPORARY))) {
      const file = join(this.path, TEMPORARY, name)
      const status = await unlessMissing(stat(file))
      if (!status || now - status.mtimeMs < UNFINISHED_MS) continue
      await rm(file, { force: true })
      removed++
    }
    return removed
  }

  /** Durably adds the file that `make` makes at a temporary path. A failure leaves no temporary file behind. */
  private finish(ref: string, make: (temporary: string) => Promise<void>): Promise<void> {
    return fromDisk(async () => {
      const temporary = this.temporary()
      try {
        await make(temporary)
        await sync(temporary)
        await this.nameFinished(ref, temporary)
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => {})
        throw error
      }
    })
  }

  /** Durably renames a finished file, including its parent folders. */
  private async nameFinished(ref: string, temporary: string): Promise<void> {
    const path = this.fileOf(ref)
    const run = dirname(path)
    for (;;) {
      await mkdir(run, { recursive: true, mode: 0o700 })
      // A sweep may have removed the empty folder in between.
      const isNamed = await unlessMissing(rename(temporary, path).then(() => true))
      if (isNamed) break
      await stat(temporary)
    }
    await sync(run)
    await sync(dirname(run))
    await sync(this.path)
  }

  /** @throws {TypeError} for an invalid ref */
  private fileOf(ref: string): string {
    const parsed = parseRef(ref)
    if (!parsed) throw new TypeError(`invalid ref: ${JSON.stringify(ref)}`)
    return join(this.path, parsed.run.slice(-2), parsed.run, parsed.file)
  }

  private temporary(): string {
    return join(this.path, TEMPORARY, randomUUID())
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The result of a file operation; undefined if the file does not exist. */
export const unlessMissing = <T>(access: Promise<T>): Promise<T | undefined> =>
  access.catch((error) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

/** Any failure of the system may be temporary: a full disk, a folder that is not mounted or may not be read. */
const fromDisk = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((cause) => {
    if (!/^E[A-Z0-9]+$/.test(cause.code)) throw cause
    throw new StoreUnavailable(`the artifact store's disk failed: ${cause.message}`, { cause })
  })
