/** The rests of exits in the simulation fulfil the contract. */
import { MemoryEphemeralStore } from '../simulation/stores/ephemeral.ts'
import { exitRestsContract } from './exit-rests.ts'

exitRestsContract('memory', async () => ({
  rests: new MemoryEphemeralStore().exitRests,
  close: async () => {},
}))
