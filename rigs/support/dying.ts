/**
 * Stores of a process that dies after a given number of writes: from then on no call succeeds.
 *
 * @module
 */
import type { Stores } from '../../src/stores.ts'

/** The error of all calls of a dead process. */
export class Died extends Error {
  override readonly name = 'Died'
}

/** The number of writes left. The last write is done, but its answer is lost and the process dies. */
export type Life = { writes: number; readonly onDeath?: () => void }

/** Stores that allow `life.writes` more writes; reading the log still works. @param writes names of writing methods */
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
