/** The in-memory artifacts of the simulation fulfil the contract. */
import { expect, test } from 'bun:test'
import { MemoryArtifacts } from '../simulation/stores/artifacts.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { aRun, artifactsContract, type OpenedArtifacts } from './artifacts.ts'
import { storedItemsContract } from './stored-items.ts'

const open = async () => {
  const store: OpenedArtifacts = {
    now: Date.now(),
    artifacts: new MemoryArtifacts(() => store.now),
    reopen: async () => store,
    close: async () => {},
  }
  return store
}
artifactsContract('memory', open, temporaryFolder())
storedItemsContract('memory', open)

test('dump shows refs with their later expiry, and stored bytes are copies', async () => {
  const artifacts = new MemoryArtifacts(() => 5)
  const body = Buffer.of(1)
  const run = aRun()
  const { ref } = artifacts.put(run, 'result', body, 9)
  artifacts.put(run, 'result', body, 7)
  body[0] = 2
  const read = await artifacts.get(ref)
  if (read) read[0] = 3
  expect(await artifacts.get(ref)).toEqual(Uint8Array.of(1))
  expect(artifacts.dump()).toEqual({ [ref]: 9 })
})
