/**
 * Files of artifacts in a folder: `<two characters>/<run id>/<name-hash>`, and `tmp/` for what is not finished. The two
 * characters are the last of the run id, which are spread evenly where the first ones are a time.
 *
 * @module
 */
import { mkdirSync } from 'node:fs'
import {
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
import { StoreUnavailable } from '../log/event-log.ts'
import { randomUUID } from '../random.ts'
import { parseRef } from './refs.ts'
import { fileStream } from './streams.ts'

const TEMPORARY = 'tmp'
/** A file without a row may still be waiting for it; one that is so old never gets one. */
const ORPHAN_MS = 86_400_000

export class Folder {
  /** which of the folders is looked through next for orphans */
  private next = 0

  constructor(private readonly path: string) {
    mkdirSync(join(path, TEMPORARY), { recursive: true, mode: 0o700 })
  }

  /** Writes a file; it is on the disk when this resolves. @throws {StoreUnavailable} when the disk does not take it */
  write(ref: string, content: Uint8Array): Promise<void> {
    return fromDisk(async () => {
      const temporary = this.temporary()
      await writeFile(temporary, content, { flag: 'wx', mode: 0o600 })
      await sync(temporary)
      await this.nameFinished(ref, temporary)
    })
  }

  /** Moves a file in, from wherever it is. @throws {StoreUnavailable} when the disk does not take it */
  moveIn(ref: string, path: string): Promise<void> {
    return fromDisk(async () => {
      const temporary = this.temporary()
      await rename(path, temporary).catch(async (error) => {
        if (error.code !== 'EXDEV') throw error
        await copyFile(path, temporary)
      })
      await sync(temporary)
      // By its time a sweep tells what is old: a file that was long in the making is not.
      const now = new Date(clock.now())
      await utimes(temporary, now, now)
      await this.nameFinished(ref, temporary)
      await rm(path, { force: true })
    })
  }

  /** The whole file; undefined when it is not there. */
  read(ref: string): Promise<Uint8Array | undefined> {
    return fromDisk(() => unlessMissing(readFile(this.fileOf(ref))))
  }

  /** A file from `start` up to and without `end`; undefined when it is not there. */
  async stream(ref: string, start: number, end: number): Promise<ReadableStream<Uint8Array> | undefined> {
    const path = this.fileOf(ref)
    return (await unlessMissing(stat(path))) && (await fileStream(path, start, end))
  }

  /** A second name for a file, for who takes it away; undefined when it is not there. */
  async duplicate(ref: string): Promise<string | undefined> {
    const path = this.temporary()
    return unlessMissing(link(this.fileOf(ref), path).then(() => path))
  }

  async remove(ref: string): Promise<void> {
    const path = this.fileOf(ref)
    await rm(path, { force: true })
    await this.removeEmpty(dirname(path))
  }

  /**
   * Deletes what no row names and is older than a day, in one of the 256 folders, the next one at every call.
   *
   * @returns how many
   */
  async sweepOrphans(now: number, isKnown: (ref: string) => boolean): Promise<number> {
    const folders = await foldersIn(this.path)
    const folder = folders[this.next++ % Math.max(1, folders.length)]
    if (folder === undefined) return 0
    const path = join(this.path, folder)
    if (folder === TEMPORARY) return this.removeOld(path, now, () => false)
    let removed = 0
    for (const run of await foldersIn(path)) {
      removed += await this.removeOld(join(path, run), now, (file) => isKnown(`${run}/${file}`))
      await this.removeEmpty(join(path, run))
    }
    return removed
  }

  private async removeOld(path: string, now: number, isKept: (file: string) => boolean): Promise<number> {
    let removed = 0
    for (const name of (await unlessMissing(readdir(path))) ?? []) {
      const file = join(path, name)
      const status = await unlessMissing(stat(file))
      if (!status || now - status.mtimeMs < ORPHAN_MS || isKept(name)) continue
      await rm(file, { force: true })
      removed++
    }
    return removed
  }

  private async removeEmpty(path: string): Promise<void> {
    await rmdir(path).catch((error) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error
    })
  }

  /** Gives a finished file its name, durably: the folders that lead to it too. */
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

  /** @throws {TypeError} for what is no ref */
  private fileOf(ref: string): string {
    const parsed = parseRef(ref)
    if (!parsed) throw new TypeError(`no ref: ${JSON.stringify(ref)}`)
    return join(this.path, parsed.run.slice(-2), parsed.run, parsed.file)
  }

  private temporary(): string {
    return join(this.path, TEMPORARY, randomUUID())
  }
}

async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** What is asked of a file; undefined when there is none. */
export const unlessMissing = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

/** What a disk says that is full or broken, or a process that has too many files open: it may pass. */
const DISK_ERRORS = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE'])

const fromDisk = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((cause) => {
    if (!DISK_ERRORS.has(cause.code)) throw cause
    throw new StoreUnavailable(`the artifact store's disk: ${cause.message}`, { cause })
  })
