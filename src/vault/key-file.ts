/**
 * Files with a key: base64 and a newline, like the setting VAULT_KEY, readable by their owner only.
 *
 * @module
 */
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
import { randomBytes } from '../random.ts'
import { KEY_BYTES } from './sealing.ts'

/** The key in a file; undefined when there is none. @throws {StoreUnavailable} when the file cannot be read or has no key */
export function readKeyFile(path: string): Buffer | undefined {
  let content: Buffer
  try {
    // Most files of keys are never there, and an error that is thrown costs ten times as much.
    if (!statSync(path, { throwIfNoEntry: false })) return undefined
    content = readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new StoreUnavailable(`${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
  try {
    const key = decodeKey(content.toString('latin1'))
    if (!key) throw new StoreUnavailable(`${path} must hold 32 bytes in base64`)
    return key
  } finally {
    content.fill(0)
  }
}

/** Decodes the key in a setting or a file; undefined when it is not 32 bytes in base64. */
export function decodeKey(text: string): Buffer | undefined {
  if (!/^[A-Za-z0-9+/]{43}=\s*$/.test(text)) return undefined
  const key = Buffer.from(text, 'base64')
  return key.length === KEY_BYTES ? key : undefined
}

/**
 * Creates a key file unless it exists; afterwards it exists, even after a crash. It gets its name once it is complete and
 * on the disk. Of several processes one is first, and the others keep its file. A process that is killed leaves at most a
 * file with another name, whose key was never used.
 *
 * @throws {StoreUnavailable} when the file cannot be created
 */
export function ensureKeyFile(path: string): void {
  try {
    if (!existsSync(path)) createKeyFile(path)
    // Another process may have named it just now: nothing wrapped by it may outlive it.
    syncFolder(path)
  } catch (error) {
    throw new StoreUnavailable(`${path} cannot be created: ${(error as Error).message}`, { cause: error })
  }
}

function createKeyFile(path: string): void {
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

/** Writes a new key to the disk, into a new file. */
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

/** Replaces one key file by another; a crash leaves both, or the file renamed. */
export function replaceKeyFile(path: string, by: string): void {
  renameSync(by, path)
  syncFolder(path)
}

/** Whether others than its owner may read a file; undefined when it does not exist. */
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
