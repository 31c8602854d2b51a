/**
 * Follows Redis streams, all on one separate connection. Delivers each entry once, in order.
 *
 * @module
 */
import type { Cluster, Redis } from 'ioredis'
import { delay } from '../async/delay.ts'

/** Receives an entry: the value of its only field. */
export type Hear = (message: Buffer, id: string) => void

/** How long a call waits for entries, in milliseconds. The next call includes the streams that were added meanwhile. */
const BLOCK_MS = 100
const RETRY_MS = 200
const AT_ONCE = 100

export class StreamReader {
  private readonly streams = new Map<string, { after: string; readonly hear: Hear }>()

  /** Reads a stream from its beginning. The stream need not exist yet. @returns a function that stops the reading */
  read(key: string, hear: Hear): () => void {
    const stream = { after: '0', hear }
    this.streams.set(key, stream)
    return () => {
      if (this.streams.get(key) === stream) this.streams.delete(key)
    }
  }

  /** Reads until closed. Never rejects: the client's own events report errors. */
  async run(client: Redis | Cluster, closing: AbortSignal): Promise<void> {
    const disconnect = () => client.disconnect()
    closing.addEventListener('abort', disconnect, { once: true })
    if (closing.aborted) disconnect()
    while (!closing.aborted) {
      if (this.streams.size === 0) {
        await delay(BLOCK_MS, closing)
        continue
      }
      const ids = [...this.streams.values()].map(({ after }) => after)
      const args = ['BLOCK', BLOCK_MS, 'STREAMS', ...this.streams.keys(), ...ids] as const
      try {
        const streams = await client.xreadBuffer('COUNT', AT_ONCE, ...args)
        if (!closing.aborted) this.take(streams as StreamEntries | null)
      } catch {
        // The client has reported the error and reconnects.
        await delay(RETRY_MS, closing)
      }
    }
  }

  private take(streams: StreamEntries | null): void {
    for (const [key, entries] of streams ?? []) {
      const stream = this.streams.get(key.toString())
      for (const [id, [, message]] of entries) {
        if (!stream || !message) continue
        stream.after = id.toString()
        stream.hear(message, stream.after)
      }
    }
  }
}

type StreamEntries = Iterable<[key: Buffer, entries: [id: Buffer, fields: Buffer[]][]]>
