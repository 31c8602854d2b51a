/**
 * Temporary folders of tests.
 *
 * @module
 */
import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An empty folder that is removed after the test file. Call it at the top of the file. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'gleaner-test-'))
  // The folder may hold many files.
  afterAll(() => rmSync(path, { recursive: true, force: true }), 60_000)
  return path
}
