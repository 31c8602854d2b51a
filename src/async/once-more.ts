/**
 * Repeatedly requested work that runs one at a time, with requests coalesced.
 *
 * @module
 */

/**
 * @param work must not reject
 * @returns runs the work; calls during a run together cause one more run after it
 */
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
