/**
 * The files that a run writes, in the child process. They are written outside the store, and handed to the service when
 * closed.
 *
 * @module
 */
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from '../../../async/timers.ts'
import type { ArtifactWriter, UnfinishedFile } from '../../../plugin.ts'
import { isContentType, isFileName, UNFINISHED } from '../protocol.ts'
import { type Calls, newId } from './calls.ts'

/** How long storing a file of a stopped run may take, in milliseconds: less than its plugin may take to stop. */
const STOPPED_MS = 1500

export class Files {
  /** whether the run has a folder, which the service must remove */
  hasFolder: boolean
  /** held until they are closed: the runtime ends the process when it collects an open one as garbage */
  private readonly handles = new Set<FileHandle>()
  private hasEnded = false

  constructor(
    private readonly folder: string,
    private readonly hasUnfinished: boolean,
    private readonly signal: AbortSignal,
    private readonly calls: Calls,
  ) {
    this.hasFolder = hasUnfinished
  }

  /** See {@link import('../../../plugin.ts').Context.unfinished}. */
  async unfinished(): Promise<UnfinishedFile | undefined> {
    if (!this.hasUnfinished) return undefined
    const file = await this.opened(UNFINISHED, 'r')
    const { size: bytes } = await file.stat()
    return {
      bytes,
      async read(at, length) {
        const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, at)
        return buffer.subarray(0, bytesRead)
      },
    }
  }

  /** @throws {TypeError} for a name or type that is not valid for a download */
  async create(name: string, contentType: string): Promise<ArtifactWriter> {
    if (!isFileName(name)) throw new TypeError('an artifact needs a file name without a path')
    if (!isContentType(contentType))
      throw new TypeError(`invalid content type ${JSON.stringify(contentType)}`)
    const id = newId()
    this.hasFolder = true
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    const file = await this.opened(String(id), 'wx')
    let isOpen = true
    let length = 0
    const mustBeOpen = (): void => {
      if (!isOpen) throw new TypeError('the artifact is closed')
    }
    return {
      async write(chunk) {
        mustBeOpen()
        const at = length
        length += chunk.length
        await writeAll(file, chunk, at)
      },
      async patch(at, chunk) {
        mustBeOpen()
        if (!(at >= 0 && at + chunk.length <= length))
          throw new RangeError(
            `${chunk.length} bytes at ${at} of ${length}: only bytes already written can be patched`,
          )
        await writeAll(file, chunk, at)
      },
      async truncate(bytes) {
        mustBeOpen()
        if (!(bytes >= 0 && bytes <= length)) throw new RangeError(`${bytes} of ${length} bytes`)
        await file.truncate(bytes)
        length = bytes
      },
      close: async () => {
        if (!isOpen) return
        isOpen = false
        await file.sync()
        await this.shut(file)
        const message = { type: 'file', id, name, contentType } as const
        const { error } = await this.calls.call('filed', message, laterBy(STOPPED_MS, this.signal))
        if (error !== null) throw new Error(error)
      },
    }
  }

  /** The run has ended: closes the files that it left open. */
  end(): void {
    this.hasEnded = true
    for (const file of this.handles) this.shut(file).catch(() => {})
  }

  private async opened(name: string, flags: string): Promise<FileHandle> {
    const file = await open(join(this.folder, name), flags, 0o600)
    this.handles.add(file)
    if (!this.hasEnded) return file
    await this.shut(file)
    throw new TypeError('the run has ended')
  }

  private async shut(file: FileHandle): Promise<void> {
    await file.close()
    this.handles.delete(file)
  }
}

async function writeAll(file: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  // Node would write a text too, whose length in bytes differs from its length.
  if (!(chunk instanceof Uint8Array))
    throw new TypeError('an artifact takes bytes: encode text with TextEncoder')
  for (let at = 0; at < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, at, chunk.length - at, position + at)
    at += bytesWritten
  }
}

/** A signal that aborts `ms` milliseconds after another signal. */
function laterBy(ms: number, signal: AbortSignal): AbortSignal {
  const later = new AbortController()
  const begin = () => setTimeout(() => later.abort(signal.reason), ms)
  if (signal.aborted) begin()
  else signal.addEventListener('abort', begin, { once: true })
  return later.signal
}
