/**
 * Shared by the tests of the projector: stores that are closed after each test, and a counting projection.
 *
 * @module
 */
import { afterEach } from 'bun:test'
import { join } from 'node:path'
import { caughtUp } from '../../rigs/support/read-models.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import type { EventLog } from '../../src/log/event-log.ts'
import { openSqliteLog } from '../../src/log/sqlite/log.ts'
import type { ProjectorLogger } from '../../src/read/generations.ts'
import { Projector } from '../../src/read/projector.ts'
import type { Projection, ReadModels, Row } from '../../src/read/read-models.ts'
import { openSqliteReadModels } from '../../src/read/sqlite/read-models.ts'
import { accountId } from './history.ts'

/** A projector that tells when readers of its models see every event of its log. */
export type Started = Projector & { caughtUp(): Promise<void> }

/** Opens stores and projectors for one test file and closes them after each test. */
export type Workshop = {
  newFile(): string
  /** a log, in memory unless a file is given */
  openLog(path?: string): EventLog
  openModels(path: string): ReadModels
  start(
    log: EventLog,
    models: ReadModels,
    of?: readonly Projection[],
    logger?: ProjectorLogger,
  ): Promise<Started>
}

/** Call it at the top of a test file: it registers the cleanup. */
export function workshop(): Workshop {
  const folder = temporaryFolder()
  let files = 0
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })
  const closed = <T>(opened: T, close: () => Promise<void>): T => {
    closing.push(close)
    return opened
  }
  return {
    newFile: () => join(folder, `${++files}.db`),
    openLog(path = ':memory:') {
      const log = openSqliteLog(path)
      return closed(log, () => log.close())
    },
    openModels(path) {
      const models = openSqliteReadModels(path)
      return closed(models, () => models.close())
    },
    async start(log, models, of = [counts], logger) {
      const projector = new Projector(log, models, of, logger)
      closing.push(() => projector.stop())
      await projector.start()
      return Object.assign(projector, { caughtUp: () => caughtUp(projector, log, models, of) })
    },
  }
}

/** Not idempotent, so an event that is handled twice or lost is noticed. */
export const counts = counter(1)
export function counter(version: number, name = 'counts'): Projection {
  const projection: Projection<Row & { n: number; last: number }, 'CreditsGranted'> = {
    name,
    version,
    types: ['CreditsGranted'],
    key: ({ event }) => event.data.account_id,
    apply: (row, { position }) => ({ n: (row?.n ?? 0) + 1, last: position, version }),
    indexes: {},
  }
  return projection as unknown as Projection
}
export const counted = async (models: ReadModels, n = 1, of: Projection = counts): Promise<unknown> =>
  (await models.get(of, accountId(n)))?.n

/** A logger that records its messages. */
export function logger() {
  const messages: string[] = []
  const tell = (_: object, message: string) => void messages.push(message)
  return { messages, info: tell, warn: tell, error: tell }
}

export const turn = (): Promise<void> => new Promise((go) => setTimeout(go, 1))
/** A pause between two events of a test that writes until a condition holds. */
export const pause = (ms: number): Promise<void> => new Promise((go) => setTimeout(go, ms))
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await turn()
}

/** Read models with some methods replaced. */
export const altered = (models: ReadModels, changed: Partial<ReadModels>): ReadModels =>
  new Proxy(models, {
    get: (target, name) => {
      const value = changed[name as keyof ReadModels] ?? target[name as keyof ReadModels]
      return value?.bind(target)
    },
  })
