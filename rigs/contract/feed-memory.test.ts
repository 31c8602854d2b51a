/** The feed on the in-memory log and read models of the simulation. */
import { MemoryLog } from '../simulation/stores/log.ts'
import { MemoryReadModels } from '../simulation/stores/read-models.ts'
import { feedContract, type OpenedStores, projectedFeedContract } from './feed.ts'

const open = async (): Promise<OpenedStores> => ({
  log: new MemoryLog(),
  readModels: new MemoryReadModels(),
  close: async () => {},
})

feedContract('memory', open)
projectedFeedContract('memory', open)
