/**
 * Response bodies that keep their Content-Length. Bun sends streams other than files and blobs chunked, without a
 * Content-Length (its issue 10507). So on Bun such streams are first written to a temporary file.
 *
 * @module
 */
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { platform, versions } from 'node:process'
import { setTimeout } from '../async/timers.ts'
import { randomUUID } from '../random.ts'
import type { Opened } from './artifacts.ts'
import { fileStream, hasLength } from './streams.ts'

/** Bun has certainly opened the file by then, and can read it after it is closed here. In milliseconds. */
const OPENED_MS = 60_000

/**
 * Converts a body into one whose length the runtime knows. On Bun this may take as long as reading the whole body.
 *
 * @param signal aborts when the client disconnects
 * @throws errors of the stream, and an error if its length is not `bytes`
 */
export async function sized({ bytes, body }: Opened, signal?: AbortSignal): Promise<Opened['body']> {
  if (versions.bun === undefined || hasLength(body)) return body
  const name = join(tmpdir(), `gleaner-${randomUUID()}`)
  const file = await open(name, 'wx', 0o600)
  const close = async () => {
    await file.close()
    await rm(name, { force: true })
  }
  try {
    // Without a name it can't be read by the plugins of other accounts, and is gone when this process ends.
    if (hasProc) await rm(name)
    let count = 0
    for await (const chunk of body) {
      signal?.throwIfAborted()
      await file.writeFile(chunk)
      count += chunk.byteLength
    }
    if (count !== bytes) throw new Error(`the artifact ended after ${count} of ${bytes} bytes`)
  } catch (error) {
    await close()
    throw error
  }
  setTimeout(close, OPENED_MS).unref()
  return fileStream(hasProc ? `/proc/self/fd/${file.fd}` : name, 0, bytes)
}

const hasProc = platform === 'linux'
