/**
 * The embedded read models: one SQLite file, which may be deleted at any time.
 *
 * @module
 */
import type { DatabaseSync } from 'node:sqlite'
import { clock } from '../../async/clock.ts'
import { nextTurn } from '../../async/delay.ts'
import { orUnavailable } from '../../log/away.ts'
import { checkpointInBackground } from '../../sqlite/checkpoints.ts'
import { openDatabase } from '../../sqlite/open.ts'
import {
  type Changes,
  type Checkpoint,
  indexFields,
  isSame,
  type ListQuery,
  type Model,
  nextOf,
  type ReadModels,
  type Row,
} from '../read-models.ts'
import { GenerationTable, prepareGenerations } from './generation-table.ts'
import { indexName, Table, tableName } from './table.ts'

/** A busy service's commit touches a few hundred pages in many indexes: they stay in memory between commits. In MiB. */
const WRITE_CACHE_MB = 16
const READ_CACHE_MB = 4
/** How long rows are written in one turn of the event loop, in milliseconds. */
const TURN_MS = 1
/** Rows between two looks at the clock. */
const LOOK_ROWS = 16

/**
 * Opens or creates the read models in a file.
 *
 * @param path a file. It holds nothing that can't be made again from the log
 */
export function openSqliteReadModels(path: string): ReadModels {
  const writer = openDatabase(path, { durable: false, cacheMb: WRITE_CACHE_MB })
  prepareGenerations(writer, clock.now())
  const reader = openDatabase(path, { durable: false, cacheMb: READ_CACHE_MB })
  return new SqliteReadModels(writer, reader, checkpointInBackground(path, writer))
}

/** Reads never see a transaction that is only half written: it has a connection of its own. */
class SqliteReadModels implements ReadModels {
  private readonly seen: GenerationTable
  private readonly generations: GenerationTable
  /** by model, for each connection: those of the generation before are of no use */
  private readonly read = new Map<string, Table>()
  private readonly written = new Map<string, Table>()
  /** the last of the transactions, which take turns */
  private last: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly writer: DatabaseSync,
    private readonly reader: DatabaseSync,
    private readonly endCheckpoints: () => Promise<void>,
  ) {
    this.seen = new GenerationTable(reader)
    this.generations = new GenerationTable(writer)
  }

  async checkpoint(model: Model): Promise<Checkpoint | null> {
    return unlessBroken(() => this.seen.checkpoint(model))
  }

  async get<R extends Row>(model: Model<R>, key: string): Promise<R | undefined> {
    return this.ask(model, (table) => table?.get(key)) as R | undefined
  }

  async getMany<R extends Row>(model: Model<R>, keys: readonly string[]): Promise<(R | undefined)[]> {
    return this.ask(model, (table) => keys.map((key) => table?.get(key) as R | undefined))
  }

  async list<R extends Row>(model: Model<R>, index: string, query: ListQuery): Promise<R[]> {
    indexFields(model, index, query)
    return this.ask(model, (table) => table?.list(index, query) ?? []) as R[]
  }

  begin(model: Model, logId: string, anew = false): Promise<Checkpoint> {
    return this.exclusive(() => {
      const next = this.generations.checkpoint(nextOf(model))
      if (next && !anew && next.logId === logId) return next
      if (next) {
        this.generations.remove(next)
        this.writer.exec(`DROP TABLE ${tableName(model, next.generation)}`)
      }
      return this.generations.create(model, logId)
    })
  }

  commit(changes: readonly Changes[]): Promise<boolean> {
    return this.exclusive(async () => {
      if (!changes.every(({ model, from }) => isSame(this.generations.checkpoint(model), from))) return false
      for (const { model, to, rows } of changes) {
        await write(tableOf(this.written, this.writer, model, to.generation), rows)
        this.generations.move(to)
      }
      return true
    })
  }

  async publish(model: Model, anyway = false): Promise<boolean> {
    const replaced = await this.exclusive(() => {
      const [from, to] = [model, nextOf(model)].map((one) => this.generations.checkpoint(one))
      if (!to) return undefined
      if (from && !anyway && from.logId === to.logId && from.position > to.position) return 'behind'
      if (from) this.generations.remove(from)
      this.generations.makeCurrent(to)
      return from
    })
    if (replaced === 'behind') return false
    if (replaced) await this.drop(model, replaced.generation)
    return true
  }

  async close(): Promise<void> {
    await this.last
    await this.endCheckpoints()
    this.reader.close()
    this.writer.close()
  }

  /** Drops rows that were replaced, piece by piece: a large table at once would hold up every commit. */
  private async drop(model: Model, generation: number): Promise<void> {
    for (const index of Object.keys(model.indexes))
      await this.exclusive(() => this.writer.exec(`DROP INDEX ${indexName(model, generation, index)}`))
    await this.exclusive(() => this.writer.exec(`DROP TABLE ${tableName(model, generation)}`))
  }

  /**
   * Does something in a transaction, after all that was asked for before. What needs no turn of the event loop is done in
   * one: another connection of this process must not wait for the lock meanwhile.
   */
  private exclusive<T>(work: () => T | Promise<T>): Promise<T> {
    const done = this.last.then(async () => {
      this.writer.exec('BEGIN IMMEDIATE')
      try {
        const done = work()
        const value = done instanceof Promise ? await done : done
        this.writer.exec('COMMIT')
        return value
      } catch (error) {
        if (this.writer.isTransaction) this.writer.exec('ROLLBACK')
        throw error
      }
    })
    this.last = done.catch(() => {})
    return done
  }

  /** Asks the current generation; `question` is asked without a table where there is none. */
  private ask<T>(model: Model, question: (table: Table | undefined) => T): T {
    const current = () => {
      const at = this.seen.checkpoint(model)
      return at ? tableOf(this.read, this.reader, model, at.generation) : undefined
    }
    return unlessBroken(() => {
      try {
        return question(current())
      } catch (error) {
        // Another process has replaced and dropped it between the look at which it is and the question.
        if (!/no such (table|index)/.test((error as Error).message)) throw error
        return question(current())
      }
    })
  }
}

function tableOf(tables: Map<string, Table>, db: DatabaseSync, model: Model, generation: number): Table {
  const id = `${model.name} ${model.version}${model.next ? ' next' : ''}`
  let table = tables.get(id)
  if (table?.generation !== generation) {
    table = new Table(db, model, generation)
    tables.set(id, table)
  }
  return table
}

/** Lets requests go on between some rows and the next. */
async function write(table: Table, rows: ReadonlyMap<string, Row | null>): Promise<void> {
  let began = clock.monotonic()
  let count = 0
  for (const [key, row] of rows) {
    table.put(key, row)
    if (++count % LOOK_ROWS !== 0 || clock.monotonic() - began < TURN_MS) continue
    await nextTurn()
    began = clock.monotonic()
  }
}

const unlessBroken = <T>(read: () => T): T => orUnavailable('the read models could not be read', read)
