/**
 * Installs the dependencies of the lock file, Bun included, on a machine that has only Node and npm. Components that do
 * not come from npm: see components.mjs. This file must not import dependencies, because it runs before they exist.
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

/** Something is missing and cannot be installed. The message says what to do. */
export class SetupError extends Error {
  name = 'SetupError'
}

/**
 * Ensures that `node_modules` matches the lock file and that its Bun runs.
 *
 * @param options.dev whether the development dependencies are needed too
 * @returns the path of Bun
 * @throws {SetupError} when the dependencies cannot be installed
 */
export function ensureDependencies({ dev }) {
  // Development dependencies that are installed are kept, also by commands that do not need them.
  const all = dev || existsSync(join(MODULES, 'typescript-compiler'))
  if (!isInstalled({ dev })) {
    // `npm ci` would delete the files of a running server. Adding the development dependencies keeps them.
    const adds = all && isInstalled({ dev: false })
    say(
      adds
        ? 'installing the development dependencies too (once): node_modules grows by about 270 MB'
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
 * Whether each package of the lock file is installed in the locked version. Every npm command that installs packages
 * records them in `node_modules/.package-lock.json`.
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
 * Ensures that the tools of the TypeScript client are installed, in the client's folder: they need a different
 * version of TypeScript than the project.
 *
 * @param folder the client's folder
 * @throws {SetupError} when they cannot be installed
 */
export function ensureClientTools(folder) {
  if (isInstalled({ dev: true }, folder)) return
  say(
    'installing the tools of clients/typescript (once, and after its package-lock.json changed): about 45 MB',
  )
  npm(['ci', '--include=dev'], folder)
}

function npm(args, cwd = ROOT) {
  // stdout is reserved for the started program: `npm start` prints the first key there.
  const options = { cwd, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' }
  const { status, error } = spawnSync('npm', [...args, '--no-audit', '--no-fund'], options)
  if (error) throw new SetupError(`npm could not be run: ${error.message}`)
  if (status !== 0) throw new SetupError(`"npm ${args[0]}" failed with code ${status}; see its output above`)
}

/** The path of a Bun that runs. npm skips install scripts that are not approved, so Bun's may not have run yet. */
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

/** The builds of Bun. Each platform has a separate package; npm installs the packages that match this machine. */
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

/** Prints one line on stderr. stdout is reserved for the program's output. */
export function say(text) {
  process.stderr.write(`gleaner: ${text}\n`)
}

/**
 * Runs a script's main function. Prints a SetupError as one line; any other error is a defect, shown with its stack.
 */
export async function main(script) {
  try {
    process.exitCode = await script(process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    say(error.message)
    process.exitCode = 1
  }
}
