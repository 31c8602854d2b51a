/**
 * Further blocks of a run's price, in the child process: asked for one by one while the run goes on.
 *
 * @module
 */
import type { Task } from '../../../plugin.ts'
import type { FromChild } from '../protocol.ts'
import { Calls } from './calls.ts'

export class Charges {
  private readonly calls = new Calls<boolean>()

  constructor(
    private readonly task: Task,
    private readonly signal: AbortSignal,
    private readonly send: (message: FromChild) => void,
  ) {}

  /**
   * See {@link import('../../../plugin.ts').Context.charge}.
   *
   * @throws TypeError when the task's price has no blocks
   * @throws what the run's signal was aborted with
   */
  async charge(block: number): Promise<boolean> {
    const { price, key } = this.task
    if (typeof price === 'number' || price.block === undefined)
      throw new TypeError(`the price of ${key} has no further blocks`)
    if (!Number.isSafeInteger(block) || block < 1) throw new TypeError(`block ${block}: they count from 1`)
    return this.calls.call(this.signal, (id) => this.send({ type: 'charge', id, block }))
  }

  receive({ id, paid }: { readonly id: number; readonly paid: boolean }): void {
    this.calls.answer(id, paid)
  }
}
