/** The commands of docs/operations.md for Deno. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { childrenOf, endAll, start } from '../../servers/processes.ts'
import { addressOf, client, folder, KEY, ROOT, SETTINGS } from '../../servers/server.ts'
import { DENO } from './runtimes.ts'

const text = readFileSync(join(ROOT, 'docs', 'operations.md'), 'utf8')
const section = /^## On Deno\n([\s\S]*?)\n## /m.exec(text)?.[1] ?? ''
let data: ReturnType<typeof folder>
beforeEach(() => {
  data = folder()
})
afterEach(async () => {
  await endAll()
  data.remove()
})

/** A PATH on which Deno has its usual name. */
function withDeno(): Record<string, string> {
  symlinkSync(DENO.command[0], join(data.path, 'deno'))
  return { PATH: `${data.path}${delimiter}${process.env.PATH}` }
}

test('the documented commands start the server on Deno, with extractors on Deno', async () => {
  const [block = ''] = /(?<=^```sh\n)[\s\S]*?(?=^```$)/m.exec(section) ?? []
  const [install, serve = ''] = block.trim().split('\n')
  expect(install).toBe('npm ci --omit=dev')
  const env = { ...SETTINGS, ...withDeno(), DATA_DIR: data.path }
  const server = start('sh', ['-c', `exec ${serve}`], { cwd: ROOT, env })
  const call = client(await addressOf(server), KEY)
  const { body: run } = await call('/v1/storm/quick', { _run: { async: false } })
  expect(run.run_status).toBe('succeeded')
  // Sandbox programs may be between the server and the extractor.
  let [extractor = 0] = childrenOf(server.pid)
  for (let [inner] = childrenOf(extractor); inner !== undefined; [inner] = childrenOf(inner))
    extractor = inner
  const command = execFileSync('ps', ['-o', 'command=', '-p', String(extractor)], { encoding: 'utf8' })
  expect(command).toStartWith(DENO.command[0])
  expect(existsSync(join(ROOT, 'deno.lock'))).toBe(false)
}, 60_000)

test('the documented --env-file option makes Deno read a .env file', async () => {
  const [words] = /deno run -A --env-file\s+src\/main\.ts serve/.exec(section) ?? []
  expect(words).toBeDefined()
  writeFileSync(join(data.path, '.env'), `PORT=0\nBOOTSTRAP_KEY=${KEY}\nDATA_DIR=${data.path}/own\n`)
  const line = words!.replace(/\s+/g, ' ').replace('src/main.ts', join(ROOT, 'src/main.ts'))
  const server = start('env', ['-u', 'PORT', '-u', 'DATA_DIR', 'sh', '-c', `exec ${line}`], {
    cwd: data.path,
    env: withDeno(),
  })
  expect((await client(await addressOf(server), KEY)('/v1/account')).status).toBe(200)
}, 60_000)
