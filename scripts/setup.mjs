/**
 * Brings what is missing on a machine that has nothing but Node and npm: the dependencies of the lock file, Bun among
 * them, and for the tests Chromium and Redis. Plain Node without dependencies: it runs before any are there.
 *
 * @module
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const MODULES = join(ROOT, 'node_modules')

/** Something that is missing and can't be brought; the message says what to do. */
export class SetupError extends Error {
  name = 'SetupError'
}

/**
 * Makes sure that `node_modules` holds what the lock file says, and that Bun in it runs.
 *
 * @param options.dev whether the tools of development are needed too
 * @returns the path of Bun
 * @throws {SetupError} when they can't be installed
 */
export function ensureDependencies({ dev }) {
  if (!isInstalled({ dev })) install()
  const bun = workingBun()
  if (bun) return bun
  // Folders that were installed on another system look complete and do not run here.
  install()
  const installed = workingBun()
  if (installed) return installed
  throw new SetupError(
    `Bun does not run on this system (${process.platform} ${process.arch}). "npm ci" installed it in node_modules/bun; run "node node_modules/bun/install.js" to see why.`,
  )
}

/**
 * Whether each package of the lock file is installed in the version that it names. npm notes what it installed in a
 * lock file of its own, whichever of its commands did it.
 */
export function isInstalled({ dev }, root = ROOT) {
  const wanted = packagesOf(join(root, 'package-lock.json'))
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'))
  if (!wanted || !installed) return false
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || entry.optional || entry.devOptional || (entry.dev && !dev)) return true
    const there = installed[path]
    return there?.version === entry.version && existsSync(join(root, path, 'package.json'))
  })
}

function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined
    throw error
  }
}

function install() {
  say('installing the dependencies of package-lock.json (once, and after it changed)')
  // stdout belongs to what is started: `npm start` prints the first key there.
  const options = { cwd: ROOT, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' }
  const { status, error } = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'], options)
  if (error) throw new SetupError(`npm could not be run: ${error.message}`)
  if (status !== 0) throw new SetupError(`"npm ci" failed with code ${status}; its own words stand above`)
}

/** Bun as it was installed. npm leaves install scripts out unless they are approved, so Bun's own may not have run. */
function workingBun() {
  const usual = join(MODULES, 'bun', 'bin', 'bun.exe')
  if (runs(usual)) return usual
  const script = join(MODULES, 'bun', 'install.js')
  if (existsSync(script)) {
    spawnSync(process.execPath, [script], { cwd: dirname(script), stdio: ['ignore', 2, 2] })
    if (runs(usual)) return usual
  }
  return platformBuilds().find(runs)
}

/** Bun's builds lie in packages of their own, one a platform, of which npm installs the fitting ones. */
function platformBuilds() {
  const folder = join(MODULES, '@oven')
  if (!existsSync(folder)) return []
  const name = process.platform === 'win32' ? 'bun.exe' : 'bun'
  return readdirSync(folder).map((build) => join(folder, build, 'bin', name))
}

function runs(path) {
  if (!existsSync(path)) return false
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 30_000 })
  return status === 0 && /^\d+\.\d+\.\d+/.test(stdout)
}

/** What some tests need beside the dependencies: the program's names, its Debian package, and the variable that names it. */
const COMPONENTS = [
  {
    name: 'Chromium',
    variable: 'CHROMIUM_PATH',
    programs: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
    packages: ['chromium'],
    elsewhere: playwrightChromium,
  },
  {
    name: 'Redis',
    variable: 'REDIS_SERVER_PATH',
    programs: ['redis-server', 'valkey-server'],
    packages: ['redis-server'],
    elsewhere: () => undefined,
  },
]

/**
 * Finds Chromium and Redis, or installs them where that needs no question: as root, or with sudo that asks for no
 * password, on a system with apt-get.
 *
 * @returns `env`: the variables that name them; `missing`: those that are not there, with how to get them and whether
 *   this machine could have installed them
 */
export function ensureComponents() {
  const absent = COMPONENTS.filter((component) => !find(component))
  const installer = absent.length > 0 ? aptGet() : undefined
  if (installer) {
    const packages = absent.flatMap((component) => component.packages)
    say(`installing ${packages.join(' and ')} for the tests (once)`)
    installer(packages)
  }
  const env = {}
  const missing = []
  for (const component of COMPONENTS) {
    const path = find(component)
    if (path) env[component.variable] = path
    else {
      const { name, packages, variable } = component
      const how = `install it ("apt-get install ${packages.join(' ')}", or your system's way), or set ${variable}`
      missing.push({ name, how, installable: installer !== undefined })
    }
  }
  return { env, missing }
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

/** The newest Chromium that Playwright has downloaded for this user. */
function playwrightChromium() {
  const cache = process.env.PLAYWRIGHT_BROWSERS_PATH || join(homedir(), '.cache', 'ms-playwright')
  if (!existsSync(cache)) return undefined
  const builds = readdirSync(cache).filter((name) => /^chromium-\d+$/.test(name))
  builds.sort((a, b) => Number(b.slice(9)) - Number(a.slice(9)))
  return builds.map((build) => join(cache, build, 'chrome-linux', 'chrome')).find(isProgram)
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
    const command = ['apt-get', '-qq', '-o', 'DPkg::Lock::Timeout=300', ...args]
    const [program, ...rest] = root ? command : ['sudo', '-n', ...command]
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    return spawnSync(program, rest, { stdio: ['ignore', 2, 2], env }).status === 0
  }
  return (packages) =>
    (run('update') && run('install', '-y', '--no-install-recommends', ...packages)) ||
    say('apt-get failed; its own words stand above')
}

/** One line on stderr, so that stdout stays what the program prints. */
export function say(text) {
  process.stderr.write(`gleaner: ${text}\n`)
}

/** Runs a script's main function: what can't be brought is told in one line, anything else is a defect with its stack. */
export async function main(script) {
  try {
    process.exitCode = await script(process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    say(error.message)
    process.exitCode = 1
  }
}
