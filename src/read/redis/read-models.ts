/**
 * The read models in Redis, which may be emptied at any time.
 *
 * A generation has three keys: a hash of its rows as JSON, one sorted set with the entries of all lists (lists.ts), and
 * a hash of each row's entries. The checkpoints of all generations of a name are one hash. All these keys carry the
 * name as hash tag, so that one script can change them together, also in a cluster.
 *
 * @module
 */
import { clock } from '../../async/clock.ts'
import type { Position } from '../../log/event-log.ts'
import { random } from '../../random.ts'
import type { RedisConnection } from '../../redis/connection.ts'
import {
  type Changes,
  type Checkpoint,
  type ListQuery,
  type Model,
  nextOf,
  type ReadModels,
  type Row,
} from '../read-models.ts'
import { CommitRequests } from './commit-requests.ts'
import { generationKeys } from './keys.ts'
import { entriesOf, rangeOf } from './lists.ts'
import { beginGeneration, commitRows, countRows, listRows, publishGeneration } from './scripts.ts'
import { sweep } from './sweep.ts'

/** Interval of sweeps for unused generations, in milliseconds. */
const SWEEP_MS = 3_600_000

/** The read models on a connection, which the caller must close. */
export class RedisReadModels implements ReadModels {
  /** the time of the last sweep, by model name */
  private readonly swept = new Map<string, number>()

  private readonly requests: CommitRequests

  constructor(private readonly redis: RedisConnection) {
    this.requests = new CommitRequests(redis)
  }

  async checkpoint(model: Model): Promise<Checkpoint | null> {
    const { checkpoints, field } = generationKeys(model)
    const text = await this.redis.ask((redis) => redis.hget(checkpoints, field))
    return text === null ? null : parsedCheckpoint(text)
  }

  async get<R extends Row>(model: Model<R>, key: string): Promise<R | undefined> {
    const { rows } = generationKeys(model)
    return parsed(await this.redis.ask((redis) => redis.hget(rows, key)))
  }

  async getMany<R extends Row>(model: Model<R>, keys: readonly string[]): Promise<(R | undefined)[]> {
    if (keys.length === 0) return []
    const { rows } = generationKeys(model)
    const bodies = await this.redis.ask((redis) => redis.hmget(rows, keys))
    return bodies.map((text) => parsed<R>(text))
  }

  async list<R extends Row>(model: Model<R>, index: string, query: ListQuery): Promise<R[]> {
    const { rows, lists } = generationKeys(model)
    const { before, from, to } = rangeOf(model, index, query)
    const args = [rows, lists, before, from, to, query.limit, query.order]
    const page = await this.redis.ask((redis) => redis.run(listRows, args))
    return (page as string[]).map((text) => JSON.parse(text) as R)
  }

  async count(model: Model, index: string, query: ListQuery): Promise<number> {
    const { lists } = generationKeys(model)
    const { from, to } = rangeOf(model, index, query)
    const counted = await this.redis.ask((redis) => redis.run(countRows, [lists, from, to]))
    return Math.min(query.limit, Number(counted))
  }

  async begin(model: Model, logId: string, anew = false): Promise<Checkpoint> {
    const next = generationKeys(nextOf(model))
    // Random: a counter in Redis would be lost together with the rows, and its numbers would be reused.
    const generation = 1 + Math.floor(random() * 2 ** 31)
    const args = [...next.all, next.field, logId, generation, anew ? 'anew' : '']
    const begun = await this.redis.write((redis) => redis.run(beginGeneration, args))
    return parsedCheckpoint(begun as string)
  }

  async commit(changes: readonly Changes[], before?: Promise<boolean>): Promise<boolean> {
    if (before && !(await before)) return false
    const written = await Promise.all(changes.map((change) => this.commitOne(change)))
    return written.every(Boolean)
  }

  async publish(model: Model, anyway = false): Promise<boolean> {
    const current = generationKeys(model)
    const next = generationKeys(nextOf(model))
    const fields = [current.field, next.field, anyway ? 'anyway' : '']
    const args = [...current.all, next.rows, next.entries, next.lists, ...fields]
    return (await this.redis.write((redis) => redis.run(publishGeneration, args))) === 1
  }

  requestCommit(): void {
    this.requests.send()
  }

  onCommitRequest(listener: () => void): () => void {
    return this.requests.listen(listener)
  }

  async close(): Promise<void> {}

  private async commitOne({ model, from, to, rows }: Changes): Promise<boolean> {
    const keys = generationKeys(model)
    const args = [...keys.all, keys.field, text(from), text(to)]
    for (const [key, row] of rows) {
      if (row === null) args.push(key, '', '')
      else args.push(key, JSON.stringify(row), entriesOf(model, row))
    }
    if ((await this.redis.write((redis) => redis.run(commitRows, args))) !== 1) return false
    await this.sweepNowAndThen(model)
    return true
  }

  /** Sweeps if the interval has passed. Only done after commits to a current generation. */
  private async sweepNowAndThen(model: Model): Promise<void> {
    const now = clock.monotonic()
    const isDue = now - (this.swept.get(model.name) ?? Number.NEGATIVE_INFINITY) > SWEEP_MS
    if (model.next || !isDue) return
    this.swept.set(model.name, now)
    await sweep(this.redis, model)
  }
}

/** A checkpoint as text, in which form it is compared, because numbers in Lua are floating-point. */
const text = ({ logId, position, generation }: Checkpoint): string => `${logId} ${position} ${generation}`

function parsedCheckpoint(text: string): Checkpoint {
  const [logId = '', position, generation] = text.split(' ')
  return { logId, position: Number(position) as Position, generation: Number(generation) }
}

const parsed = <R extends Row>(text: string | null): R | undefined =>
  text === null ? undefined : (JSON.parse(text) as R)
