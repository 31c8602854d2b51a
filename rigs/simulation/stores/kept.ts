/**
 * Values as a store keeps them: callers cannot change a stored value by changing their own copy.
 *
 * @module
 */

/** A value as JSON, and parsed once it is read. */
export type Kept<T> = { readonly text: string; readonly value: T }

/** Stores a value as JSON. It is parsed at its first read, because many values are never read. */
export function keep<T>(value: T): Kept<T> {
  const text = JSON.stringify(value)
  let read: { readonly value: T } | undefined
  return {
    text,
    get value() {
      read ??= { value: frozen(JSON.parse(text) as T) }
      return read.value
    },
  }
}

/** A copy for the caller. */
export const copyOf = <T>({ text }: Kept<T>): T => JSON.parse(text) as T

/** Freezes plain JSON, all the way down. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}
