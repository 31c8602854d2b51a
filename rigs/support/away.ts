/**
 * Stores that can become unavailable while a test runs.
 *
 * @module
 */
import { StoreUnavailable } from '../../src/log/event-log.ts'

/** A store whose asynchronous calls fail with StoreUnavailable while `isAway()`. */
export const leaving = <T extends object>(store: T, isAway: () => boolean): T =>
  new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        const fails = isAway() && name !== 'close' && name !== 'used'
        return fails ? Promise.reject(new StoreUnavailable('gone')) : value.apply(target, args)
      }
    },
  })
