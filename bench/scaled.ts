/**
 * The service on the stores that several nodes share: a real Redis, and the stand-in for EventStoreDB, or the server
 * that EVENTSTORE_URL names, which must hold no events of Gleaner.
 *
 * @module
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEventStoreProcess } from '../test/eventstore/process.ts'

export type SharedStores = {
  readonly env: Readonly<Record<string, string>>
  stop(): Promise<void>
}

/** Starts the stores, on folders of their own. */
export async function startSharedStores(): Promise<SharedStores> {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-stores-'))
  const given = process.env.EVENTSTORE_URL
  const log = given ? undefined : await startEventStoreProcess({ folder: join(folder, 'eventstore') })
  const redisPort = await freePort()
  const redis = spawn(
    process.env.REDIS_SERVER_PATH || 'redis-server',
    ['--port', `${redisPort}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'yes', '--dir', folder],
    { stdio: 'ignore' },
  )
  await listens(redisPort)
  return {
    env: {
      EVENTSTORE_URL: given ?? log?.url ?? '',
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      VAULT_KEY: `${'A'.repeat(43)}=`,
    },
    async stop() {
      await log?.kill()
      const gone = new Promise((done) => redis.once('exit', done))
      redis.kill('SIGKILL')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => found(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

async function listens(port: number): Promise<void> {
  for (;;) {
    const up = await new Promise<boolean>((tell) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy()
        tell(true)
      }).on('error', () => tell(false))
    })
    if (up) return
    await new Promise((go) => setTimeout(go, 20))
  }
}
