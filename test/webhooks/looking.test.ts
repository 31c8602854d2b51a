/** How soon an attempt is made after it is due. */
import { expect, test } from 'bun:test'
import type { Stores } from '../../src/stores.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { A, CAUSE, openStand } from './stand.ts'

test('due attempts are looked for several times a second, so that a short delay before a retry stays short', async () => {
  const looked: number[] = []
  const stand = await openStand(temporaryFolder(), ({ deliveries }): Partial<Stores> => {
    const dueWebhooks: typeof deliveries.dueWebhooks = (now) => {
      looked.push(performance.now())
      return deliveries.dueWebhooks(now)
    }
    return { deliveries: Object.assign(Object.create(deliveries), { dueWebhooks }) }
  })
  await stand.open()
  await stand.webhooks.create(A, { url: 'http://127.0.0.1/' }, CAUSE)
  stand.deliverer.start()
  const shortest = () => Math.min(...looked.slice(2).map((at, i) => at - looked[i + 1]!))
  while (!(shortest() < 400)) await Bun.sleep(20)
  expect(shortest()).toBeGreaterThan(100)
  await stand.close()
})
