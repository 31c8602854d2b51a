/**
 * Stores that die: the process that has them has written so much, and then nothing of it goes on.
 *
 * @module
 */
import type { Stores } from '../../src/stores.ts'

/** What a dead process's calls end with. */
export class Died extends Error {
  override readonly name = 'Died'
}

/** How many writes are left; with the last of them everything dies, and its answer is lost. */
export type Life = { writes: number; readonly onDeath?: () => void }

/** Stores that do so many writes more, by the names of these methods. The log is still told of what others write. */
export function dying(
  stores: Stores,
  life: Life,
  mortal: readonly (keyof Stores)[],
  writes: ReadonlySet<string>,
): Partial<Stores> {
  const wrap = <T extends object>(store: T, isWrapped: (name: string) => boolean): T =>
    new Proxy(store, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        if (!isWrapped(String(name))) return value.bind(target)
        return async (...args: unknown[]) => {
          if (life.writes <= 0) throw new Died('it is dead')
          const answer = await value.apply(target, args)
          if (!writes.has(String(name)) || --life.writes > 0) return answer
          life.onDeath?.()
          throw new Died('it has died')
        }
      },
    })
  return {
    log: wrap(stores.log, (name) => name === 'append'),
    ...Object.fromEntries(mortal.map((name) => [name, wrap(stores[name] as object, () => true)])),
  }
}
