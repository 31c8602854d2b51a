/** What simulations know of sign-ins keeps the contract. */
import { expect, test } from 'bun:test'
import type { AccountId } from '../../src/domain/ids.ts'
import { MemorySignIns } from '../simulation/stores/sign-ins.ts'
import { signInsContract } from './login-links.ts'

signInsContract('memory', async () => ({ signIns: new MemorySignIns(), close: async () => {} }))

const LINK = { account: 'acc_1' as AccountId, source: 'site', expiresAt: 2000 }

test('who opened a link may open it again: a call may come twice', async () => {
  const signIns = new MemorySignIns()
  await signIns.offer('h', LINK, 1000)
  const opened = await Promise.all(['s', 'other', 's'].map((signIn) => signIns.open('h', signIn, 1000)))
  expect(opened).toEqual([true, false, true])
})

test('of a store that was emptied nothing is left', async () => {
  const signIns = new MemorySignIns()
  await signIns.offer('h', LINK, 1000)
  signIns.clear()
  expect(await signIns.find('h', 1000)).toBeUndefined()
  expect([...(await signIns.pending(LINK.account, ['site'], 1000))]).toEqual([])
})
