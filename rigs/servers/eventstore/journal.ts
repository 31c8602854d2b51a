/**
 * The fake's file: one record for each append, so that an append is stored as a whole or not at all.
 *
 * A record is the length of its bytes, their CRC-32 (each 32 bits, big endian) and the bytes.
 *
 * @module
 */
import { closeSync, fdatasync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

export type Journal = {
  /** Adds a record. It survives the end of the process at once, and a crash of the machine after a flush. */
  write(bytes: Buffer): void
  /** Calls back when all earlier records are on disk. Concurrent callers share a flush. */
  flushed(then: () => void): void
  close(): Promise<void>
}

const HEAD_BYTES = 8

/** The journal of a fake without a folder: it stores nothing. */
export const NO_JOURNAL: Journal = {
  write() {},
  flushed: (then) => then(),
  close: () => Promise.resolve(),
}

/**
 * Opens or creates a folder's journal, and drops an incomplete record at its end.
 *
 * @param replay gets each record's bytes, in order, and may keep them
 */
export function openJournal(folder: string, replay: (bytes: Buffer) => void): Journal {
  mkdirSync(folder, { recursive: true })
  const file = openSync(join(folder, 'events.bin'), 'a+')
  ftruncateSync(file, readRecords(file, replay))
  let waiting: (() => void)[] = []
  let flushing = false

  const flush = () => {
    flushing = true
    const served = waiting
    waiting = []
    fdatasync(file, (error) => {
      if (error) throw error
      for (const then of served) then()
      flushing = false
      if (waiting.length > 0) flush()
    })
  }
  const flushed = (then: () => void) => {
    waiting.push(then)
    if (!flushing) flush()
  }
  return {
    write(bytes) {
      const record = Buffer.allocUnsafe(HEAD_BYTES + bytes.length)
      record.writeUInt32BE(bytes.length, 0)
      record.writeUInt32BE(crc32(bytes), 4)
      bytes.copy(record, HEAD_BYTES)
      if (writeSync(file, record) !== record.length) throw new Error('the disk took a part of a record only')
    },
    flushed,
    close: () => new Promise((resolve) => flushed(() => resolve(closeSync(file)))),
  }
}

/** @returns the end of the last complete record */
function readRecords(file: number, replay: (bytes: Buffer) => void): number {
  let end = 0
  const read = (length: number, at: number): Buffer | undefined => {
    const bytes = Buffer.allocUnsafe(length)
    return readSync(file, bytes, 0, length, at) === length ? bytes : undefined
  }
  for (;;) {
    const head = read(HEAD_BYTES, end)
    const bytes = head && read(head.readUInt32BE(0), end + HEAD_BYTES)
    if (!head || !bytes?.length || crc32(bytes) !== head.readUInt32BE(4)) return end
    replay(bytes)
    end += HEAD_BYTES + bytes.length
  }
}
