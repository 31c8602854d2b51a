/**
 * Taking turns: of the work under one name, each begins when the one before it is done.
 *
 * @module
 */

/** For requests of this process that would only get in each other's way; between processes the log decides. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>()

  /** Does `work` when all earlier work under `name` is done, however it ended. */
  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(name)
    const mine = before ? before.then(work, work) : work()
    this.last.set(name, mine)
    try {
      return await mine
    } finally {
      if (this.last.get(name) === mine) this.last.delete(name)
    }
  }
}
