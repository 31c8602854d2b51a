/**
 * A mutex for each key: of the work under one key, each begins when the one before it is done. Within this process;
 * between processes the log decides.
 *
 * @module
 */

export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>()

  /** Does `work` when all earlier work under `key` is done, however it ended. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key)
    const mine = before ? before.then(work, work) : work()
    this.last.set(key, mine)
    try {
      return await mine
    } finally {
      if (this.last.get(key) === mine) this.last.delete(key)
    }
  }
}
