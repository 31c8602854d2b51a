/**
 * A FIFO queue of people who wait for a slot. Each is told how many people are ahead.
 *
 * @module
 */

type Person = {
  readonly letIn: (isIn: boolean) => void
  readonly onMove: (before: number) => void
  before: number
}

export class SessionQueue {
  /** the people who hold a slot, followed by the waiting ones */
  private readonly people: Person[] = []

  /** @param room number of slots @param most how many people may wait */
  constructor(
    private readonly room: number,
    private readonly most: number,
  ) {}

  /**
   * Waits for a slot.
   *
   * @param signal cancels waiting
   * @param onMove called with the number of people ahead, at once and whenever it changes, but not with 0
   * @returns a function that releases the slot; undefined if the queue is full or the signal aborted first
   */
  async enter(signal: AbortSignal, onMove: (before: number) => void): Promise<(() => void) | undefined> {
    if (signal.aborted || this.people.length >= this.room + this.most) return undefined
    const { promise, resolve: letIn } = Promise.withResolvers<boolean>()
    const person: Person = { letIn, onMove, before: 0 }
    const leave = () => {
      const at = this.people.indexOf(person)
      if (at >= 0) this.people.splice(at, 1)
      letIn(false)
      this.moveUp()
    }
    signal.addEventListener('abort', leave, { once: true })
    this.people.push(person)
    this.moveUp()
    const isIn = await promise
    signal.removeEventListener('abort', leave)
    return isIn ? leave : undefined
  }

  private moveUp(): void {
    for (const [at, person] of this.people.entries()) {
      const before = Math.max(0, at + 1 - this.room)
      if (before === 0) person.letIn(true)
      else if (before !== person.before) person.onMove(before)
      person.before = before
    }
  }
}
