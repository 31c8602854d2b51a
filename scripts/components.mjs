/**
 * Finds Chromium, Redis, Python and the proxies of the tests on this machine, or installs them if that is possible without a prompt.
 *
 * @module
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT, say } from './setup.mjs'

const CHROMIUM = {
  name: 'Chromium',
  variable: 'CHROMIUM_PATH',
  programs: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
  packages: ['chromium', 'fonts-liberation'],
  elsewhere: playwrightChromium,
}
const REDIS = {
  name: 'Redis',
  variable: 'REDIS_SERVER_PATH',
  programs: ['redis-server', 'valkey-server'],
  packages: ['redis-server'],
}
const PYTHON = {
  name: 'Python',
  variable: 'PYTHON3_PATH',
  programs: ['python3'],
  packages: ['python3'],
}
const HTTP_PROXY = {
  name: 'tinyproxy',
  variable: 'TINYPROXY_PATH',
  programs: ['tinyproxy'],
  packages: ['tinyproxy'],
}
const SOCKS_PROXY = {
  name: 'microsocks',
  variable: 'MICROSOCKS_PATH',
  programs: ['microsocks'],
  packages: ['microsocks'],
}

/**
 * Finds Chromium, Redis, Python and two proxies for the tests, or installs them with apt-get: as root, or with a sudo that asks
 * for no password.
 *
 * @returns `env`: the environment variables with their paths; `missing`: the missing components, with how to install
 *   them and whether apt-get could be used
 */
export function ensureComponents() {
  const components = [CHROMIUM, REDIS, PYTHON, HTTP_PROXY, SOCKS_PROXY]
  const absent = components.filter((component) => !find(component))
  const installer = absent.length > 0 ? aptGet() : undefined
  if (installer) {
    const packages = absent.flatMap((component) => component.packages)
    say(`installing ${packages.join(', ')} for the tests with apt-get (once)`)
    installer(packages)
  }
  const env = {}
  const missing = []
  for (const component of components) {
    const path = find(component)
    if (path) env[component.variable] = path
    else {
      const { name, packages, variable } = component
      const how = `install it ("apt-get install ${packages[0]}", or with your system's package manager), or set ${variable}`
      missing.push({ name, how, installable: installer !== undefined })
    }
  }
  return { env, missing }
}

/**
 * Installs Chromium while the server starts, if none is found. The server gets the id of the installing process, and
 * runs that need a browser wait until this process ends. The installation continues if the server ends, because a
 * package manager must not be interrupted.
 *
 * @param args the server's arguments; `--no-browser` skips the installation and is removed from them
 * @returns the arguments and the additional environment of the server
 */
export function chromiumBeside(args) {
  const rest = args.filter((arg) => arg !== '--no-browser')
  if (rest.length < args.length || process.env.CHROMIUM_PATH || find(CHROMIUM)) return { args: rest, env: {} }
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-chromium-'))
  const path = join(folder, 'install.log')
  const log = openSync(path, 'w')
  const script = fileURLToPath(new URL('./chromium.mjs', import.meta.url))
  const child = spawn(process.execPath, [script], { stdio: ['ignore', log, log], detached: true })
  closeSync(log)
  say(`Chromium is missing and is being installed; runs that need it wait (log: ${path})`)
  child.on('exit', (code) => {
    if (code !== 0) return say(`Chromium could not be installed; see ${path}`)
    say('Chromium is installed')
    rmSync(folder, { recursive: true, force: true })
  })
  child.unref()
  return { args: rest, env: { CHROMIUM_INSTALLER: String(child.pid) } }
}

/**
 * Installs Chromium: with apt-get if that needs no prompt, otherwise with Playwright's own download.
 *
 * @returns whether Chromium is installed and runs
 */
export function installChromium() {
  const install = aptGet()
  // Ubuntu's package only installs a snap, which cannot access other programs' files.
  if (install && !isUbuntu()) install(CHROMIUM.packages)
  if (runsChromium()) return true
  // The command line of the package itself is broken; the one of playwright-core is equivalent.
  const cli = join(ROOT, 'node_modules', 'playwright-core', 'cli.js')
  // With apt-get the required libraries are installed too.
  const options = install ? ['--with-deps'] : []
  spawnSync(process.execPath, [cli, 'install', '--no-shell', ...options, 'chromium'], {
    stdio: ['ignore', 2, 2],
  })
  return runsChromium()
}

function runsChromium() {
  const path = find(CHROMIUM)
  return path !== undefined && spawnSync(path, ['--version'], { stdio: ['ignore', 2, 2] }).status === 0
}

function isUbuntu() {
  return existsSync('/etc/os-release') && /^ID=ubuntu$/m.test(readFileSync('/etc/os-release', 'utf8'))
}

function find({ variable, programs, elsewhere }) {
  const named = process.env[variable]
  if (named) return isProgram(named) ? named : undefined
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const program of programs)
      if (folder && isProgram(join(folder, program))) return join(folder, program)
  }
  return elsewhere?.()
}

/** The program's path inside a build of Playwright, on each system. */
const IN_BUILD = ['chrome-linux/chrome', 'chrome-mac/Chromium.app/Contents/MacOS/Chromium']

/** The newest Chromium that Playwright downloaded for this user. Same places as in src/browser/chromium/find.ts. */
function playwrightChromium() {
  const caches = process.platform === 'darwin' ? ['Library', 'Caches'] : ['.cache']
  const cache = process.env.PLAYWRIGHT_BROWSERS_PATH || join(homedir(), ...caches, 'ms-playwright')
  if (!existsSync(cache)) return undefined
  const builds = readdirSync(cache).filter((name) => /^chromium-\d+$/.test(name))
  builds.sort((a, b) => Number(b.slice(9)) - Number(a.slice(9)))
  return builds.flatMap((build) => IN_BUILD.map((path) => join(cache, build, path))).find(isProgram)
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A function that installs packages without a prompt; undefined if that is impossible here. */
function aptGet() {
  if (process.platform !== 'linux' || spawnSync('apt-get', ['--version']).status !== 0) return undefined
  const root = process.getuid?.() === 0
  if (!root && spawnSync('sudo', ['-n', 'true']).status !== 0) return undefined
  const run = (...args) => {
    // sudo does not pass the environment on.
    const command = ['env', 'DEBIAN_FRONTEND=noninteractive', 'NEEDRESTART_MODE=a', 'apt-get', '-qq']
    const [program, ...rest] = [...(root ? [] : ['sudo', '-n']), ...command]
    const options = ['-o', 'DPkg::Lock::Timeout=300', ...args]
    return spawnSync(program, [...rest, ...options], { stdio: ['ignore', 2, 2] }).status === 0
  }
  return (packages) =>
    (run('update') && run('install', '-y', '--no-install-recommends', ...packages)) ||
    say('apt-get failed; see its output above')
}
