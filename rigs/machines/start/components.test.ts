import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromiumWhenInstalled, installerOf } from '../../../src/browser/chromium/find.ts'
import { until } from '../../servers/processes.ts'
import { ROOT } from '../../servers/server.ts'

const isLinux = process.platform === 'linux'

/** A machine with Node and the programs that a test adds, and a project on it. */
let machine: { readonly bin: string; readonly project: string; readonly tmp: string }
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gleaner-components-'))
  machine = { bin: join(folder, 'bin'), project: join(folder, 'project'), tmp: join(folder, 'tmp') }
  for (const path of Object.values(machine)) mkdirSync(path)
  for (const name of ['node', 'env', 'sh', 'sleep', 'cat']) {
    const { stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' })
    symlinkSync(stdout.trim(), join(machine.bin, name))
  }
  cpSync(join(ROOT, 'scripts'), join(machine.project, 'scripts'), { recursive: true })
  mkdirSync(join(machine.project, 'node_modules'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function program(name: string, script: string): void {
  writeFileSync(join(machine.bin, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(machine.bin, name), 0o755)
}

const environment = () => ({ PATH: machine.bin, HOME: machine.tmp, TMPDIR: machine.tmp })

/** Runs the code of a module on the machine. */
function run(code: string) {
  const options = { cwd: machine.project, env: environment(), encoding: 'utf8' } as const
  return spawnSync('node', ['--input-type=module', '-e', code], options)
}

/** Adds apt-get, whose `install` waits for a file and then creates the programs. */
function debian(): void {
  program('sudo', `[ "$1" = -n ] && shift; exec env -i PATH=${machine.bin} "$@"`)
  program(
    'apt-get',
    `echo "$DEBIAN_FRONTEND $@" >> ${folder}/asked
case "$*" in *install*) while [ ! -e ${folder}/go ]; do sleep 0.05; done
cat > ${machine.bin}/chromium <<END
#!/bin/sh
END
chmod 755 ${machine.bin}/chromium ;; esac`,
  )
  const { stdout } = spawnSync('sh', ['-c', 'command -v chmod'], { encoding: 'utf8' })
  symlinkSync(stdout.trim(), join(machine.bin, 'chmod'))
}
const commands = () => readFileSync(join(folder, 'asked'), 'utf8')

describe.skipIf(!isLinux)('Chromium beside a server', () => {
  const BESIDE = `import { chromiumBeside } from './scripts/components.mjs'
    console.log(JSON.stringify(chromiumBeside(['--roles', 'api', ...process.argv.slice(1)])))`

  /** The same in a process that keeps running, as a server does. */
  function serving() {
    const child = spawn('node', ['--input-type=module', '-e', `${BESIDE}; setTimeout(() => {}, 1e6)`], {
      cwd: machine.project,
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const said = { out: '', err: '', stop: () => child.kill() }
    child.stdout.on('data', (chunk) => (said.out += chunk))
    child.stderr.on('data', (chunk) => (said.err += chunk))
    return said
  }

  test('is installed by a non-interactive apt-get while the server starts, and its users wait', async () => {
    debian()
    const server = serving()
    try {
      await until(() => server.out.includes('\n'))
      const { args, env } = JSON.parse(server.out)
      expect(args).toEqual(['--roles', 'api'])
      const installer = installerOf(env)
      expect(installer).toBe(Number(env.CHROMIUM_INSTALLER))
      let isOver = false
      const waiting = chromiumWhenInstalled(null, installer, new AbortController().signal)
      void waiting.then(() => (isOver = true))
      await until(() => existsSync(join(folder, 'asked')) && commands().includes('install -y'))
      expect([isOver, existsSync(join(machine.bin, 'chromium'))]).toEqual([false, false])
      writeFileSync(join(folder, 'go'), '')
      await waiting
      expect(existsSync(join(machine.bin, 'chromium'))).toBe(true)
      expect(installerOf(env)).toBeNull()
      await until(() => server.err.includes('Chromium is installed'))
      expect(commands()).toMatch(/^noninteractive .*install -y --no-install-recommends chromium /m)
    } finally {
      server.stop()
    }
  })

  test('is not installed with --no-browser, nor when one is present', () => {
    debian()
    const without = run(`process.argv.push('--no-browser');${BESIDE}`)
    expect(JSON.parse(without.stdout)).toEqual({ args: ['--roles', 'api'], env: {} })
    program('chromium', '')
    expect(JSON.parse(run(BESIDE).stdout)).toEqual({ args: ['--roles', 'api'], env: {} })
    expect(existsSync(join(folder, 'asked'))).toBe(false)
  })

  test('reports a failed installation with the path of its log', async () => {
    const server = serving()
    const failed = /Chromium could not be installed; see (.*)/
    await until(() => failed.test(server.err))
    server.stop()
    expect(server.err).toMatch(/^gleaner: Chromium is missing and is being installed; runs that need it wait/)
    const [, log = ''] = failed.exec(server.err) ?? []
    // The next attempt was Playwright's own download, which this project lacks.
    expect(readFileSync(log, 'utf8')).toContain('playwright-core')
  })
})

test('an installation is not awaited when a browser is configured or the wait is aborted', async () => {
  const never = process.pid
  expect(await chromiumWhenInstalled('/named', never, new AbortController().signal)).toBe('/named')
  await chromiumWhenInstalled(null, never, AbortSignal.abort())
})

describe('dependencies are installed without development dependencies for a start, and with them for tests', () => {
  const lock = {
    '': {},
    'node_modules/a': { version: '1.0.0' },
    'node_modules/b': { version: '1.0.0', dev: true },
  }
  const ensured = (dev: boolean) =>
    run(
      `import { ensureDependencies, main } from './scripts/setup.mjs'; await main(() => ensureDependencies({ dev: ${dev} }))`,
    )
  beforeEach(() => {
    program('npm', `echo "$@" >> ${folder}/asked; exit 1`)
    writeFileSync(join(machine.project, 'package-lock.json'), JSON.stringify({ packages: lock }))
  })

  for (const [dev, words] of [
    [false, 'ci --omit=dev'],
    [true, 'ci --include=dev'],
  ] as const)
    test(`without node_modules: announces the installation and runs npm ${words}`, () => {
      const { status, stderr } = ensured(dev)
      expect([status, commands()]).toEqual([1, `${words} --no-audit --no-fund\n`])
      expect(stderr).toMatch(/^gleaner: installing the dependencies of package-lock.json into node_modules/)
    })

  test('installed development dependencies stay when a command that needs none installs', () => {
    mkdirSync(join(machine.project, 'node_modules/typescript-compiler'))
    ensured(false)
    expect(commands()).toBe('ci --include=dev --no-audit --no-fund\n')
  })

  test('development dependencies are added without removing anything, since a server may be running', () => {
    mkdirSync(join(machine.project, 'node_modules/a'))
    writeFileSync(join(machine.project, 'node_modules/a/package.json'), '{}')
    const { 'node_modules/b': _, ...there } = lock
    writeFileSync(
      join(machine.project, 'node_modules/.package-lock.json'),
      JSON.stringify({ packages: there }),
    )
    expect(ensured(true).stderr).toContain('installing the development dependencies too')
    expect(commands()).toBe('install --no-save --include=dev --no-audit --no-fund\n')
  })
})
