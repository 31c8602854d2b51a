/**
 * Stores and keys for tests: a log in a file, read models, and any number of "processes" that share them.
 *
 * @module
 */
import { join } from 'node:path'
import { projections } from '../../projections/all.ts'
import { Accounts } from '../../src/accounts/accounts.ts'
import { openSqliteEphemeralStore } from '../../src/ephemeral/sqlite/ephemeral-store.ts'
import { Keys } from '../../src/keys/keys.ts'
import type { EventLog } from '../../src/log/event-log.ts'
import { openSqliteLog } from '../../src/log/sqlite/log.ts'
import { Projector } from '../../src/read/projector.ts'
import { openSqliteReadModels } from '../../src/read/sqlite/read-models.ts'
import { type WaitUntilProjected, waitingFor } from '../../src/read/wait-until-projected.ts'

export type Node = Awaited<ReturnType<typeof openNode>>
export const OPERATOR_KEY = 'operator-0123456789abcdef0123456789'

/** One process on the stores of a folder. */
export async function openNode(
  folder: string,
  options: {
    readonly log?: (log: EventLog) => EventLog
    readonly waitUntilProjected?: WaitUntilProjected
  } = {},
) {
  const opened = openSqliteLog(join(folder, 'log.db'))
  const log = options.log?.(opened) ?? opened
  const readModels = openSqliteReadModels(join(folder, 'read-models.db'))
  const ephemeral = openSqliteEphemeralStore(join(folder, 'volatile.db'))
  const projector = new Projector(log, readModels, projections)
  await projector.start()
  const clock = { now: Date.now() }
  const now = () => clock.now
  const waitUntilProjected = options.waitUntilProjected ?? waitingFor(log, readModels, projector)
  return {
    log,
    clock,
    readModels,
    ephemeral,
    accounts: new Accounts(log, readModels),
    keys: new Keys({ log, readModels, ephemeral, waitUntilProjected, operatorKey: OPERATOR_KEY, now }),
    now,
    async close() {
      await projector.stop()
      await ephemeral.close()
      await readModels.close()
      await opened.close()
    },
  }
}

/** The cause of a command in tests. */
export const causeAt = (now: number) => ({ correlationId: 'test', causationId: 'test', now })
