/**
 * Why a page can't go on: it crashed, was closed, or was led to where it may not go.
 *
 * @module
 */

/** Holds the first reason; whatever waits for the page is told at once. */
export class Fate {
  private reason: { readonly error: unknown } | undefined
  private readonly over = Promise.withResolvers<never>()

  constructor() {
    // Nobody may be waiting when it comes.
    this.over.promise.catch(() => {})
  }

  get isSealed(): boolean {
    return this.reason !== undefined
  }

  /** Only the first reason counts. */
  seal(error: unknown): void {
    if (this.reason) return
    this.reason = { error }
    this.over.reject(error)
  }

  /** @throws the reason, when there is one */
  check(): void {
    if (this.reason) throw this.reason.error
  }

  /** The work's outcome, or the reason as soon as there is one; it goes before what it did to the work. */
  async race<T>(work: Promise<T>): Promise<T> {
    this.check()
    try {
      return await Promise.race([this.over.promise, work])
    } catch (error) {
      this.check()
      throw error
    }
  }
}
