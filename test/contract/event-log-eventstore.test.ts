import { openEventstoreLog } from '../../src/log/eventstore.ts'
import { eventLogContract, type OpenedLog } from './event-log.ts'

const url = process.env.EVENTSTORE_URL

async function openAt(at: string): Promise<OpenedLog> {
  const log = await openEventstoreLog(at)
  const opened: OpenedLog = {
    log,
    close: () => log.close(),
    reopen: async () => {
      await opened.close()
      const again = await openAt(at)
      opened.close = again.close
      return again
    },
  }
  return opened
}

if (url) eventLogContract('EventStoreDB', () => openAt(url))
