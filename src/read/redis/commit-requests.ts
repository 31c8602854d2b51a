/**
 * Requests to commit, between processes: a stream in Redis that holds the latest one.
 *
 * @module
 */
import type { RedisConnection } from '../../redis/connection.ts'
import type { RedisScript } from '../../redis/scripts.ts'
import type { StreamReader } from '../../redis/stream-reader.ts'

const KEY = 'gleaner:commit-requests'

const requestCommit: RedisScript = {
  name: 'requestCommit',
  keys: 1,
  lua: "return redis.call('XADD', KEYS[1], 'MAXLEN', 1, '*', 'm', '')",
}

export class CommitRequests {
  private readonly listeners = new Set<() => void>()
  private reader: StreamReader | undefined
  private isSending = false

  constructor(private readonly redis: RedisConnection) {}

  /** Sends one request at a time: callers that wait together need only one. */
  send(): void {
    if (this.isSending) return
    this.isSending = true
    this.redis
      .ask((redis) => redis.run(requestCommit, [KEY]))
      // The rows come without it too, a little later.
      .catch(() => {})
      .finally(() => {
        this.isSending = false
      })
  }

  /** @param listener called for the requests of all processes @returns a function that ends the calls */
  listen(listener: () => void): () => void {
    this.listeners.add(listener)
    if (!this.reader) {
      this.reader = this.redis.streams()
      this.reader.read(KEY, () => {
        for (const each of this.listeners) each()
      })
    }
    return () => void this.listeners.delete(listener)
  }
}
