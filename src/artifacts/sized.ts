/**
 * Bodies of answers that keep their Content-Length. Bun sends any stream in chunks without it (its issue 10507), but for
 * files and blobs; so there what comes from elsewhere is brought onto the disk first.
 *
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { versions } from 'node:process'
import { setTimeout } from '../async/timers.ts'
import { randomUUID } from '../random.ts'
import type { Opened } from './artifacts.ts'
import { fileStream, hasLength } from './streams.ts'

/** By then Bun has long opened a file, which it then can read though it has no name any more. In milliseconds. */
const OPENED_MS = 60_000

/**
 * A body with the same bytes whose length the runtime knows. On Bun this may take as long as bringing all of it here.
 *
 * @param signal aborts when the client has gone
 * @throws what the stream throws, and when it has not as many bytes as it says
 */
export async function sized({ bytes, body }: Opened, signal?: AbortSignal): Promise<Opened['body']> {
  if (versions.bun === undefined || hasLength(body)) return body
  const path = join(spoolFolder(), randomUUID())
  const file = await open(path, 'wx', 0o600)
  try {
    let count = 0
    for await (const chunk of body) {
      signal?.throwIfAborted()
      await file.writeFile(chunk)
      count += chunk.byteLength
    }
    if (count !== bytes) throw new Error(`the artifact ended after ${count} of ${bytes} bytes`)
  } catch (error) {
    await rm(path)
    throw error
  } finally {
    await file.close()
  }
  setTimeout(() => rmSync(path, { force: true }), OPENED_MS).unref()
  return fileStream(path, 0, bytes)
}

let folder: string | undefined

/** Where this process brings bodies: a folder that goes with it. */
export function spoolFolder(): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'gleaner-'))
    folder = made
    process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  }
  return folder
}
