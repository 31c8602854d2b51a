/** The use of exits in the simulation fulfils the contract. */
import { MemoryExitDays } from '../simulation/stores/exit-days.ts'
import { exitDaysContract } from './exit-days.ts'

exitDaysContract('memory', async () => ({ days: new MemoryExitDays(), close: async () => {} }))
