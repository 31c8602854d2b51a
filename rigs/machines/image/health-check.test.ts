/** The image's health check, run on this machine as the container engine runs it. */
import { afterAll, afterEach, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { endAll } from '../../servers/processes.ts'
import { addressOf, folder, ROOT, startServer } from '../../servers/server.ts'

const data = folder()
afterEach(endAll)
afterAll(() => data.remove())

/** Exit code of the Dockerfile's check, with a proxy that nobody runs, as Docker may name one. */
function check(port: string): number | null {
  const [, json = '[]'] =
    /^HEALTHCHECK.*\\\n +CMD (\[.*\])$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')) ?? []
  const [, ...args] = JSON.parse(json) as string[]
  const proxy = 'http://127.0.0.1:9'
  const env = { ...process.env, PORT: port, HTTP_PROXY: proxy, http_proxy: proxy, NO_PROXY: '', no_proxy: '' }
  return spawnSync(process.execPath, args, { env }).status
}

test('the health check asks the server itself, whatever HTTP_PROXY says, and fails when nobody answers', async () => {
  const server = startServer(data.path)
  const { port } = new URL(await addressOf(server))
  await server.says(/Documentation/)
  expect(check(port)).toBe(0)
  server.child.kill('SIGKILL')
  await server.ended
  expect(check(port)).toBe(1)
})
