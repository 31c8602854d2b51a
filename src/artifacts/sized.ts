/**
 * Response bodies that keep their Content-Length. Bun sends streams other than files and blobs chunked, without a
 * Content-Length (its issue 10507). So on Bun such streams are first written to a temporary file.
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

/** Bun has certainly opened the file by then, and can read it after it is unlinked. In milliseconds. */
const OPENED_MS = 60_000

/**
 * Converts a body into one whose length the runtime knows. On Bun this may take as long as reading the whole body.
 *
 * @param signal aborts when the client disconnects
 * @throws errors of the stream, and an error if its length is not `bytes`
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

/** This process's folder for temporary bodies, which is deleted on exit. */
export function spoolFolder(): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'gleaner-'))
    folder = made
    process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  }
  return folder
}
