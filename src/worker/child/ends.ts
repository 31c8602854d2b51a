/**
 * Ends of runs on their way to the service. While more short runs wait, some are told together.
 *
 * @module
 */
import type { FromChild, RunEnd } from '../protocol.ts'

/** No end waits longer than that, in milliseconds, unless what runs after it holds up the process. */
const FLUSH_MS = 3
const FLUSH_ENDS = 16

export class Ends {
  private ends: RunEnd[] = []
  private timer: ReturnType<typeof setTimeout> | undefined

  /** @param post resolves when the message is written */
  constructor(private readonly post: (message: FromChild) => Promise<void>) {}

  /** @returns a promise to be waited for before the next run begins */
  add(end: RunEnd): Promise<void> | undefined {
    this.ends.push(end)
    if (this.ends.length >= FLUSH_ENDS) return this.flush()
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS)
    return undefined
  }

  /** Tells what has gathered. */
  flush(): Promise<void> | undefined {
    if (this.ends.length === 0) return undefined
    clearTimeout(this.timer)
    this.timer = undefined
    const { ends } = this
    this.ends = []
    return this.post({ type: 'ends', ends })
  }
}
