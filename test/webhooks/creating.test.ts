/** Endpoints of one account that are created at once. */
import { expect, test } from 'bun:test'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import type { Stores } from '../../src/stores.ts'
import { A, CAUSE, openStand } from './stand.ts'

/** As many as an account may have. */
const AT_ONCE = 20

test('endpoints that are created at once do not wait for one another', async () => {
  const { promise: allSent, resolve: send } = Promise.withResolvers<void>()
  let sent = 0
  // No append ends before all have begun.
  const stand = await openStand(temporaryFolder(), ({ log }): Partial<Stores> => {
    const append: typeof log.append = async (...args) => {
      if (args[0].startsWith('webhook-') && ++sent === AT_ONCE) send()
      if (args[0].startsWith('webhook-')) await allSent
      return log.append(...args)
    }
    return { log: Object.assign(Object.create(log), { append }) }
  })
  await stand.open()
  const create = () => stand.webhooks.create(A, { url: 'http://127.0.0.1/' }, CAUSE)
  const created = await Promise.all(Array.from({ length: AT_ONCE }, create))
  expect(await stand.webhooks.list(A)).toHaveLength(created.length)
  await stand.close()
})

test('two processes that create endpoints at once leave no more than an account may have', async () => {
  const folder = temporaryFolder()
  const stand = await openStand(folder)
  await stand.open()
  // The deciding state is in the stores alone, so calls of one process stand for calls of several.
  const outcomes = await Promise.allSettled(
    Array.from({ length: 30 }, () => stand.webhooks.create(A, { url: 'http://127.0.0.1/' }, CAUSE)),
  )
  const created = outcomes.filter(({ status }) => status === 'fulfilled')
  const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.refusal] : []))
  expect(created).toHaveLength(AT_ONCE)
  expect(refused).toEqual(Array(10).fill({ refused: 'too-many-webhooks' }))
  expect(await stand.webhooks.list(A)).toHaveLength(20)
  // What was refused has left no secret behind.
  expect(await stand.stores.vault.records('acc_', Date.now() + 1000)).toHaveLength(20)
  await stand.close()
})

test('the repeat of a call that created the last endpoint is no call for one more', async () => {
  const stand = await openStand(temporaryFolder())
  await stand.open()
  const request = { url: 'http://127.0.0.1/' }
  const operation = { id: 'a'.repeat(64), fingerprint: 'b'.repeat(64) }
  for (let n = 1; n < AT_ONCE; n++) await stand.webhooks.create(A, request, CAUSE)
  expect(await stand.webhooks.createOnce(A, request, CAUSE, operation)).toBeDefined()
  expect(await stand.webhooks.createOnce(A, request, CAUSE, operation)).toBeUndefined()
  const other = { ...operation, id: 'c'.repeat(64) }
  await expect(stand.webhooks.createOnce(A, request, CAUSE, other)).rejects.toMatchObject({
    refusal: { refused: 'too-many-webhooks' },
  })
  await stand.close()
})
