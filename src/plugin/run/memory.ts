/**
 * What runs of a source share within one process: facts of the site, such as the version of its pages, and what it has
 * said to an address, such as a visitor's token or a refusal.
 *
 * @module
 */

/**
 * Facts that the runs of a source share within one process, each for a limited time. They are the site's own, never an
 * account's: runs of several accounts read them. They are lost with the process.
 *
 * `context.memory` is shared by all runs, whichever exit they have. `context.exitMemory` is shared by those that have the
 * same exit, or none, for what a site gives to a visitor's address, or refuses it.
 *
 * @example
 * const tokenOf = (memory: Memory, context: Pick<Context, 'fetch'>): Promise<string> =>
 *   memory.once('token', async () => {
 *     const reply = await context.fetch('/')
 *     return { value: String(at(await reply.json(), 'token')), seconds: 1200 }
 *   })
 * tokenOf.length // => 2
 */
export type Memory = {
  /** The value of a name; undefined when it was never set, or has expired. */
  get(name: string): unknown
  /** Sets a value for a number of seconds. */
  set(name: string, value: unknown, seconds: number): void
  /** Removes a value, e.g. a token that the site no longer accepts. */
  delete(name: string): void
  /**
   * The value of a name. If there is none, `make` fetches it once, however many runs ask at the same time. When it
   * fails, the run that called it gets the error, and the others try by themselves.
   */
  once<T>(name: string, make: () => Promise<{ readonly value: T; readonly seconds: number }>): Promise<T>
}

/** The most names; the oldest are removed. A plugin that makes names of inputs must not fill the memory. */
const MOST = 1000

/**
 * Creates an empty memory, for tests that pass one to several runs.
 *
 * @param now milliseconds since 1970
 * @example
 * const memory = createMemory(() => 0)
 * memory.set('token', 'abc', 60)
 * memory.get('token') // => 'abc'
 */
export function createMemory(now: () => number): Memory {
  const entries = new Map<string, { readonly value: unknown; readonly until: number }>()
  const making = new Map<string, Promise<unknown>>()
  const memory: Memory = {
    get(name) {
      const entry = entries.get(name)
      if (entry && entry.until > now()) return entry.value
      entries.delete(name)
      return undefined
    },
    set(name, value, seconds) {
      entries.delete(name)
      if (entries.size >= MOST) entries.delete(entries.keys().next().value as string)
      entries.set(name, { value, until: now() + seconds * 1000 })
    },
    delete: (name) => void entries.delete(name),
    async once<T>(name: string, make: () => Promise<{ readonly value: T; readonly seconds: number }>) {
      for (;;) {
        const value = memory.get(name)
        if (value !== undefined) return value as T
        const other = making.get(name)
        if (!other) break
        // Its failure is the other run's: this one tries by itself.
        await other.catch(() => undefined)
      }
      const fresh = make()
      making.set(name, fresh)
      try {
        const { value, seconds } = await fresh
        memory.set(name, value, seconds)
        return value
      } finally {
        making.delete(name)
      }
    },
  }
  return memory
}
