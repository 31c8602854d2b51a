import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'

const LOGGER = join(import.meta.dirname, '..', 'src', 'logger.ts')
/** Logs more than the buffer holds, then prints that it went on. */
const PROGRAM = `
import { createLogger } from ${JSON.stringify(LOGGER)}
const logger = createLogger('info')
for (let i = 0; i < 3000; i++) logger.error({ err: new Error('x'.repeat(1000)) }, 'line')
console.log('went on')`

test.skipIf(!existsSync('/dev/full'))(
  'a process that logs continues when the disk behind stderr is full',
  () => {
    const full = openSync('/dev/full', 'w')
    try {
      const { status, stdout } = spawnSync(process.execPath, ['-e', PROGRAM], {
        stdio: ['ignore', 'pipe', full],
      })
      expect({ status, said: stdout.toString().trim() }).toEqual({ status: 0, said: 'went on' })
    } finally {
      closeSync(full)
    }
  },
)

test('the logger writes one JSON object per line to stderr', () => {
  const { stderr } = spawnSync(process.execPath, ['-e', PROGRAM], { maxBuffer: 64 * 1024 * 1024 })
  const lines = stderr.toString().trim().split('\n')
  expect(lines).toHaveLength(3000)
  expect(JSON.parse(lines[2999]!)).toMatchObject({ level: 50, msg: 'line' })
})
