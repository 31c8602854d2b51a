/**
 * The read models in Redis, which may be emptied at any time.
 *
 * A version of a model has three keys: its rows, a hash of JSON texts; their places in lists, one sorted set
 * (redis-lists.ts); and which places each row has. Where all versions of a name stand is one hash. All of them carry the
 * name as hash tag, so that one script changes them together, also in a cluster. What a version's lists are is part of
 * its keys: another shape under the same version begins anew.
 *
 * @module
 */
import type { Position } from '../../log/event-log.ts'
import type { RedisConnection } from '../../redis/connection.ts'
import {
  builtOn,
  type Changes,
  draftOf,
  type ListQuery,
  type Model,
  type ProjectedTo,
  type ReadModels,
  type Row,
} from '../read-models.ts'
import { keysOf, type Place, placeOf } from './keys.ts'
import { entriesOf, rangeOf } from './lists.ts'
import { commitRows, forgetRows, listRows, replaceRows } from './scripts.ts'
import { sweep } from './sweep.ts'

/** How often it is looked for versions that nobody uses any more, in milliseconds. */
const SWEEP_MS = 3_600_000

/** Opens the read models behind a connection, which stays its owner's to close. */
export const openRedisReadModels = (redis: RedisConnection): ReadModels => new RedisReadModels(redis)

class RedisReadModels implements ReadModels {
  private readonly places = new WeakMap<Model, Place>()
  /** when versions beside a model's were last looked for, by its name */
  private readonly swept = new Map<string, number>()

  constructor(private readonly redis: RedisConnection) {}

  async position(model: Model): Promise<ProjectedTo | null> {
    const { standing, field } = this.place(model)
    return stoodAt(await this.redis.ask((redis) => redis.hget(standing, field)))
  }

  async get<R extends Row>(model: Model<R>, key: string): Promise<R | undefined> {
    const { rows } = this.place(model)
    return parsed(await this.redis.ask((redis) => redis.hget(rows, key)))
  }

  async getMany<R extends Row>(model: Model<R>, keys: readonly string[]): Promise<(R | undefined)[]> {
    if (keys.length === 0) return []
    const { rows } = this.place(model)
    const found = await this.redis.ask((redis) => redis.hmget(rows, keys))
    return found.map((text) => parsed<R>(text))
  }

  async list<R extends Row>(model: Model<R>, index: string, query: ListQuery): Promise<R[]> {
    const { rows, lists } = this.place(model)
    const { before, from, to } = rangeOf(model, index, query)
    const args = [rows, lists, before, from, to, query.limit, query.order]
    const found = await this.redis.ask((redis) => redis.run(listRows, args))
    return (found as string[]).map((text) => JSON.parse(text) as R)
  }

  async commit(changes: readonly Changes[]): Promise<boolean> {
    const written = await Promise.all(changes.map((change) => this.commitOne(change)))
    return written.every(Boolean)
  }

  async reset(model: Model): Promise<void> {
    const place = this.place(model)
    await this.redis.write((redis) => redis.run(forgetRows, [...keysOf(place), place.field, '']))
  }

  async replace(model: Model): Promise<boolean> {
    const place = this.place(model)
    const draft = this.place(draftOf(model))
    const args = [...keysOf(place), draft.rows, draft.entries, draft.lists, place.field, draft.field]
    return (await this.redis.write((redis) => redis.run(replaceRows, args))) === 1
  }

  async close(): Promise<void> {}

  private async commitOne({ model, from, to, rows }: Changes): Promise<boolean> {
    const place = this.place(model)
    const args = [...keysOf(place), place.field, from ? stands(from) : '', stands(builtOn(from, to))]
    for (const [key, row] of rows) {
      if (row === null) args.push(key, '', '')
      else args.push(key, JSON.stringify(row), entriesOf(model, row))
    }
    if ((await this.redis.write((redis) => redis.run(commitRows, args))) !== 1) return false
    await this.sweepNowAndThen(model)
    return true
  }

  /** By who writes what is read: beside a draft nothing is left over. */
  private async sweepNowAndThen(model: Model): Promise<void> {
    const now = performance.now()
    const isDue = now - (this.swept.get(model.name) ?? Number.NEGATIVE_INFINITY) > SWEEP_MS
    if (model.draft || !isDue) return
    this.swept.set(model.name, now)
    await sweep(this.redis, model)
  }

  private place(model: Model): Place {
    const known = this.places.get(model)
    if (known) return known
    const place = placeOf(model)
    this.places.set(model, place)
    return place
  }
}

/** As it is compared: text, because Redis counts in floating point. */
const stands = ({ logId, position, build = 0 }: ProjectedTo): string => `${logId} ${position} ${build}`

function stoodAt(text: string | null): ProjectedTo | null {
  if (text === null) return null
  const [logId = '', position, build] = text.split(' ')
  const at = { logId, position: Number(position) as Position }
  return build === '0' ? at : { ...at, build: Number(build) }
}

const parsed = <R extends Row>(text: string | null): R | undefined =>
  text === null ? undefined : (JSON.parse(text) as R)
