/**
 * Temporary folders of tests.
 *
 * @module
 */
import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An empty folder that goes when the test file is done. Call it at the top of the file. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'gleaner-test-'))
  // There may be many files in it.
  afterAll(() => rmSync(path, { recursive: true, force: true }), 60_000)
  return path
}
