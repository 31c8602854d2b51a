/**
 * Hearing what is published in Redis, for as long as it is wanted.
 *
 * @module
 */
import { type Cluster, Redis } from 'ioredis'
import { pause } from '../pause.ts'

/** How often a connection on which nothing comes is asked whether it still stands, in milliseconds. */
const ASK_AGAIN_MS = 2000
const RETRY_MS = 200

/**
 * Hears channels until the signal aborts; never rejects. What goes wrong is told by the client's own events.
 *
 * @param client for this alone; once it has subscribed it does so again whenever it connects anew
 * @param listening called when it hears them for the first time
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
  let isListening = false
  while (!signal.aborted) {
    try {
      if (!isListening) {
        await client.subscribe(...channels)
        isListening = true
        listening()
        // A server that went without a word is found by what it does not answer. Of a cluster the client looks itself.
      } else if (client instanceof Redis) await client.ping()
      await pause(ASK_AGAIN_MS, signal)
    } catch {
      // The client has told of it, and connects again.
      await pause(RETRY_MS, signal)
    }
  }
}
