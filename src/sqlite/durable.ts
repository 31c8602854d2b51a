/**
 * Makes what was written durable.
 *
 * @module
 */
import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Waits until the disk has the content of a file, or the names in a folder. */
export function syncToDisk(path: string): void {
  const opened = openSync(path, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
