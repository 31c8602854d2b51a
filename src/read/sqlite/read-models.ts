/**
 * The embedded read models: one SQLite file, which may be deleted at any time.
 *
 * A model's version has a table of its own, so that a new version fills beside the old one. The old table goes when
 * the file is next opened after the new one has passed it.
 *
 * @module
 */
import type { DatabaseSync } from 'node:sqlite'
import { nextTurn } from '../../async/delay.ts'
import { StoreUnavailable } from '../../log/event-log.ts'
import { openDatabase } from '../../sqlite/open.ts'
import {
  builtOn,
  type Changes,
  draftOf,
  isSame,
  type ListQuery,
  type Model,
  type ProjectedTo,
  type ReadModels,
  type Row,
} from '../read-models.ts'
import { Models, oldName, prepareModels } from './generations.ts'
import { RowWriter } from './rows.ts'
import { indexName, nameOf, Table, type Twin } from './table.ts'

/** A busy service's commit touches a few hundred pages in many indexes: they stay in memory between commits. In MiB. */
const WRITE_CACHE_MB = 16
const READ_CACHE_MB = 4
/** Pages of the write-ahead log after which they go into the file: more at once hold up requests for longer. */
const CHECKPOINT_PAGES = 250
/** How long rows are written in one turn of the event loop, in milliseconds. */
const TURN_MS = 3
/** Rows between two looks at the clock. */
const LOOK_ROWS = 16

/**
 * Opens or creates the read models in a file.
 *
 * @param path a file. It holds nothing that can't be made again from the log
 */
export function openSqliteReadModels(path: string): ReadModels {
  const writer = openDatabase(path, { durable: false, cacheMb: WRITE_CACHE_MB })
  writer.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  transaction(writer, () => prepareModels(writer, Date.now()))
  return new SqliteReadModels(writer, openDatabase(path, { durable: false, cacheMb: READ_CACHE_MB }))
}

type Open = { readonly table: Table; readonly rows: RowWriter }

/** Reads never see a transaction that is only half written: it has a connection of its own. */
class SqliteReadModels implements ReadModels {
  private readonly opened = new Map<string, Open>()
  private readonly seen: Models
  private readonly models: Models
  /** the last of the transactions, which take turns */
  private last: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly writer: DatabaseSync,
    private readonly reader: DatabaseSync,
  ) {
    this.seen = new Models(reader)
    this.models = new Models(writer)
  }

  async position(model: Model): Promise<ProjectedTo | null> {
    await this.open(model)
    return reading(() => this.seen.at(model))
  }

  async get<R extends Row>(model: Model<R>, key: string): Promise<R | undefined> {
    const { table } = await this.open(model)
    return reading(() => table.get(key)) as R | undefined
  }

  async getMany<R extends Row>(model: Model<R>, keys: readonly string[]): Promise<(R | undefined)[]> {
    const { table } = await this.open(model)
    return reading(() => keys.map((key) => table.get(key) as R | undefined))
  }

  async list<R extends Row>(model: Model<R>, index: string, query: ListQuery): Promise<R[]> {
    const { table } = await this.open(model)
    try {
      return reading(() => table.list(index, query)) as R[]
    } catch (error) {
      // Another process has replaced the rows: the indexes have other names.
      if (!/no such index/.test((error as Error).message)) throw error
      this.opened.delete(idOf(model))
      const { table } = await this.open(model)
      return reading(() => table.list(index, query)) as R[]
    }
  }

  async commit(changes: readonly Changes[]): Promise<boolean> {
    const opened = await Promise.all(changes.map(({ model }) => this.open(model)))
    return this.exclusive(async () => {
      if (!changes.every(({ model, from }) => isSame(this.models.at(model), from))) return false
      for (const [i, { model, from, to, rows }] of changes.entries()) {
        const open = opened[i] as Open
        await write(open.rows, rows)
        // Its table went when another process opened the file: it is made anew at the next try.
        if (!this.models.move(model, builtOn(from, to))) {
          this.opened.delete(idOf(model))
          throw new Error(`the read model ${idOf(model)} was dropped`)
        }
      }
      return true
    })
  }

  async reset(model: Model): Promise<void> {
    await this.exclusive(async () => this.models.create(model))
    this.opened.delete(idOf(model))
  }

  async replace(model: Model): Promise<boolean> {
    const draft = draftOf(model)
    await this.open(model)
    const replaced = await this.exclusive(async (): Promise<Twin | undefined> => {
      const [from, to] = [this.models.at(model), this.models.at(draft)]
      if (!to || (from && from.logId === to.logId && from.position > to.position)) return undefined
      const twin = this.models.twin(model)
      this.models.replace(model, draft)
      return twin
    })
    if (replaced === undefined) return false
    this.opened.delete(idOf(model))
    this.opened.delete(idOf(draft))
    await this.drop(model, replaced)
    return true
  }

  async close(): Promise<void> {
    await this.last
    this.opened.clear()
    this.reader.close()
    this.writer.close()
  }

  /** Drops rows that were replaced, piece by piece: a large table at once would hold up every commit. */
  private async drop(model: Model, twin: Twin): Promise<void> {
    for (const index of Object.keys(model.indexes)) {
      await this.exclusive(async () => this.writer.exec(`DROP INDEX ${indexName(model, index, twin)}`))
    }
    await this.exclusive(async () => this.writer.exec(`DROP TABLE ${oldName(model)}`))
  }

  /** Does something in a transaction, after all that was asked for before. */
  private exclusive<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(async () => {
      this.writer.exec('BEGIN IMMEDIATE')
      try {
        const value = await work()
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

  private open(model: Model): Open | Promise<Open> {
    return this.opened.get(idOf(model)) ?? this.ensure(model)
  }

  /** A model that is asked for before anything was written is empty; one whose indexes changed begins anew. */
  private async ensure(model: Model): Promise<Open> {
    if (reading(() => this.seen.twin(model)) === undefined) {
      await this.exclusive(async () => {
        if (this.models.twin(model) === undefined) this.models.create(model)
      })
    }
    const open = reading(() => ({
      table: new Table(this.reader, model, this.seen.twin(model) ?? 0),
      rows: new RowWriter(this.writer, model),
    }))
    this.opened.set(idOf(model), open)
    return open
  }
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
function reading<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof TypeError) throw error
    throw new StoreUnavailable(`the read models could not be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

const idOf = (model: Model): string => `${nameOf(model)}_v${model.version}`

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
