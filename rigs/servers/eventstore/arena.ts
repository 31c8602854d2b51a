/**
 * Storage for framed events: one behind the other in large blocks, so that consecutive events are sent with one write
 * and without a copy.
 *
 * @module
 */

const BLOCK_BYTES = 1024 * 1024

/** A place in an arena. */
export type Slice = { readonly block: Buffer; readonly start: number; readonly end: number }

/** @returns a function that stores a copy of bytes and returns its place */
export function createArena(): (bytes: Buffer) => Slice {
  let block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
  let used = 0
  return (bytes) => {
    if (used + bytes.length > block.length) {
      block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, bytes.length))
      used = 0
    }
    const start = used
    used += bytes.copy(block, start)
    return { block, start, end: used }
  }
}

/** The bytes of several slices, in order. Adjacent slices are joined to one buffer. */
export function* joined(slices: Iterable<Slice>): Generator<Buffer> {
  let run: Slice | undefined
  for (const slice of slices) {
    if (run && run.block === slice.block && run.end === slice.start) {
      run = { block: run.block, start: run.start, end: slice.end }
      continue
    }
    if (run) yield run.block.subarray(run.start, run.end)
    run = slice
  }
  if (run) yield run.block.subarray(run.start, run.end)
}
