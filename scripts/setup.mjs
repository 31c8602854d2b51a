/**
 * Brings what is missing on a machine that has nothing but Node and npm: the dependencies of the lock file, Bun among
 * them; see components.mjs for what does not come from npm. Plain Node without dependencies: it runs before any are there.
 *
 * @module
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
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
  // Whoever has the tools of development keeps them, also when a command that needs none installs what has changed.
  const all = dev || existsSync(join(MODULES, 'typescript-compiler'))
  if (!isInstalled({ dev })) {
    // What runs meanwhile, a server above all, keeps its files when the tools of development are added to them.
    const adds = all && isInstalled({ dev: false })
    say(
      adds
        ? 'installing the tools of development too (once): node_modules grows by about 270 MB'
        : `installing the dependencies of package-lock.json into node_modules (once, and after it changed): about ${all ? 455 : 185} MB`,
    )
    npm(adds ? ['install', '--no-save', '--include=dev'] : ['ci', all ? '--include=dev' : '--omit=dev'])
  }
  const bun = workingBun()
  if (bun) return bun
  say('the dependencies in node_modules do not run on this system: installing them again')
  npm(['ci', all ? '--include=dev' : '--omit=dev'])
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

/**
 * Makes sure that the tools of the TypeScript client are installed, in its own folder: they need another TypeScript than
 * the project has.
 *
 * @param folder the client's
 * @throws {SetupError} when they can't be installed
 */
export function ensureClientTools(folder) {
  if (isInstalled({ dev: true }, folder)) return
  say(
    'installing the tools of clients/typescript (once, and after its package-lock.json changed): about 45 MB',
  )
  npm(['ci', '--include=dev'], folder)
}

function npm(args, cwd = ROOT) {
  // stdout belongs to what is started: `npm start` prints the first key there.
  const options = { cwd, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' }
  const { status, error } = spawnSync('npm', [...args, '--no-audit', '--no-fund'], options)
  if (error) throw new SetupError(`npm could not be run: ${error.message}`)
  if (status !== 0)
    throw new SetupError(`"npm ${args[0]}" failed with code ${status}; its own words stand above`)
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
