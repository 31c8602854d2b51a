/**
 * A mutex for each key: work under the same key runs one at a time, in order. It covers this process only; the log
 * resolves conflicts between processes.
 *
 * @module
 */

export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>()

  /** Runs `work` after all earlier work under `key` has finished, successfully or not. */
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
