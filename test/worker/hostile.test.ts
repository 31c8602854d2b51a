/**
 * Isolation of child processes: what hostile code in a child cannot access, at the isolation level of this system
 * (docs/plugins.md describes the levels).
 *
 * @module
 */
import { afterAll, describe, expect, test } from 'bun:test'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { BUN, RUNTIMES } from '../../rigs/machines/runtime/runtimes.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { endsWhole, isolated, isolationLevel, wasKilled } from '../../src/process/isolation.ts'
import { mentioning } from '../browser/processes.ts'

const folder = temporaryFolder()
const MARK = 'a-secret-of-the-service-0123456789'
const level = isolationLevel()
const started: ChildProcess[] = []
let sleeps = 0
afterAll(() => {
  for (const child of started) child.kill('SIGKILL')
})

/** Starts a service that executes a hostile task; a process above it has the secret in its environment too. */
async function attack(
  { command }: (typeof RUNTIMES)[number],
  task: string,
  text = '',
  env: NodeJS.ProcessEnv = {},
) {
  const data = mkdtempSync(join(folder, 'data-'))
  writeFileSync(join(data, 'vault.key'), MARK)
  const script = new URL('./hostile.ts', import.meta.url).pathname
  const words = [...command, script, data, task, text.replace('DATA', data)]
  const shell = spawn('/bin/sh', ['-c', '"$@"; true', 'sh', ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, OPERATOR_KEY: MARK, ...env },
    detached: true,
  })
  started.push(shell)
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]()
  const { value } = await lines.next()
  return { said: String(value), data, kill: () => process.kill(-(shell.pid ?? 0), 'SIGKILL') }
}

const nextSleep = () => `${100_000 + process.pid}.${++sleeps}`

async function gone(text: string): Promise<void> {
  while (mentioning(`sleep ${text}`).length > 0) await new Promise((go) => setTimeout(go, 20))
}

describe.each([...RUNTIMES])('a child on $name', (runtime) => {
  const isDeno = runtime.name === 'Deno'
  const apart = test.skipIf(level === 'none' && !isDeno)
  const hidden = test.skipIf(level !== 'files' && !isDeno)
  const whole = test.skipIf(level !== 'files' && level !== 'processes' && !isDeno)

  apart('cannot read the environment of a process above it', async () => {
    const { said, kill } = await attack(runtime, 'environments', MARK)
    kill()
    expect(said).toBe('{"n":0}')
  })

  apart('cannot read the memory of its service', async () => {
    const { said, kill } = await attack(runtime, 'memory', 'PARENT')
    kill()
    expect(said).toBe('{"n":0}')
  })

  hidden.each(['reads', 'writes'])('%s no file of the service', async (task) => {
    const { said, data, kill } = await attack(runtime, task, 'DATA/vault.key')
    kill()
    expect(said).toBe(task === 'writes' && !isDeno ? '{"n":1}' : '{"n":0}')
    expect(readFileSync(join(data, 'vault.key'), 'utf8')).toBe(MARK)
  })

  whole('cannot signal its service', async () => {
    const { said, kill } = await attack(runtime, 'signals', 'PARENT')
    kill()
    expect(said).toBe('{"n":0}')
  })

  whole('leaves no process behind when its service is killed, even in a new session', async () => {
    const seconds = nextSleep()
    const { said, kill } = await attack(runtime, 'leaves', seconds)
    expect(said).toBe(isDeno ? '{"n":0}' : '{"n":1}')
    expect(mentioning(`sleep ${seconds}`)).toHaveLength(isDeno ? 0 : 1)
    kill()
    await gone(seconds)
  })
})

test('without isolation, a process started by a child still ends when its service is killed', async () => {
  const tools = mkdtempSync(join(folder, 'tools-'))
  symlinkSync(
    execFileSync('sh', ['-c', 'command -v sleep'], { encoding: 'utf8' }).trim(),
    join(tools, 'sleep'),
  )
  const seconds = nextSleep()
  const { said, kill } = await attack(BUN, 'leaves-and-stays', seconds, { PATH: tools })
  expect(said).toBe('{"n":1}')
  expect(mentioning(`sleep ${seconds}`)).toHaveLength(1)
  kill()
  await gone(seconds)
})

/** What a command can do at each level of this system: its best level and all weaker ones. */
const LEVELS = ['files', 'processes', 'memory'] as const
describe.each(LEVELS.slice(Math.max(0, LEVELS.indexOf(level as never))))('at the level "%s"', (at) => {
  const data = mkdtempSync(join(folder, 'level-'))
  const own = join(data, 'work', 'child-1')
  mkdirSync(own, { recursive: true })
  writeFileSync(join(data, 'vault.key'), MARK)
  const [command = '', ...before] = isolated(at, own, data)
  const run = (script: string) => spawnSync(command, [...before, 'sh', '-c', script], { encoding: 'utf8' })

  test('a command runs, and writes into its folder', () => {
    expect(run(`echo written > ${own}/${at}`).status).toBe(0)
    expect(readFileSync(join(own, at), 'utf8')).toBe('written\n')
  })

  test('a command cannot read the environment of another process', () => {
    const { stdout } = run(`cat /proc/${process.pid}/environ 2>/dev/null | wc -c`)
    expect(stdout.trim()).toBe('0')
  })

  test('the data folder is hidden at the level "files" only, and umount does not reveal it', () => {
    const { stdout } = run(`umount ${data} 2>/dev/null; cat ${data}/vault.key 2>/dev/null`)
    expect(stdout).toBe(at === 'files' ? '' : MARK)
    expect(existsSync(join(data, 'vault.key'))).toBe(true)
  })
})

test('isolation is available where unshare and setpriv work', () => {
  // Without isolation the tests above are skipped, so a wrongly detected level would pass unnoticed.
  const tools = ['unshare', 'setpriv'].every((tool) => existsSync(`/usr/bin/${tool}`))
  const allowed = spawnSync('unshare', ['--user', 'true']).status === 0
  if (tools && allowed) expect(level).not.toBe('none')
  expect(execFileSync('id', ['-u'], { encoding: 'utf8' })).toMatch(/^\d+\n$/)
})

test('a command that is killed counts as killed, although the process that isolates it exits with a code', () => {
  if (!endsWhole(level)) return
  const { signal, stderr } = spawnSync('unshare', ['--user', '--fork', 'sh', '-c', 'kill -9 $$'], {
    encoding: 'utf8',
  })
  expect(wasKilled(signal, stderr)).toBe(true)
  expect(wasKilled(null, 'error: a plugin printed this')).toBe(false)
})

test('a child that sends a message without an end is killed before the service has kept much of it', async () => {
  const { said, kill } = await attack(BUN, 'forges-without-end')
  kill()
  const [, reason, mib] = /^died: (.*); (\d+) MiB$/.exec(said) ?? [said]
  expect(reason).toBe('its process sent a message that is larger than any result may be')
  expect(Number(mib)).toBeLessThan(1000)
})
