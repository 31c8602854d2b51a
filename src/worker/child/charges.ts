/**
 * Further blocks of a run's price, in the child process: asked for one by one while the run goes on.
 *
 * @module
 */
import type { Task } from '../../plugin.ts'
import type { FromChild } from '../protocol.ts'

export class Charges {
  private readonly waiting = new Map<number, (paid: boolean) => void>()
  private last = 0

  constructor(
    private readonly task: Task,
    private readonly send: (message: FromChild) => void,
  ) {}

  /** See {@link import('../../plugin.ts').Context.charge}. @throws TypeError when the task's price has no blocks */
  charge(block: number): Promise<boolean> {
    const { price, key } = this.task
    if (typeof price === 'number' || price.block === undefined)
      throw new TypeError(`the price of ${key} has no further blocks`)
    if (!Number.isSafeInteger(block) || block < 1) throw new TypeError(`block ${block}: they count from 1`)
    return new Promise((go) => {
      const id = ++this.last
      this.waiting.set(id, go)
      this.send({ type: 'charge', id, block })
    })
  }

  receive({ id, paid }: { readonly id: number; readonly paid: boolean }): void {
    this.waiting.get(id)?.(paid)
    this.waiting.delete(id)
  }
}
