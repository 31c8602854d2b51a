/** Signals to a command that is slow to stop. */
import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { endAll, start } from '../../rigs/servers/processes.ts'
import { ROOT } from '../../rigs/servers/server.ts'

afterEach(endAll)

/** Prints when it is told to stop, and does not stop. On SIGUSR2 it prints that it is alive and advances its clock. */
const PROGRAM = `
import { processIo } from ${JSON.stringify(join(ROOT, 'src', 'cli', 'io.ts'))}
let now = 0
performance.now = () => now
setInterval(() => {}, 1000)
process.on('SIGUSR2', () => {
  now = 10_000
  console.log('alive')
})
processIo().signal.addEventListener('abort', () => console.log('told'))
console.log('ready')
`

test('a Ctrl-C that arrives twice (through npm too) stops a command once; a later one kills it', async () => {
  const program = start(process.execPath, ['-e', PROGRAM])
  await program.says(/ready/)
  program.child.kill('SIGINT')
  await program.says(/told/)
  program.child.kill('SIGINT')
  // The lower number is delivered first.
  program.child.kill('SIGUSR2')
  await program.says(/alive/)
  program.child.kill('SIGINT')
  expect(await program.ended).toEqual({ code: 130, signal: null })
  expect(program.printed.out).toBe('ready\ntold\nalive\n')
})
