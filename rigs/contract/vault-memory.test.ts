/** The in-memory vault objects of the simulation fulfil the contract. */
import { expect, test } from 'bun:test'
import { MemoryVaultObjects } from '../simulation/stores/vault-objects.ts'
import { vaultObjectsContract } from './vault-objects.ts'

const shared = new MemoryVaultObjects(Date.now)
vaultObjectsContract('memory', async () => shared)

test('an object has the write time of the store’s clock, and stored bytes are copies', async () => {
  let now = 5
  const objects = new MemoryVaultObjects(() => now)
  const body = Buffer.of(1)
  await objects.put('people/record/b', body)
  now = 6
  expect(await objects.create('people/record/a', body)).toBe(true)
  body[0] = 2
  const read = await objects.get('people/record/b')
  if (read) read[0] = 3
  expect(await objects.get('people/record/b')).toEqual(Uint8Array.of(1))
  expect(await objects.list('people/')).toEqual([
    { key: 'people/record/a', at: 6 },
    { key: 'people/record/b', at: 5 },
  ])
  expect(objects.dump()).toEqual(['people/record/a', 'people/record/b'])
})
