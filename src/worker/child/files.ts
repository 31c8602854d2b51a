/**
 * The files that a run makes, in the child process: written beside the store, and handed to the service when closed.
 *
 * @module
 */
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArtifactWriter } from '../../plugin.ts'
import type { FromChild } from '../protocol.ts'

const LONGEST_NAME = 200
/** It stands in an event, whose size is limited. */
const LONGEST_TYPE = 200

export class Files {
  private readonly waiting = new Map<number, (error: string | null) => void>()
  private last = 0
  /** whether the run has a folder, which somebody must remove */
  hasFolder = false

  constructor(
    private readonly folder: string,
    private readonly send: (message: FromChild) => void,
  ) {}

  /** @throws TypeError for a name or type that no download could have */
  async create(name: string, contentType: string): Promise<ArtifactWriter> {
    if (!isFileName(name)) throw new TypeError('an artifact needs a file name without a path')
    if (contentType.length > LONGEST_TYPE || !/^[\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w.-]+)?$/.test(contentType))
      throw new TypeError(`content type ${JSON.stringify(contentType)}`)
    const id = ++this.last
    const path = join(this.folder, String(id))
    this.hasFolder = true
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    const file = await open(path, 'wx', 0o600)
    let isOpen = true
    let length = 0
    const opened = (): void => {
      if (!isOpen) throw new TypeError('the artifact is closed')
    }
    return {
      async write(chunk) {
        opened()
        const at = length
        length += chunk.length
        await writeAll(file, chunk, at)
      },
      async patch(at, chunk) {
        opened()
        if (!(at >= 0 && at + chunk.length <= length))
          throw new RangeError(
            `${chunk.length} bytes at ${at} of ${length}: only what was written is patched`,
          )
        await writeAll(file, chunk, at)
      },
      async truncate(bytes) {
        opened()
        if (!(bytes >= 0 && bytes <= length)) throw new RangeError(`${bytes} of ${length} bytes`)
        await file.truncate(bytes)
        length = bytes
      },
      close: async () => {
        if (!isOpen) return
        isOpen = false
        await file.sync()
        await file.close()
        await this.hand(id, name, contentType, path)
      },
    }
  }

  receive({ id, error }: { readonly id: number; readonly error: string | null }): void {
    this.waiting.get(id)?.(error)
  }

  private hand(id: number, name: string, contentType: string, path: string): Promise<void> {
    return new Promise((go, fail) => {
      this.waiting.set(id, (error) => {
        this.waiting.delete(id)
        if (error === null) go()
        else fail(new Error(error))
      })
      this.send({ type: 'file', id, name, contentType, path })
    })
  }
}

const isFileName = (name: string): boolean =>
  name.length > 0 &&
  name.length <= LONGEST_NAME &&
  name.isWellFormed() &&
  !/[/\\\x00-\x1f\x7f]/.test(name) &&
  name !== '.' &&
  name !== '..'

async function writeAll(file: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, at, chunk.length - at, position + at)
    at += bytesWritten
  }
}
