/**
 * Bodies of answers that keep their Content-Length. Bun sends any stream in chunks without it (its issue 10507), but for
 * files and blobs; so there what comes from elsewhere is brought here first: into memory, or onto the disk when it is
 * large.
 *
 * @module
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { versions } from 'node:process'
import { setTimeout } from 'node:timers'
import { bytesStream, fileStream, hasLength } from './streams.ts'

/** What is held in memory at most. */
const MEMORY_BYTES = 8 * 1024 * 1024
/** By then Bun has long opened a file, which it then can read though it has no name any more. In milliseconds. */
const OPENED_MS = 60_000

type Opened = { readonly bytes: number; readonly body: ReadableStream<Uint8Array> }

/**
 * A body with the same bytes whose length the runtime knows. On Bun this may take as long as bringing all of it here.
 *
 * @param signal aborts when the client has gone
 * @throws what the stream throws, and when it has not as many bytes as it says
 */
export async function sized(opened: Opened, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const { bytes, body } = opened
  if (versions.bun === undefined || hasLength(body)) return body
  if (bytes > MEMORY_BYTES) return spooled(opened, signal)
  const chunks: Uint8Array[] = []
  await each(opened, signal, (chunk) => chunks.push(chunk))
  return bytesStream(Buffer.concat(chunks))
}

async function spooled(opened: Opened, signal: AbortSignal | undefined): Promise<ReadableStream<Uint8Array>> {
  const path = join(spoolFolder(), randomUUID())
  const file = await open(path, 'wx', 0o600)
  try {
    await each(opened, signal, (chunk) => file.writeFile(chunk))
  } catch (error) {
    await rm(path)
    throw error
  } finally {
    await file.close()
  }
  setTimeout(() => rmSync(path, { force: true }), OPENED_MS).unref()
  return fileStream(path, 0, opened.bytes)
}

async function each(
  { bytes, body }: Opened,
  signal: AbortSignal | undefined,
  take: (chunk: Uint8Array) => unknown,
): Promise<void> {
  let count = 0
  for await (const chunk of body) {
    signal?.throwIfAborted()
    await take(chunk)
    count += chunk.byteLength
  }
  if (count !== bytes) throw new Error(`the artifact ended after ${count} of ${bytes} bytes`)
}

let folder: string | undefined

/** Where this process brings what is large: a folder that goes with it. */
export function spoolFolder(): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'gleaner-'))
    folder = made
    process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  }
  return folder
}
