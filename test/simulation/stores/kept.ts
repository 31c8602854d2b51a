/**
 * Values as a store keeps them: nobody who gave or got one can change it by changing theirs.
 *
 * @module
 */

/** A value as JSON, and once more as it is looked at. */
export type Kept<T> = { readonly text: string; readonly value: T }

/** Takes over a value, as far as JSON can say it. Many are never looked at, and read when they first are. */
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

/** A value of the caller's own. */
export const copyOf = <T>({ text }: Kept<T>): T => JSON.parse(text) as T

/** Freezes plain JSON, all the way down. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}
