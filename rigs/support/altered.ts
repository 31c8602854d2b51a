/**
 * Stores with some methods replaced.
 *
 * @module
 */

/** A store whose methods are replaced by those of `other`; all other calls go to `store`. */
export const altered = <T extends object>(
  store: T,
  other: { readonly [Name in keyof T]?: T[Name] | undefined },
): T =>
  new Proxy(store, {
    get(target, name) {
      if (Object.hasOwn(other, name)) return Reflect.get(other, name)
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
