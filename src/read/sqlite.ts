/**
 * The embedded read models: one SQLite file, which may be deleted at any time.
 *
 * A model's version has a table of its own, so that a new version fills beside the old one. The old table goes when
 * the file is next opened after the new one has passed it.
 *
 * @module
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type Position, StoreUnavailable } from '../log/event-log.ts'
import { turn } from '../pause.ts'
import { openDatabase } from '../sqlite/open.ts'
import type { Changes, ListQuery, Model, ProjectedTo, ReadModels, Row } from './read-models.ts'
import { RowWriter } from './sqlite-rows.ts'
import { createTable, shapeOf, Table, tableName } from './sqlite-table.ts'

const SCHEMA = `
CREATE TABLE IF NOT EXISTS models (
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  shape TEXT NOT NULL,
  log_id TEXT,
  position INTEGER,
  PRIMARY KEY (name, version)
) STRICT, WITHOUT ROWID;
`
const PASSED = `
SELECT name, version FROM models AS old WHERE EXISTS (
  SELECT 1 FROM models AS new
  WHERE new.name = old.name AND new.version > old.version
    AND new.position IS NOT NULL AND (old.position IS NULL OR new.position >= old.position)
)`

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
  writer.exec(SCHEMA)
  transaction(writer, () => {
    for (const { name, version } of writer.prepare(PASSED).all() as { name: string; version: number }[]) {
      writer.exec(`DROP TABLE IF EXISTS ${tableName(name, version)}`)
      writer.prepare('DELETE FROM models WHERE name = ? AND version = ?').run(name, version)
    }
  })
  return new SqliteReadModels(writer, openDatabase(path, { durable: false, cacheMb: READ_CACHE_MB }))
}

type Open = { readonly table: Table; readonly rows: RowWriter }

/** Reads never see a transaction that is only half written: it has a connection of its own. */
class SqliteReadModels implements ReadModels {
  private readonly opened = new Map<string, Open>()
  private readonly standing
  private readonly stands
  private readonly move
  /** the last of the transactions, which take turns */
  private last: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly writer: DatabaseSync,
    private readonly reader: DatabaseSync,
  ) {
    const standing = 'SELECT log_id, position FROM models WHERE name = ? AND version = ?'
    this.standing = reader.prepare(standing)
    this.stands = writer.prepare(standing)
    this.move = writer.prepare('UPDATE models SET log_id = ?, position = ? WHERE name = ? AND version = ?')
  }

  async position(model: Model): Promise<ProjectedTo | null> {
    await this.open(model)
    return reading(() => at(this.standing, model))
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
    return reading(() => table.list(index, query)) as R[]
  }

  async commit(changes: readonly Changes[]): Promise<boolean> {
    const opened = await Promise.all(changes.map(({ model }) => this.open(model)))
    return this.exclusive(async () => {
      if (!changes.every(({ model, from }) => same(at(this.stands, model), from))) return false
      for (const [i, { model, to, rows }] of changes.entries()) {
        const open = opened[i] as Open
        await write(open.rows, rows)
        const { changes: moved } = this.move.run(to.logId, to.position, model.name, model.version)
        // Its table went when another process opened the file: it is made anew at the next try.
        if (Number(moved) !== 1) {
          this.opened.delete(idOf(model))
          throw new Error(`the read model ${idOf(model)} was dropped`)
        }
      }
      return true
    })
  }

  async reset(model: Model): Promise<void> {
    await this.exclusive(async () => this.create(model))
    this.opened.delete(idOf(model))
  }

  async close(): Promise<void> {
    await this.last
    this.opened.clear()
    this.reader.close()
    this.writer.close()
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
    const isThere = (db: DatabaseSync) => {
      const shape = db.prepare('SELECT shape FROM models WHERE name = ? AND version = ?')
      const found = shape.get(model.name, model.version) as { shape: string } | undefined
      return found?.shape === shapeOf(model)
    }
    if (!reading(() => isThere(this.reader))) {
      await this.exclusive(async () => isThere(this.writer) || this.create(model))
    }
    const open = reading(() => ({
      table: new Table(this.reader, model),
      rows: new RowWriter(this.writer, model),
    }))
    this.opened.set(idOf(model), open)
    return open
  }

  private create(model: Model): void {
    this.writer.exec(`DROP TABLE IF EXISTS ${tableName(model.name, model.version)}`)
    createTable(this.writer, model)
    this.writer
      .prepare('INSERT OR REPLACE INTO models (name, version, shape) VALUES (?, ?, ?)')
      .run(model.name, model.version, shapeOf(model))
  }
}

/** Lets requests go on between some rows and the next. */
async function write(writer: RowWriter, rows: ReadonlyMap<string, Row | null>): Promise<void> {
  let began = performance.now()
  let count = 0
  for (const [key, row] of rows) {
    writer.put(key, row)
    if (++count % LOOK_ROWS !== 0 || performance.now() - began < TURN_MS) continue
    await turn()
    began = performance.now()
  }
}

function at(standing: StatementSync, { name, version }: Model): ProjectedTo | null {
  const found = standing.get(name, version) as { log_id: string | null; position: number | null } | undefined
  if (!found || found.log_id === null || found.position === null) return null
  return { logId: found.log_id, position: found.position as Position }
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

const idOf = (model: Model): string => `${model.name}_v${model.version}`

const same = (a: ProjectedTo | null, b: ProjectedTo | null): boolean =>
  a?.logId === b?.logId && a?.position === b?.position

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
