import { afterEach, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { endAll, isAlive, start, until } from '../../servers/processes.ts'

afterEach(endAll)

const LAUNCH = new URL('../../../scripts/launch.mjs', import.meta.url).href
const PROGRAM = fileURLToPath(new URL('./launched.mjs', import.meta.url))

/** Starts a launcher whose program takes `ms` to end after its first signal. */
async function launcher(ms: number, env: Record<string, string> = {}) {
  const code = `import { launch } from ${JSON.stringify(LAUNCH)}
    process.exitCode = await launch(process.execPath, [${JSON.stringify(PROGRAM)}, '${ms}'])
    console.log('launcher ends')`
  const running = start('node', ['--input-type=module', '-e', code], {
    env: { npm_lifecycle_event: '', ...env },
  })
  const [, pid] = await running.says(/up (\d+)/)
  return { ...running, program: Number(pid) }
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  test(`${signal} to the launcher alone reaches the program once, and the launcher exits with its code`, async () => {
    const { child, ended, printed } = await launcher(200)
    child.kill(signal)
    expect(await ended).toEqual({ code: 7, signal: null })
    expect(printed.out.match(/got \w+/g)).toEqual([`got ${signal}`])
  })
}

test('a burst of signals reaches the program once', async () => {
  const { child, ended, printed, says } = await launcher(500)
  child.kill('SIGINT')
  child.kill('SIGTERM')
  await says(/got/)
  child.kill('SIGINT')
  expect((await ended).code).toBe(7)
  expect(printed.out.match(/got \w+/g)).toHaveLength(1)
})

test('a program killed by a signal makes the launcher exit with 128 plus its number', async () => {
  const { program, ended } = await launcher(0)
  process.kill(program, 'SIGKILL')
  expect((await ended).code).toBe(137)
})

test('the launcher stops the program when the npm that started it is gone', async () => {
  const shell = start('sh', ['-c', 'node --input-type=module -e "$CODE"; echo never'], {
    env: {
      npm_lifecycle_event: 'start',
      CODE: `import { launch } from ${JSON.stringify(LAUNCH)}; await launch(process.execPath, [${JSON.stringify(PROGRAM)}, '0'])`,
    },
  })
  const [, pid] = await shell.says(/up (\d+)/)
  shell.child.kill('SIGKILL')
  await until(() => !isAlive(Number(pid)))
})
