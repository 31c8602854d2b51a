/**
 * Operator calls that may be repeated: each with an Idempotency-Key happens once, and its repeat is answered as the
 * first was. Hashes of key and body stand in the event that the call wrote.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { type OperationRow, operations } from '../../../projections/operations.ts'
import { KeyedMutex } from '../../async/keyed-mutex.ts'
import { canonicalJson } from '../../catalogue/input.ts'
import { StoreUnavailable } from '../../log/event-log.ts'
import type { Deps } from '../deps.ts'
import type { Call } from '../endpoint.ts'
import { idempotencyKeyOf } from '../idempotency-key.ts'
import { Problem } from '../problems.ts'

/** What goes into the event of a call: how its repeat is recognised. */
export type Operation = { readonly id: string; readonly fingerprint: string }

/** How a call is answered. */
export type Answering<T> = {
  /**
   * Does it. @returns undefined when another process did the same meanwhile: it is looked up again then
   * @param operation undefined without an Idempotency-Key
   */
  first(operation: Operation | undefined): Promise<T | undefined>
  /** Answers a repeat. */
  again(done: OperationRow): Promise<T>
}

export class Operations {
  private readonly mutex = new KeyedMutex()

  constructor(private readonly deps: Deps) {}

  /**
   * Answers a call once.
   *
   * @param name of the call: the same key for another call is another request
   * @throws {Problem} 400 for a bad key, 422 when the key belongs to another request
   * @throws {StoreUnavailable} when it can't be told in time whether it was done before
   */
  async answer<T>(call: Call, name: string, body: object, answering: Answering<T>): Promise<T> {
    const key = idempotencyKeyOf(call.request)
    if (key === undefined) return given(await answering.first(undefined))
    const operation = {
      id: hash('sha256', `operator\n${key}`),
      fingerprint: hash('sha256', `${name}\n${canonicalJson(body)}`),
    }
    return this.mutex.run(operation.id, () => this.once(operation, answering))
  }

  private async once<T>(operation: Operation, answering: Answering<T>): Promise<T> {
    const before = await this.find(operation)
    if (before) return answering.again(before)
    const answer = await answering.first(operation)
    if (answer !== undefined) return answer
    const meanwhile = await this.find(operation)
    if (!meanwhile) throw new StoreUnavailable('the operation of another process is not to be seen yet')
    return answering.again(meanwhile)
  }

  /** What the key was used for; undefined when it was not. */
  private async find({ id, fingerprint }: Operation): Promise<OperationRow | undefined> {
    const { freshness, readModels } = this.deps
    if (!(await freshness(operations))) throw new StoreUnavailable('the read models lag behind')
    const row = await readModels.get(operations, id)
    // Read models may be lost as a whole: those that were lost before they were asked are not where they stood, after.
    if (!row && !(await freshness(operations))) throw new StoreUnavailable('the read models were lost')
    if (row && row.fingerprint !== fingerprint) throw new Problem('idempotency-key-reused')
    return row
  }
}

function given<T>(answer: T | undefined): T {
  if (answer === undefined) throw new Error('a call without an Idempotency-Key has no double')
  return answer
}
