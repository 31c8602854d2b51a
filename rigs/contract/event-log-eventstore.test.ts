/**
 * The contract on EventStoreDB: on the fake, and with EVENTSTORE_URL set also on a real server, which may hold other
 * events.
 *
 * @module
 */
import { afterAll } from 'bun:test'
import { openEventstoreLog } from '../../src/log/eventstore/log.ts'
import { startEventStoreProcess } from '../servers/eventstore/process.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { subscriptionContract } from './event-log/subscribe.ts'
import type { OpenedLog } from './event-log/suite.ts'
import { eventLogContract } from './event-log.ts'

async function openAt(url: string): Promise<OpenedLog> {
  const log = await openEventstoreLog(url)
  const opened: OpenedLog = {
    log,
    close: () => log.close(),
    reopen: async () => {
      await opened.close()
      const again = await openAt(url)
      opened.close = again.close
      return again
    },
  }
  return opened
}

// A subscription buffers as many events with every log; SQLite's contract tests exceed that buffer.
const BEHIND = 4000

// In a separate process: Deno may crash when it closes an HTTP/2 server. On disk, so that appends take a while.
const fake = await startEventStoreProcess({ folder: temporaryFolder() })
afterAll(() => fake.kill())
eventLogContract('EventStoreDB (fake)', () => openAt(fake.url), BEHIND)

// An older server differs only in subscriptions. The runtime does not matter there, so one runtime is enough.
if (!('Deno' in globalThis)) {
  const old = await fake.another({ caughtUp: false, checkpointBeyondEnd: true, version: '22.10.5' })
  subscriptionContract('EventStoreDB 22.10 (fake)', () => openAt(old.url), BEHIND)
}

const real = process.env.EVENTSTORE_URL
if (real) eventLogContract('EventStoreDB', () => openAt(real))
