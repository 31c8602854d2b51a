/**
 * Work that is asked for again and again, and is done one at a time.
 *
 * @module
 */

/** @returns does the work, and once more after it when it was asked for meanwhile. @param work never rejects */
export function onceMore(work: () => Promise<void>): () => void {
  let isAtWork = false
  let isAsked = false
  return async () => {
    isAsked = true
    if (isAtWork) return
    isAtWork = true
    while (isAsked) {
      isAsked = false
      await work()
    }
    isAtWork = false
  }
}
