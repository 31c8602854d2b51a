/**
 * Python for tests: the one found by scripts/test.mjs, or the python3 of this machine.
 *
 * @module
 */
import { spawnSync } from 'node:child_process'

/** Version managers replace Python by a script that takes longer to start than Python itself. */
const ITSELF = 'import sys; print(sys.executable); sys.exit(sys.version_info < (3, 9))'
const { status, stdout } = spawnSync(process.env.PYTHON3_PATH || 'python3', ['-c', ITSELF], {
  encoding: 'utf8',
})

/** Whether Python 3.9 or newer is available: otherwise the tests that need it are skipped, and counted as such. */
export const hasPython = status === 0

/** The program to start. */
export const PYTHON = stdout?.trim() ?? ''
