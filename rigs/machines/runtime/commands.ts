/**
 * A program for tests: runs `gleaner` command lines in order, and prints their output and exit codes as JSON. One process
 * for all loads the modules only once.
 *
 * @module
 */
import { runCli } from '../../../src/cli/cli.ts'
import { processIo } from '../../../src/cli/io.ts'
import { addTools } from '../../../tools/commands.ts'

const { env, now, lines, signal } = processIo()
const said: object[] = []
for (const line of process.argv.slice(2)) {
  const printed = { out: '', err: '' }
  const to = (stream: 'out' | 'err') => (text: string) => {
    printed[stream] += text
  }
  const io = { env, now, lines, signal, isTerminal: false, out: to('out'), err: to('err') }
  const code = await runCli(line.split(' '), addTools, () => Promise.reject(new Error('no server here')), io)
  said.push({ line, code, ...printed })
}
console.log(JSON.stringify(said))
