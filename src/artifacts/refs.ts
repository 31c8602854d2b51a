/**
 * Refs of artifacts: `<run_id>/<name>-<first 32 hex digits of the SHA-256>`. They are used in file names and in URLs of
 * a bucket, so they are validated strictly.
 *
 * @module
 */
import { parseRunId, type RunId } from '../domain/ids.ts'
import type { Stored } from './artifacts.ts'

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
const HASHED = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}-[0-9a-f]{32}$/

/**
 * Makes the ref of a value.
 *
 * @param name letters, digits, `.`, `_` and `-`. Events contain the ref, so the name must never come from outside
 * @throws {TypeError} for an invalid name, which is a defect
 */
export function storedAs(run: RunId, name: string, bytes: number, sha256: string): Stored {
  if (!NAME.test(name)) throw new TypeError(`invalid artifact name: ${JSON.stringify(name)}`)
  return { ref: `${run}/${name}-${sha256.slice(0, 32)}`, bytes, sha256 }
}

/** The parts of a ref. Undefined if it is invalid. */
export function parseRef(ref: string): { readonly run: RunId; readonly file: string } | undefined {
  const slash = ref.indexOf('/')
  const run = parseRunId(ref.slice(0, slash))
  const file = ref.slice(slash + 1)
  return run && HASHED.test(file) ? { run, file } : undefined
}
