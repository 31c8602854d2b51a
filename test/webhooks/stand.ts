/**
 * Everything that webhooks need, on the embedded stores of a folder.
 *
 * @module
 */
import { projections } from '../../projections/all.ts'
import { Accounts } from '../../src/accounts/accounts.ts'
import { readConfig } from '../../src/config.ts'
import type { AccountId } from '../../src/domain/ids.ts'
import { Feed } from '../../src/feed/feed.ts'
import { Tail } from '../../src/log/tail.ts'
import { createLogger } from '../../src/logger.ts'
import { Projector } from '../../src/read/projector.ts'
import { waitingFor } from '../../src/read/wait-until-projected.ts'
import { openStores, type Stores } from '../../src/stores.ts'
import { openWebhooks } from '../../src/webhooks/open.ts'

export const A = 'acc_00000000000000000000000001' as AccountId
export const CAUSE = { correlationId: 'test', causationId: 'test', now: Date.now() }

export type Stand = Awaited<ReturnType<typeof openStand>>

/**
 * @param broken replaces some stores, for example by stores of a dying process
 * @param retries the delays between attempts, in seconds
 */
export async function openStand(
  dataDir: string,
  broken: (stores: Stores) => Partial<Stores> = () => ({}),
  retries = '0,0,0',
) {
  const env = {
    DATA_DIR: dataDir,
    LOG_LEVEL: 'silent',
    WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
    WEBHOOK_RETRIES_S: retries,
  }
  const config = readConfig(env)
  const opened = await openStores(config)
  const stores: Stores = { ...opened, ...broken(opened) }
  const { log, readModels } = stores
  const clock = { offset: 0 }
  const now = () => Date.now() + clock.offset
  const projector = new Projector(opened.log, readModels, projections)
  await projector.start()
  const tail = new Tail(opened.log)
  await tail.start()
  const accounts = new Accounts(opened.log, readModels, undefined, now)
  const waitUntilProjected = waitingFor(opened.log, readModels, projector)
  const feed = new Feed(log, tail, readModels)
  const logger = createLogger('silent')
  const { webhooks, deliverer } = openWebhooks({
    ...{ ...stores, feed, tail, waitUntilProjected, config, logger, now },
    onTried: () => {},
  })
  return {
    ...{ stores, clock, webhooks, deliverer },
    /** Appends an event of the account: CreditsGranted with an amount. */
    grant: (amount: number) =>
      accounts.handle({ type: 'grant', accountId: A, amount }, { ...CAUSE, accountId: A }),
    open: () =>
      accounts.handle({ type: 'open', accountId: A, name: 'team', credits: 0 }, { ...CAUSE, accountId: A }),
    async close(): Promise<void> {
      await deliverer.stop()
      await tail.stop()
      await projector.stop()
      await opened.close()
    },
  }
}
