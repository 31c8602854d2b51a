/**
 * The embedded read models: one SQLite file, which may be deleted at any time.
 *
 * A model's version has a table of its own, so that a new version fills beside the old one. The old table goes when
 * the file is next opened after the new one has passed it.
 *
 * @module
 */
import type { DatabaseSync } from 'node:sqlite'
import { type Position, StoreUnavailable } from '../log/event-log.ts'
import { openDatabase } from '../sqlite/open.ts'
import type { Changes, ListQuery, Model, ProjectedTo, ReadModels, Row } from './read-models.ts'
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

/**
 * Opens or creates the read models in a file.
 *
 * @param path a file, or `:memory:`. It holds nothing that can't be made again from the log
 */
export function openSqliteReadModels(path: string): ReadModels {
  const db = openDatabase(path, { durable: false })
  // A commit of a busy service touches a few hundred pages in many indexes: they stay in memory between commits.
  db.exec('PRAGMA cache_size = -16384')
  db.exec(SCHEMA)
  transaction(db, () => {
    for (const { name, version } of db.prepare(PASSED).all() as { name: string; version: number }[]) {
      db.exec(`DROP TABLE IF EXISTS ${tableName(name, version)}`)
      db.prepare('DELETE FROM models WHERE name = ? AND version = ?').run(name, version)
    }
  })
  return new SqliteReadModels(db)
}

class SqliteReadModels implements ReadModels {
  private readonly tables = new Map<string, Table>()
  private readonly standing
  private readonly move

  constructor(private readonly db: DatabaseSync) {
    this.standing = db.prepare('SELECT log_id, position FROM models WHERE name = ? AND version = ?')
    this.move = db.prepare('UPDATE models SET log_id = ?, position = ? WHERE name = ? AND version = ?')
  }

  async position(model: Model): Promise<ProjectedTo | null> {
    return reading(() => {
      this.table(model)
      return this.at(model)
    })
  }

  async get<R extends Row>(model: Model<R>, key: string): Promise<R | undefined> {
    return reading(() => this.table(model).get(key)) as R | undefined
  }

  async getMany<R extends Row>(model: Model<R>, keys: readonly string[]): Promise<(R | undefined)[]> {
    return reading(() => {
      const table = this.table(model)
      return keys.map((key) => table.get(key) as R | undefined)
    })
  }

  async list<R extends Row>(model: Model<R>, index: string, query: ListQuery): Promise<R[]> {
    return reading(() => this.table(model).list(index, query)) as R[]
  }

  async commit(changes: readonly Changes[]): Promise<boolean> {
    const tables = changes.map(({ model }) => this.table(model))
    return transaction(this.db, () => {
      if (!changes.every(({ model, from }) => same(this.at(model), from))) return false
      for (const [i, { model, to, rows }] of changes.entries()) {
        for (const [key, row] of rows) tables[i]?.put(key, row)
        const { changes: moved } = this.move.run(to.logId, to.position, model.name, model.version)
        // Its table went when another process opened the file: it is made anew at the next try.
        if (Number(moved) !== 1) {
          this.tables.delete(idOf(model))
          throw new Error(`the read model ${idOf(model)} was dropped`)
        }
      }
      return true
    })
  }

  async reset(model: Model): Promise<void> {
    transaction(this.db, () => this.create(model))
    this.tables.delete(idOf(model))
  }

  async close(): Promise<void> {
    this.tables.clear()
    this.db.close()
  }

  private at(model: Model): ProjectedTo | null {
    const found = this.standing.get(model.name, model.version) as
      | { log_id: string | null; position: number | null }
      | undefined
    if (!found || found.log_id === null || found.position === null) return null
    return { logId: found.log_id, position: found.position as Position }
  }

  private table(model: Model): Table {
    const id = idOf(model)
    let table = this.tables.get(id)
    if (!table) {
      this.ensure(model)
      table = new Table(this.db, model)
      this.tables.set(id, table)
    }
    return table
  }

  /** A model that is asked for before anything was written is empty; one whose indexes changed begins anew. */
  private ensure(model: Model): void {
    const shape = this.db.prepare('SELECT shape FROM models WHERE name = ? AND version = ?')
    const isThere = () => {
      const found = shape.get(model.name, model.version) as { shape: string } | undefined
      return found?.shape === shapeOf(model)
    }
    if (isThere()) return
    transaction(this.db, () => {
      if (!isThere()) this.create(model)
    })
  }

  private create(model: Model): void {
    this.db.exec(`DROP TABLE IF EXISTS ${tableName(model.name, model.version)}`)
    createTable(this.db, model)
    this.db
      .prepare('INSERT OR REPLACE INTO models (name, version, shape) VALUES (?, ?, ?)')
      .run(model.name, model.version, shapeOf(model))
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
