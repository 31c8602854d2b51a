/**
 * Python for tests: the one that scripts/test.mjs found, or the python3 of this machine.
 *
 * @module
 */
import { spawnSync } from 'node:child_process'

/** The program to start. */
export const PYTHON = process.env.PYTHON3_PATH || 'python3'

/** Whether there is one, of 3.9 or newer: without it the tests that need it are skipped, and counted as such. */
export const hasPython =
  spawnSync(PYTHON, ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0
