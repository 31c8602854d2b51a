import { afterAll, expect, test } from 'bun:test'
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import { delay } from '../../../src/async/delay.ts'

const home = temporaryFolder()
const ROOT = join(import.meta.dirname, '..', '..', '..')
const CASSETTE = join(ROOT, 'plugins/encyclopedia/fixtures/search.json')
const RUNTIMES = { Bun: [process.execPath], Deno: [join(ROOT, 'node_modules/.bin/deno'), 'run', '-A'] }
/** `script` of util-linux opens a pseudo terminal. */
const hasTerminal = /util-linux/.test(spawnSync('script', ['--version']).stdout?.toString() ?? '')
const children: ReturnType<typeof spawn>[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

/** A shell at a terminal: waits for text on the screen, and types keys. */
function startTerminal(words: readonly string[]) {
  const command = [...words, join(ROOT, 'src/main.ts'), 'shell', CASSETTE]
    .map((word) => `'${word}'`)
    .join(' ')
  // Without `exec`, Ctrl-C would end the sh in between as well, with code 130.
  const child = spawn('script', ['-qefc', `exec ${command}`, '/dev/null'], {
    env: { ...process.env, HOME: home, XDG_STATE_HOME: '', DATA_DIR: join(home, 'data'), TERM: 'xterm' },
  })
  children.push(child)
  let screen = ''
  let waiting = () => {}
  child.stdout.on('data', (chunk) => {
    screen += chunk
    waiting()
  })
  const ended = new Promise<number | null>((go) => child.on('close', go))
  return {
    ended,
    type: (keys: string) => void child.stdin.write(keys),
    /** Resolves when the text is on the screen, after what was waited for before. */
    async see(text: string | RegExp) {
      for (;;) {
        const found =
          typeof text === 'string' ? { index: screen.indexOf(text), 0: text, 1: text } : text.exec(screen)
        if (found && found.index >= 0) {
          screen = screen.slice(found.index + found[0].length)
          return found[1]
        }
        await new Promise<void>((go) => (waiting = go))
      }
    },
    /** Closes the terminal. */
    hangUp: () => child.kill('SIGKILL'),
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

for (const [runtime, words] of Object.entries(RUNTIMES))
  test.skipIf(!hasTerminal)(
    `on ${runtime} a person at a terminal has a history, and Ctrl-C stops what runs but not the shell`,
    async () => {
      const { type, see, ended } = startTerminal(words)
      await see('> ')
      type('40 + 2\r')
      await see('42')
      await see('> ')
      type('\x1b[A')
      await see('40 + 2')
      type('\x15help(); await new Promise(() => {})\r')
      // It runs once it has printed.
      await see('ends the shell')
      type('\x03')
      await see('stopped')
      await see('> ')
      type('at(json, "query", "search").length\r')
      await see('3')
      await see('> ')
      type('\x04')
      expect(await ended).toBe(0)
      const history = join(home, '.local/state/gleaner/shell-history')
      expect(readFileSync(history, 'utf8').split('\n').slice(-4)).toEqual([
        '40 + 2',
        'help(); await new Promise(() => {})',
        'at(json, "query", "search").length',
        '',
      ])
      expect(statSync(history).mode & 0o777).toBe(0o600)
    },
    60_000,
  )

for (const [runtime, words] of Object.entries(RUNTIMES))
  test.skipIf(!hasTerminal)(
    `on ${runtime} Ctrl-C ends an endless loop`,
    async () => {
      const { type, see, ended } = startTerminal(words)
      await see('> ')
      type('help(); for (;;) {}\r')
      await see('ends the shell')
      type('\x03')
      await see('The entry does not end')
      expect(await ended).not.toBe(0)
    },
    60_000,
  )

for (const [runtime, words] of Object.entries(RUNTIMES))
  test.skipIf(!hasTerminal)(
    `on ${runtime} a loop ends with its terminal`,
    async () => {
      const { type, see, hangUp } = startTerminal(words)
      await see('> ')
      type('process.stdout.write("pid " + process.pid + "."); for (;;) {}\r')
      const pid = Number(await see(/pid (\d+)\./))
      hangUp()
      while (isRunning(pid)) await delay(20)
    },
    60_000,
  )
