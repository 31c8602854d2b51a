/** The feed on the embedded log with its index by account, and without that index, by the read model. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventLog } from '../../src/log/event-log.ts'
import { openSqliteLog } from '../../src/log/sqlite/log.ts'
import { openSqliteReadModels } from '../../src/read/sqlite/read-models.ts'
import { altered } from '../support/altered.ts'
import { feedContract, type OpenedStores, projectedFeedContract } from './feed.ts'

async function open(logOf = (log: EventLog) => log): Promise<OpenedStores> {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-feed-'))
  const log = openSqliteLog(join(folder, 'log.db'))
  const readModels = openSqliteReadModels(join(folder, 'read-models.db'))
  return {
    log: logOf(log),
    readModels,
    async close() {
      await readModels.close()
      await log.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
const withoutIndex = (log: EventLog): EventLog => altered(log, { readAccount: undefined })

feedContract('the embedded log', open)
feedContract('a log without an index', () => open(withoutIndex))
projectedFeedContract('a log without an index', () => open(withoutIndex))
