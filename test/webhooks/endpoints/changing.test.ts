/** An endpoint whose URL or secret is changed at a bad moment. */
import { expect, test } from 'bun:test'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import type { WebhookId } from '../../../src/domain/ids.ts'
import type { Stores } from '../../../src/stores.ts'
import { isSignedBy, startReceiver } from '../receiver.ts'
import { A, CAUSE, openStand } from '../stand.ts'

const TYPES = { types: ['CreditsGranted'] }

test('while its secret is rotated, an endpoint is listed with its URL, tested and delivered to', async () => {
  let before: (() => Promise<unknown>) | undefined
  const receiver = startReceiver()
  const stand = await openStand(temporaryFolder(), ({ vault }): Partial<Stores> => {
    const loadRecord: typeof vault.loadRecord = async (...args) => {
      const rotate = before
      before = undefined
      await rotate?.()
      return vault.loadRecord(...args)
    }
    return { vault: Object.assign(Object.create(vault), { loadRecord }) }
  })
  await stand.open()
  const { webhooks, stores } = stand
  const { record } = await webhooks.create(A, { url: receiver.url, ...TYPES }, CAUSE)
  const id = record.webhook_id as WebhookId
  const secrets: string[] = []
  /** Rotates the secret just before the next read of the vault. */
  const rotateNext = () => {
    before = async () => secrets.push((await webhooks.rotateSecret(A, id, CAUSE))!.secret)
  }
  rotateNext()
  expect((await webhooks.list(A)).map(({ url }) => url)).toEqual([receiver.url])
  rotateNext()
  expect(await webhooks.test(A, id, CAUSE)).toMatchObject({ delivered: true })
  stand.deliverer.start()
  rotateNext()
  await stand.grant(1)
  await receiver.until(({ length }) => length === 2)
  const firstDelivery = async () => (await stores.deliveries.list(id, { limit: 1 }))[0]!
  while ((await firstDelivery()).state === 'pending') await Bun.sleep(5)
  expect((await firstDelivery()).attempts.map(({ error }) => error)).toEqual([null])
  expect(secrets).toHaveLength(3)
  expect(receiver.received.map((one, i) => isSignedBy(secrets[i + 1]!, one))).toEqual([true, true])
  await stand.close()
  await receiver.stop()
}, 20_000)

test('a 410 from the old URL does not disable an endpoint whose URL was changed during the attempt', async () => {
  const changed = Promise.withResolvers<void>()
  const old = startReceiver(async () => {
    await changed.promise
    return 410
  })
  const stand = await openStand(temporaryFolder())
  await stand.open()
  const { webhooks, stores } = stand
  const { record } = await webhooks.create(A, { url: old.url, ...TYPES }, CAUSE)
  const id = record.webhook_id as WebhookId
  stand.deliverer.start()
  await stand.grant(1)
  while (old.received.length === 0) await Bun.sleep(5)
  const receiver = startReceiver()
  await webhooks.change(A, id, { url: receiver.url }, CAUSE)
  changed.resolve()
  while ((await stores.deliveries.list(id, { limit: 1 }))[0]!.state === 'pending') await Bun.sleep(5)
  // Delivered only if the endpoint was not disabled before.
  await stand.grant(2)
  await receiver.until(({ length }) => length === 1)
  expect((await webhooks.get(A, id))?.state).toBe('enabled')
  await stand.close()
  await Promise.all([old.stop(), receiver.stop()])
}, 20_000)
