/**
 * Chromium, Redis and Python: found on this machine, or installed where that needs no question.
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
  elsewhere: () => undefined,
}
const PYTHON = {
  name: 'Python',
  variable: 'PYTHON3_PATH',
  programs: ['python3'],
  packages: ['python3'],
  elsewhere: () => undefined,
}

/**
 * Finds Chromium, Redis and Python for the tests, or installs them with apt-get: as root, or with sudo that asks for no password.
 *
 * @returns `env`: the variables that name them; `missing`: those that are not there, with how to get them and whether
 *   this machine could have installed them
 */
export function ensureComponents() {
  const components = [CHROMIUM, REDIS, PYTHON]
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
      const how = `install it ("apt-get install ${packages[0]}", or your system's way), or set ${variable}`
      missing.push({ name, how, installable: installer !== undefined })
    }
  }
  return { env, missing }
}

/**
 * Has Chromium installed beside a server, where there is none. The server is told the process that does it, and what
 * needs a browser waits for the end of that. It goes on when the server ends: a package manager is not cut off.
 *
 * @param args of the server; `--no-browser` leaves Chromium out and is taken from them
 * @returns the arguments and the environment of the server
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
  say(`Chromium is missing and is being installed; what needs it waits (${path})`)
  child.on('exit', (code) => {
    if (code !== 0) return say(`Chromium could not be installed; ${path} says why`)
    say('Chromium is installed')
    rmSync(folder, { recursive: true, force: true })
  })
  child.unref()
  return { args: rest, env: { CHROMIUM_INSTALLER: String(child.pid) } }
}

/**
 * Installs Chromium: with apt-get where that needs no question, else with Playwright's own download.
 *
 * @returns whether there is one that runs
 */
export function installChromium() {
  const install = aptGet()
  // Ubuntu's package is a way to its snap, which sees no files of others.
  if (install && !isUbuntu()) install(CHROMIUM.packages)
  if (runsChromium()) return true
  // Its own command line is broken; that of its core is the same.
  const cli = join(ROOT, 'node_modules', 'playwright-core', 'cli.js')
  // The libraries that it needs come with apt-get too.
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
  return elsewhere()
}

/** Inside a build of Playwright's, by system. */
const IN_BUILD = ['chrome-linux/chrome', 'chrome-mac/Chromium.app/Contents/MacOS/Chromium']

/** The newest Chromium that Playwright has downloaded for this user; src/browser/chromium/find.ts looks in the same places. */
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

/** How packages are installed without a question, or undefined. */
function aptGet() {
  if (process.platform !== 'linux' || spawnSync('apt-get', ['--version']).status !== 0) return undefined
  const root = process.getuid?.() === 0
  if (!root && spawnSync('sudo', ['-n', 'true']).status !== 0) return undefined
  const run = (...args) => {
    // sudo hands no environment on.
    const command = ['env', 'DEBIAN_FRONTEND=noninteractive', 'NEEDRESTART_MODE=a', 'apt-get', '-qq']
    const [program, ...rest] = [...(root ? [] : ['sudo', '-n']), ...command]
    const options = ['-o', 'DPkg::Lock::Timeout=300', ...args]
    return spawnSync(program, [...rest, ...options], { stdio: ['ignore', 2, 2] }).status === 0
  }
  return (packages) =>
    (run('update') && run('install', '-y', '--no-install-recommends', ...packages)) ||
    say('apt-get failed; its own words stand above')
}
