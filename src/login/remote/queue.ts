/**
 * People who wait until there is room for them: the first come are the first let in, and each hears how many are before
 * them.
 *
 * @module
 */

type Person = {
  readonly letIn: (isIn: boolean) => void
  readonly told: (before: number) => void
  before: number
}

export class SessionQueue {
  /** those who are inside, and behind them those who wait */
  private readonly people: Person[] = []

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
   * @returns gives the slot to the next one; undefined when there is no room to wait in, or the signal came first
   */
  async enter(signal: AbortSignal, told: (before: number) => void): Promise<(() => void) | undefined> {
    if (signal.aborted || this.people.length >= this.room + this.most) return undefined
    const { promise, resolve: letIn } = Promise.withResolvers<boolean>()
    const person: Person = { letIn, told, before: 0 }
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
      else if (before !== person.before) person.told(before)
      person.before = before
    }
  }
}
