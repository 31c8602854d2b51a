/**
 * The service on the stores of several nodes: a real Redis, and the fake of EventStoreDB or the server at
 * EVENTSTORE_URL, which must hold no events of Gleaner.
 *
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEventStoreProcess } from '../rigs/servers/eventstore/process.ts'
import { startRedis } from './redis.ts'

export type SharedStores = {
  readonly env: Readonly<Record<string, string>>
  stop(): Promise<void>
}

/** Starts the stores in separate folders. */
export async function startSharedStores(): Promise<SharedStores> {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-stores-'))
  const given = process.env.EVENTSTORE_URL
  const log = given ? undefined : await startEventStoreProcess({ folder: join(folder, 'eventstore') })
  const { url, child: redis } = await startRedis(folder, '--appendonly', 'yes')
  return {
    env: {
      EVENTSTORE_URL: given ?? log?.url ?? '',
      REDIS_URL: url,
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
