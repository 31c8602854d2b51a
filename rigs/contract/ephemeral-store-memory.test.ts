/** The in-memory ephemeral store of the simulation fulfils the contract, with run slots as in Redis. */
import { expect, test } from 'bun:test'
import type { AccountId, RunId } from '../../src/domain/ids.ts'
import { MemoryEphemeralStore } from '../simulation/stores/ephemeral.ts'
import { ephemeralStoreContract, runSlotsContract } from './ephemeral-store.ts'

const open = async () => {
  const ephemeral = new MemoryEphemeralStore()
  return { ephemeral, slots: ephemeral.runSlots, reopen: async () => ephemeral, close: async () => {} }
}
ephemeralStoreContract('memory', open)
runSlotsContract('memory', open)

const A = 'acc_00000000000000000000000001' as AccountId
const slot = (n: number, holder: string) => ({ run: `run_${n}` as RunId, account: A, holder })

test('buckets and slots use only the clock of the store, if the store has one', async () => {
  let now = 1_000_000
  const ephemeral = new MemoryEphemeralStore({ now: () => now })
  expect(await ephemeral.take(A, 'kickoff', 1, 0)).toMatchObject({ allowed: true })
  expect(await ephemeral.take(A, 'kickoff', 1, 1e15)).toMatchObject({ allowed: false })
  expect(await ephemeral.take('ann', 'sign-up', 1, 0)).toMatchObject({ allowed: true, resetS: 3600 })
  expect(await ephemeral.waitS('ann', 'sign-up', 1, 1e15)).toBe(3600)
  expect(await ephemeral.runSlots.acquire(slot(1, 'w1'), 1, 60_000, 0)).toBe('granted')
  expect(await ephemeral.runSlots.acquire(slot(1, 'w2'), 1, 60_000, 1e15)).toBe('taken')
  now += 60_000
  expect(await ephemeral.take(A, 'kickoff', 1, 0)).toMatchObject({ allowed: true })
  expect(await ephemeral.runSlots.acquire(slot(1, 'w2'), 1, 60_000, 0)).toBe('granted')
})

test('a renewal after the release takes a slot until it expires, as in Redis', async () => {
  const { runSlots } = new MemoryEphemeralStore()
  await runSlots.acquire(slot(1, 'w1'), 1, 1000, 0)
  await runSlots.release(slot(1, 'w1'), 60_000, 0)
  await runSlots.renew([slot(1, 'w1')], 1000, 100)
  expect(await runSlots.acquire(slot(2, 'w2'), 1, 1000, 1099)).toBe('full')
  expect(await runSlots.acquire(slot(2, 'w2'), 1, 1000, 1100)).toBe('granted')
})

test('clear deletes buckets, slots and times of last use', async () => {
  const ephemeral = new MemoryEphemeralStore()
  await ephemeral.take(A, 'kickoff', 1, 0)
  await ephemeral.runSlots.acquire(slot(1, 'w1'), 1, 60_000, 0)
  ephemeral.used('key', 5)
  ephemeral.clear()
  expect(await ephemeral.take(A, 'kickoff', 1, 0)).toMatchObject({ allowed: true })
  expect(await ephemeral.runSlots.acquire(slot(1, 'w2'), 1, 60_000, 0)).toBe('granted')
  expect(await ephemeral.lastUsed(['key'])).toEqual([undefined])
})
