/**
 * Reading streams of Redis as they grow, all over one connection of their own: each entry once, in its order.
 *
 * @module
 */
import type { Cluster, Redis } from 'ioredis'
import { delay } from '../async/delay.ts'

/** Takes an entry: the value of its one field. */
export type Hear = (message: Buffer, id: string) => void

/** How long a call waits for entries, in milliseconds: a server that went without a word is found by the next one. */
const BLOCK_MS = 2000
const RETRY_MS = 200
const AT_ONCE = 100

export class StreamReader {
  private readonly streams = new Map<string, { after: string; readonly hear: Hear }>()
  private readonly closing = new AbortController()

  /**
   * @param wakeKey a stream of this reader alone, in a cluster on the node of those that it reads
   * @param wake appends to it: a call that waits already does not know of a stream that is read from now on
   */
  constructor(
    wakeKey: string,
    private readonly wake: () => Promise<unknown>,
  ) {
    this.streams.set(wakeKey, { after: '0', hear: () => {} })
  }

  /** Reads a stream from its beginning, also one that is not there yet. @returns ends it */
  read(key: string, hear: Hear): () => void {
    const stream = { after: '0', hear }
    this.streams.set(key, stream)
    // Without it the stream is read a little later.
    this.wake().catch(() => {})
    return () => {
      if (this.streams.get(key) === stream) this.streams.delete(key)
    }
  }

  /** Reads nothing more. */
  close(): void {
    this.closing.abort()
  }

  /** Reads until it is closed; never rejects. What goes wrong is told by the client's own events. */
  async run(client: Redis | Cluster, signal: AbortSignal): Promise<void> {
    const closing = AbortSignal.any([this.closing.signal, signal])
    const disconnect = () => client.disconnect()
    closing.addEventListener('abort', disconnect, { once: true })
    if (closing.aborted) disconnect()
    while (!closing.aborted) {
      const ids = [...this.streams.values()].map(({ after }) => after)
      const args = ['BLOCK', BLOCK_MS, 'STREAMS', ...this.streams.keys(), ...ids] as const
      try {
        const found = await client.xreadBuffer('COUNT', AT_ONCE, ...args)
        if (!closing.aborted) this.take(found as Found | null)
      } catch {
        // The client has told of it, and connects again.
        await delay(RETRY_MS, closing)
      }
    }
  }

  private take(found: Found | null): void {
    for (const [key, entries] of found ?? []) {
      const stream = this.streams.get(key.toString())
      for (const [id, [, message]] of entries) {
        if (!stream || !message) continue
        stream.after = id.toString()
        stream.hear(message, stream.after)
      }
    }
  }
}

type Found = Iterable<[key: Buffer, entries: [id: Buffer, fields: Buffer[]][]]>
