/** An endpoint whose URL or secret is changed at a bad moment. */
import { expect, test } from 'bun:test'
import type { WebhookId } from '../../src/domain/ids.ts'
import type { Stores } from '../../src/stores.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { isSignedBy, startReceiver } from './receiver.ts'
import { A, CAUSE, openStand } from './stand.ts'

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
  const found = async () => (await stores.deliveries.list(id, { limit: 1 }))[0]!
  while ((await found()).state === 'pending') await Bun.sleep(5)
  expect((await found()).attempts.map(({ error }) => error)).toEqual([null])
  expect(secrets).toHaveLength(3)
  expect(receiver.received.map((one, i) => isSignedBy(secrets[i + 1]!, one))).toEqual([true, true])
  await stand.close()
  await receiver.stop()
}, 20_000)
