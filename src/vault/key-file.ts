/**
 * Files that hold a key: base64 and a line's end, as the setting VAULT_KEY takes it, readable by their owner alone.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { StoreUnavailable } from '../log/event-log.ts'
import { KEY_BYTES } from './sealing.ts'

/** The key in a file; undefined when there is none. @throws {StoreUnavailable} when the file can't be read or holds no key */
export function readKeyFile(path: string): Buffer | undefined {
  let content: Buffer
  try {
    content = readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new StoreUnavailable(`${path} can't be read: ${(error as Error).message}`, { cause: error })
  }
  try {
    const key = decodeKey(content.toString('latin1'))
    if (!key) throw new StoreUnavailable(`${path} holds no key: 32 bytes in base64`)
    return key
  } finally {
    content.fill(0)
  }
}

/** A key as a setting or a file holds it; undefined for what is none. */
export function decodeKey(text: string): Buffer | undefined {
  if (!/^[A-Za-z0-9+/]{43}=\s*$/.test(text)) return undefined
  const key = Buffer.from(text, 'base64')
  return key.length === KEY_BYTES ? key : undefined
}

/**
 * Makes a key in a file, unless there is one: when this returns there is, also after a crash. It gets its name when it is
 * whole and on the disk; of several processes one is first, and the others leave it as it is. One that is killed leaves
 * at most a file with another name, whose key was never used.
 *
 * @throws {StoreUnavailable} when the file can't be made
 */
export function ensureKeyFile(path: string): void {
  try {
    if (!existsSync(path)) makeKeyFile(path)
    // Another process may have given it its name just now: what is wrapped by it must not outlive it.
    syncFolder(path)
  } catch (error) {
    throw new StoreUnavailable(`${path} can't be made: ${(error as Error).message}`, { cause: error })
  }
}

function makeKeyFile(path: string): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  try {
    writeNewKey(temporary)
    linkSync(temporary, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Writes a new key to the disk, into a file that is not there yet. */
function writeNewKey(path: string): void {
  const key = randomBytes(KEY_BYTES)
  const content = Buffer.from(`${key.toString('base64')}\n`)
  key.fill(0)
  const file = openSync(path, 'wx', 0o600)
  try {
    writeSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
    content.fill(0)
  }
}

/** Gives one key file the name of another one, which is gone then; a crash leaves both, or the first one renamed. */
export function replaceKeyFile(path: string, by: string): void {
  renameSync(by, path)
  syncFolder(path)
}

/** Whether others than its owner may read a file; undefined when there is none. */
export function isOpenToOthers(path: string): boolean | undefined {
  const status = statSync(path, { throwIfNoEntry: false })
  return status && (status.mode & 0o077) !== 0
}

function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
