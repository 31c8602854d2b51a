/**
 * Reads generators in tests.
 *
 * @module
 */

/**
 * Reads a generator to its end.
 *
 * @returns the yielded values and the return value
 *
 * @example
 * async function* twoLamps() {
 *   yield 'desk'
 *   yield 'floor'
 *   return 'done'
 * }
 * await collect(twoLamps()) // => [['desk', 'floor'], 'done']
 */
export async function collect<T, R>(generator: AsyncGenerator<T, R, void>): Promise<[T[], R]> {
  const values: T[] = []
  const result = await drain(generator, (value) => void values.push(value))
  return [values, result]
}

/** As {@link collect}, with a function that gets each value at once. */
export async function drain<T, R>(
  generator: AsyncGenerator<T, R, void>,
  each: (value: T) => void,
): Promise<R> {
  for (;;) {
    const step = await generator.next()
    if (step.done) return step.value
    each(step.value)
  }
}
