/**
 * The time that an exchange may take: it runs while a request is under way, and not while one waits for its turn.
 *
 * @module
 */

export class Deadline {
  private readonly controller = new AbortController()
  private timer: ReturnType<typeof setTimeout> | undefined
  private leftMs: number
  private since = 0

  constructor(readonly seconds: number) {
    this.leftMs = seconds * 1000
  }

  /** Aborts when the time is up. */
  get signal(): AbortSignal {
    return this.controller.signal
  }

  run(): void {
    this.hold()
    this.since = performance.now()
    this.timer = setTimeout(() => this.controller.abort(), this.leftMs)
  }

  hold(): void {
    if (this.timer === undefined) return
    clearTimeout(this.timer)
    this.timer = undefined
    this.leftMs = Math.max(0, this.leftMs - (performance.now() - this.since))
  }
}
