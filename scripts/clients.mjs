/**
 * `npm run clients`: generates the parts of the TypeScript client that come from the service's own `/openapi.json`
 * (types and paths of the tasks), and compiles the client. With `--check` it writes nothing, compares the result with
 * the files, and exits with 1 if they differ.
 *
 * @module
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ensureClientTools, ensureDependencies, main, ROOT, SetupError, say } from './setup.mjs'

const CLIENT = join(ROOT, 'clients', 'typescript')
/** Unsets settings that a file `.env` may contain and that would change the document. */
const UNSET = { PLUGINS_DIR: '', EVENTSTORE_URL: '', REDIS_URL: '', S3_URL: '', PUBLIC_URL: '', ROLES: '' }

await main(async (args) => {
  const bun = ensureDependencies({ dev: true })
  ensureClientTools(CLIENT)
  const check = args.includes('--check')
  const scratch = mkdtempSync(join(tmpdir(), 'gleaner-clients-'))
  try {
    const { generate } = await import('../clients/typescript/generate.mjs')
    const files = await generate(await openApi(bun, scratch))
    if (!check) for (const [name, text] of Object.entries(files)) write(join(CLIENT, name), text)
    const stale = Object.keys(files).filter((name) => textIn(join(CLIENT, name)) !== files[name])
    const built = join(scratch, 'dist')
    if (compile(built) !== 0) return 1
    const dist = join(CLIENT, 'dist')
    if (!check) rmSync(dist, { recursive: true, force: true })
    for (const name of new Set([...namesIn(built), ...namesIn(dist)])) {
      const text = textIn(join(built, name))
      if (!check && text !== undefined) write(join(dist, name), text)
      if (textIn(join(dist, name)) !== text) stale.push(join('dist', name))
    }
    for (const name of stale) say(`clients/typescript/${name} is out of date`)
    if (stale.length > 0) say('run "npm run clients" and commit the files that it writes')
    return stale.length === 0 ? 0 : 1
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
})

/** The OpenAPI document of a service with the project's own plugins. */
async function openApi(bun, folder) {
  const env = { ...process.env, ...UNSET, HOST: '127.0.0.1', PORT: '0', DATA_DIR: join(folder, 'data') }
  const server = spawn(bun, ['src/main.ts', 'serve'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    const answer = await fetch(`${await addressOf(server)}/openapi.json`)
    return await answer.json()
  } finally {
    server.kill('SIGKILL')
  }
}

function addressOf(server) {
  return new Promise((resolve, reject) => {
    let said = ''
    const hear = (chunk) => {
      said += chunk
      const [address] = /http:\/\/127\.0\.0\.1:[1-9]\d*/.exec(said) ?? []
      if (address) resolve(address)
    }
    server.stdout.on('data', hear)
    server.stderr.on('data', hear)
    server.on('error', reject)
    server.on('close', (code) => reject(new SetupError(`the service ended with ${code}:\n${said}`)))
  })
}

/** Compiles the client with a TypeScript that its users may have too. @returns the exit code of the compiler */
function compile(folder) {
  const tsc = join(CLIENT, 'node_modules', 'typescript', 'bin', 'tsc')
  const args = [tsc, '--project', CLIENT, '--outDir', folder]
  return spawnSync(process.execPath, args, { stdio: ['ignore', 2, 2] }).status
}

function textIn(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

function namesIn(folder) {
  return existsSync(folder) ? readdirSync(folder) : []
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
