/**
 * Idempotency-Key: what a valid one is, and calls that take effect once for each of them. Runs have their own admission
 * (src/runs/admit.ts).
 *
 * @module
 */
import { createHmac, hash } from 'node:crypto'
import { type OperationRow, operations } from '../../projections/operations.ts'
import { KeyedMutex } from '../async/keyed-mutex.ts'
import { canonicalJson } from '../catalogue/input.ts'
import type { Operation } from '../domain/event-type.ts'
import { StoreUnavailable } from '../log/event-log.ts'
import type { ReadModels } from '../read/read-models.ts'
import { requireProjected, type WaitUntilProjected } from '../read/wait-until-projected.ts'
import type { Call } from './endpoint.ts'
import { Problem } from './problems.ts'

/** What a generator of requests writes where a value is to be filled in: `<string>`, `{{key}}`. */
const PLACEHOLDER = /^(<.*>|\{\{.*\}\})$/

/**
 * The default that the OpenAPI document declares: a new key for each request, which is what a request without the header
 * gets. Programs that make requests from the document replace it by a new UUID each time; others send it as it is.
 */
export const DEFAULT_KEY = '{{$guid}}'

/** Why a text is no Idempotency-Key, as a phrase that follows the field's name; undefined when it is one. */
export function idempotencyKeyIssue(text: string): string | undefined {
  if (!/^[\x20-\x7e]{1,255}$/.test(text)) return 'must have 1 to 255 printable ASCII characters'
  if (PLACEHOLDER.test(text))
    return `must not be the placeholder ${text}: send a new value with each new request, for example a UUID, or none`
  return undefined
}

/**
 * The Idempotency-Key of a request; undefined without one, and for {@link DEFAULT_KEY}.
 *
 * @throws {Problem} 400 for an invalid one, and for two of them
 */
export function idempotencyKeyOf(headers: Headers): string | undefined {
  const key = headers.get('idempotency-key')
  if (key === null || key === DEFAULT_KEY) return undefined
  // Several headers arrive as one, joined like this.
  const issue = key.includes(', ')
    ? 'must be one header, and its value must not contain a comma followed by a space'
    : idempotencyKeyIssue(key)
  if (issue !== undefined) throw new Problem('bad-idempotency-key', { detail: `Idempotency-Key ${issue}.` })
  return key
}

/** What identifies an operation, together with its name. */
type Keyed = { readonly idempotencyKey: string; readonly owner: string; readonly input: object }

/** The two ways to answer a call. */
type Answering<T, Key = Operation | undefined> = {
  /**
   * Executes the call. @returns undefined if another process did the same concurrently; its event is then looked up
   * @param operation undefined without an Idempotency-Key
   */
  first(operation: Key): Promise<T | undefined>
  /** Answers a repeat. */
  again(done: OperationRow): Promise<T>
}

/**
 * Executes calls at most once for each Idempotency-Key. A key belongs to its account, or to the operator. The event of a
 * call holds hashes of the key and the body, from which a read model is made.
 */
export class Once {
  /** Calls with the same key run one at a time in this process. */
  private readonly mutex = new KeyedMutex()

  constructor(
    private readonly options: {
      readonly readModels: ReadModels
      readonly waitUntilProjected: WaitUntilProjected
    },
  ) {}

  /**
   * @param name of the call, part of the fingerprint: the same key with another call is another request
   * @throws {Problem} 400 for an invalid key, 422 if the key belongs to another request
   * @throws {StoreUnavailable} if it cannot be determined in time whether the call was made before
   */
  async call<T>(
    { idempotencyKey, principal, input }: Pick<Call, 'idempotencyKey' | 'principal' | 'input'>,
    name: string,
    answering: Answering<T>,
  ): Promise<T> {
    // Without a key the call has no repeat.
    if (idempotencyKey === undefined) return (await answering.first(undefined))!
    const owner = principal.kind === 'key' ? principal.accountId : principal.kind
    return this.keyed({ idempotencyKey, owner, input }, name, answering)
  }

  /**
   * As {@link call}, for what is no call of the API: a form of the console.
   *
   * @param keyed `owner`: the account, or `operator`
   */
  async keyed<T>(
    { idempotencyKey, owner, input }: Keyed,
    name: string,
    { first, again }: Answering<T, Operation>,
  ): Promise<T> {
    const operation = {
      id: hash('sha256', `${owner}\n${idempotencyKey}`),
      // Keyed, so that a reader of the event can't try out values of the body.
      fingerprint: createHmac('sha256', idempotencyKey)
        .update(`${name}\n${canonicalJson(input)}`)
        .digest('hex'),
    }
    return this.mutex.run(operation.id, async () => {
      const before = await this.find(operation)
      const result = before ? undefined : await first(operation)
      if (result !== undefined) return result
      const done = before ?? (await this.find(operation))
      if (!done) throw new StoreUnavailable('the same call, made by another process, is not visible yet')
      return again(done)
    })
  }

  /** The call that an Idempotency-Key was used for; undefined if it is unused. @param id of an operation */
  async row(id: string): Promise<OperationRow | undefined> {
    await requireProjected(this.options, operations)
    const row = await this.options.readModels.get(operations, id)
    // Read models may be lost as a whole. If they were lost before this read, they lag behind now.
    if (!row) await requireProjected(this.options, operations)
    return row
  }

  /** @throws {Problem} 422 if the key belongs to another request */
  private async find({ id, fingerprint }: Operation): Promise<OperationRow | undefined> {
    const row = await this.row(id)
    if (row && row.fingerprint !== fingerprint) throw new Problem('idempotency-key-reused')
    return row
  }
}
