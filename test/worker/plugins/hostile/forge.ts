/**
 * Messages to the service past the code that guards its channel. Possible on Bun only: Deno writes to its own files.
 *
 * @module
 */
import { writeSync } from 'node:fs'

/** The channel to the service comes after the three standard streams. */
const CHANNEL = 3

/** Sends messages as if the service's own code did. Waits while the channel is full. */
export function forge(messages: readonly object[]): void {
  const bytes = new TextEncoder().encode(`${JSON.stringify(messages)}\n`)
  for (let at = 0; at < bytes.length; ) at += written(bytes.subarray(at))
}

/** Sends a message that never ends. Returns when the service has closed the channel. */
export function forgeWithoutEnd(): void {
  const bytes = new Uint8Array(64 * 1024).fill(120)
  try {
    for (;;) written(bytes)
  } catch {
    // The channel is closed.
  }
}

function written(bytes: Uint8Array): number {
  try {
    return writeSync(CHANNEL, bytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0
    throw error
  }
}
