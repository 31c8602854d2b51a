/**
 * Python for tests: the one that scripts/test.mjs found, or the python3 of this machine.
 *
 * @module
 */
import { spawnSync } from 'node:child_process'

/** Version managers put a script in the place of Python, which takes longer at each start than Python itself. */
const ITSELF = 'import sys; print(sys.executable); sys.exit(sys.version_info < (3, 9))'
const { status, stdout } = spawnSync(process.env.PYTHON3_PATH || 'python3', ['-c', ITSELF], {
  encoding: 'utf8',
})

/** Whether there is one, of 3.9 or newer: without it the tests that need it are skipped, and counted as such. */
export const hasPython = status === 0

/** The program to start. */
export const PYTHON = stdout?.trim() ?? ''
