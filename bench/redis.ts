/**
 * A separate Redis for a measurement; REDIS_SERVER_PATH names the program.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'

/** Starts a server and waits until it answers. */
export async function startRedis(
  folder: string,
  ...more: readonly string[]
): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as { port: number }
  free.close()
  const program = process.env.REDIS_SERVER_PATH || 'redis-server'
  const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...more]
  const child = spawn(program, options, { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout }))
    if (line.includes('Ready to accept')) break
  child.stdout.resume()
  return { url: `redis://127.0.0.1:${port}`, child }
}
