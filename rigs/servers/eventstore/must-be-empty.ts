/**
 * Refuses the EventStoreDB at EVENTSTORE_URL if it holds events: the tests fill it with events that cannot be removed.
 *
 * @module
 */
import { EventStoreDBClient } from '@eventstore/db-client'

/** The stream of the first event that is not the server's own; undefined if there is none. */
export async function firstStream(url: string): Promise<string | undefined> {
  const client = EventStoreDBClient.connectionString(url)
  try {
    for await (const { event } of client.readAll()) {
      if (event && !event.streamId.startsWith('$')) return event.streamId
    }
    return undefined
  } finally {
    await client.dispose()
  }
}

if (import.meta.main) {
  const { EVENTSTORE_URL: url = '' } = process.env
  const stream = await firstStream(url)
  if (stream !== undefined) {
    console.error(
      `EVENTSTORE_URL names a store that holds events (the first one is of the stream ${stream}). The tests would add tens of thousands that cannot be removed. Name an empty store that you can throw away.`,
    )
    process.exitCode = 1
  }
}
