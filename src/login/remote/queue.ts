/**
 * People who wait until there is room for them: the first come are the first let in, and each hears how many are before
 * them.
 *
 * @module
 */

type Waiting = { readonly go: () => void; readonly told: (before: number) => void }

/** A slot; `release` gives it to the next one, once. */
export type Slot = { readonly release: () => void }

export class SessionQueue {
  private inside = 0
  private readonly waiting: Waiting[] = []

  /** @param room how many may be inside at once @param most how many may wait */
  constructor(
    private readonly room: number,
    private readonly most: number,
  ) {}

  /**
   * Waits for a slot.
   *
   * @param signal gives up waiting
   * @param told of how many are before, at once and whenever that changes; not of 0
   * @returns undefined when there is no room to wait in, or the signal came first
   */
  async enter(signal: AbortSignal, told: (before: number) => void): Promise<Slot | undefined> {
    if (signal.aborted) return undefined
    if (this.inside < this.room) this.inside++
    else if (this.waiting.length >= this.most || !(await this.turn(signal, told))) return undefined
    let isReleased = false
    const release = () => {
      if (isReleased) return
      isReleased = true
      this.next()
    }
    return { release }
  }

  private turn(signal: AbortSignal, told: (before: number) => void): Promise<boolean> {
    return new Promise((done) => {
      const stop = () => {
        const at = this.waiting.indexOf(waiting)
        this.waiting.splice(at, 1)
        this.tell(at)
        done(false)
      }
      const waiting: Waiting = {
        told,
        go: () => {
          signal.removeEventListener('abort', stop)
          done(true)
        },
      }
      signal.addEventListener('abort', stop, { once: true })
      this.waiting.push(waiting)
      told(this.waiting.length)
    })
  }

  /** A slot that is released goes to the next. */
  private next(): void {
    const first = this.waiting.shift()
    if (!first) {
      this.inside--
      return
    }
    first.go()
    this.tell(0)
  }

  private tell(from: number): void {
    for (const [i, { told }] of this.waiting.slice(from).entries()) told(from + i + 1)
  }
}
