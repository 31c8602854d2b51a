/**
 * Hearing what is published in Redis, for as long as it is wanted.
 *
 * @module
 */
import { type Cluster, Redis } from 'ioredis'
import { delay } from '../async/delay.ts'

/** How often it subscribes again on a connection that seems well, in milliseconds. */
const ASK_AGAIN_MS = 2000
const RETRY_MS = 200

/**
 * Hears channels until the signal aborts; never rejects. What goes wrong is told by the client's own events.
 *
 * @param client for this alone, without `autoResubscribe`: ioredis lets nobody catch the failure of that
 * @param listening called each time that it has subscribed
 */
export async function listenOn(
  client: Redis | Cluster,
  channels: readonly string[],
  hear: (channel: string, message: Buffer) => void,
  signal: AbortSignal,
  listening: () => void,
): Promise<void> {
  client.on('messageBuffer', (channel: Buffer, message: Buffer) => {
    if (!signal.aborted) hear(channel.toString(), message)
  })
  const subscribe = () => client.subscribe(...channels).then(listening)
  // The loop tries again whatever becomes of this one. A cluster subscribes anew by itself.
  if (client instanceof Redis) client.on('ready', () => void subscribe().catch(() => {}))
  while (!signal.aborted) {
    try {
      // To subscribe once more changes nothing, and finds a server that went without a word.
      await subscribe()
      await delay(ASK_AGAIN_MS, signal)
    } catch {
      // The client has told of it, and connects again.
      await delay(RETRY_MS, signal)
    }
  }
}
