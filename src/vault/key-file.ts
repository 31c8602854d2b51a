/**
 * Key files: a key in base64 and a newline, like the setting VAULT_KEY, readable by the file's owner only.
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
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { StoreUnavailable } from '../log/event-log.ts'
import { randomBytes } from '../random.ts'
import { syncToDisk } from '../sqlite/durable.ts'
import { KEY_BYTES } from './sealing.ts'

/** The key in a file; undefined if there is no file. @throws {StoreUnavailable} when it cannot be read or has no key */
export function readKeyFile(path: string): Buffer | undefined {
  let content: Buffer
  try {
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

/** Decodes the key in a setting or a file; undefined if it is not 32 bytes in base64. */
export function decodeKey(text: string): Buffer | undefined {
  return /^[A-Za-z0-9+/]{43}=\s*$/.test(text) ? Buffer.from(text, 'base64') : undefined
}

/**
 * Creates a key file unless it exists. Once this returns, the file exists durably. It gets its name when it is complete
 * and on disk. If several processes create it, the first one wins and the others use its file. A killed process leaves
 * at most a file with another name, whose key was never used.
 *
 * @throws {StoreUnavailable} when the file cannot be created
 */
export function ensureKeyFile(path: string): void {
  try {
    if (!existsSync(path)) createKeyFile(path)
    // Another process may have just named it. The name must be durable before anything is wrapped by the key.
    syncToDisk(dirname(path))
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

/** Durably writes a new key to a new file. */
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

/** Replaces one key file by another. A crash leaves both files, or the renamed one. */
export function replaceKeyFile(path: string, by: string): void {
  renameSync(by, path)
  syncToDisk(dirname(path))
}
