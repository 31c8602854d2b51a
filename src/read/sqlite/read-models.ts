/**
 * The embedded read models: one SQLite file, which may be deleted at any time.
 *
 * @module
 */
import type { DatabaseSync } from 'node:sqlite'
import { nextTurn } from '../../async/delay.ts'
import { StoreUnavailable } from '../../log/event-log.ts'
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
import { Generations, prepareGenerations } from './generations.ts'
import { RowWriter } from './rows.ts'
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
  transaction(writer, () => prepareGenerations(writer, Date.now()))
  const reader = openDatabase(path, { durable: false, cacheMb: READ_CACHE_MB })
  return new SqliteReadModels(writer, reader, checkpointInBackground(path, writer))
}

/** What is prepared for one generation. */
type Prepared<T> = { readonly generation: number; readonly statements: T }

/** Reads never see a transaction that is only half written: it has a connection of its own. */
class SqliteReadModels implements ReadModels {
  private readonly seen: Generations
  private readonly generations: Generations
  private readonly tables = new Map<string, Prepared<Table>>()
  private readonly writers = new Map<string, Prepared<RowWriter>>()
  /** the last of the transactions, which take turns */
  private last: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly writer: DatabaseSync,
    private readonly reader: DatabaseSync,
    private readonly endCheckpoints: () => Promise<void>,
  ) {
    this.seen = new Generations(reader)
    this.generations = new Generations(writer)
  }

  async checkpoint(model: Model): Promise<Checkpoint | null> {
    return unlessBroken(() => this.seen.checkpoint(model))
  }

  async get<R extends Row>(model: Model<R>, key: string): Promise<R | undefined> {
    return this.read(model, (table) => table?.get(key)) as R | undefined
  }

  async getMany<R extends Row>(model: Model<R>, keys: readonly string[]): Promise<(R | undefined)[]> {
    return this.read(model, (table) => keys.map((key) => table?.get(key) as R | undefined))
  }

  async list<R extends Row>(model: Model<R>, index: string, query: ListQuery): Promise<R[]> {
    indexFields(model, index, query)
    return this.read(model, (table) => table?.list(index, query) ?? []) as R[]
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
        await write(this.writerOf(model, to.generation), rows)
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
  private read<T>(model: Model, question: (table: Table | undefined) => T): T {
    return unlessBroken(() => {
      try {
        return question(this.tableOf(model))
      } catch (error) {
        // Another process has replaced and dropped it between the look at which it is and the question.
        if (!/no such (table|index)/.test((error as Error).message)) throw error
        return question(this.tableOf(model))
      }
    })
  }

  private tableOf(model: Model): Table | undefined {
    const at = this.seen.checkpoint(model)
    if (!at) return undefined
    return prepared(this.tables, model, at.generation, () => new Table(this.reader, model, at.generation))
  }

  private writerOf(model: Model, generation: number): RowWriter {
    return prepared(this.writers, model, generation, () => new RowWriter(this.writer, model, generation))
  }
}

/** Statements of one generation for each model: those of the one before are of no use. */
function prepared<T>(
  all: Map<string, Prepared<T>>,
  { name, version, next }: Model,
  generation: number,
  prepare: () => T,
): T {
  const id = `${name} ${version}${next ? ' next' : ''}`
  const known = all.get(id)
  if (known?.generation === generation) return known.statements
  const statements = prepare()
  all.set(id, { generation, statements })
  return statements
}

/** Lets requests go on between some rows and the next. */
async function write(writer: RowWriter, rows: ReadonlyMap<string, Row | null>): Promise<void> {
  let began = performance.now()
  let count = 0
  for (const [key, row] of rows) {
    writer.put(key, row)
    if (++count % LOOK_ROWS !== 0 || performance.now() - began < TURN_MS) continue
    await nextTurn()
    began = performance.now()
  }
}

/** @throws {StoreUnavailable} instead of what the file throws; what is wrong with the question itself stays as it is */
function unlessBroken<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof TypeError) throw error
    throw new StoreUnavailable(`the read models could not be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

function transaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const value = work()
    db.exec('COMMIT')
    return value
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
