/**
 * The table that says which models lie in the file, and where each of them stands.
 *
 * @module
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Position } from '../../log/event-log.ts'
import type { Model, ProjectedTo } from '../read-models.ts'
import { createTable, nameOf, shapeOf, type Twin, tableName } from './table.ts'

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
/** Later than the table: which build of its rows it is, which names its indexes have, when it was last moved. */
const COLUMNS = {
  build: 'INTEGER NOT NULL DEFAULT 0',
  twin: 'INTEGER NOT NULL DEFAULT 0',
  moved: 'INTEGER NOT NULL DEFAULT 0',
}
const PASSED = `
SELECT name, version FROM models AS old WHERE EXISTS (
  SELECT 1 FROM models AS new
  WHERE new.name = old.name AND new.version > old.version
    AND new.position IS NOT NULL AND (old.position IS NULL OR new.position >= old.position)
)`
/** Drafts of rebuilds that were cut off: one that is at work moves. */
const LEFT = `SELECT name, version FROM models WHERE name LIKE '%\\_draft' ESCAPE '\\' AND moved < ?`
const UNUSED_MS = 24 * 3_600_000
/** What a replacement that was cut off did not drop. */
const OLD = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE '%\\_old\\_v%' ESCAPE '\\'`

/** Makes the table where it is missing, and drops what nobody needs. Call it in a transaction. */
export function prepareModels(db: DatabaseSync, now: number): void {
  db.exec(SCHEMA)
  const present = new Set(
    db
      .prepare('PRAGMA table_info(models)')
      .all()
      .map(({ name }) => name),
  )
  for (const [name, type] of Object.entries(COLUMNS)) {
    if (!present.has(name)) db.exec(`ALTER TABLE models ADD COLUMN ${name} ${type}`)
  }
  const unused = [...db.prepare(PASSED).all(), ...db.prepare(LEFT).all(now - UNUSED_MS)]
  for (const { name, version } of unused as { name: string; version: number }[]) {
    db.exec(`DROP TABLE IF EXISTS ${tableName(name, version)}`)
    db.prepare('DELETE FROM models WHERE name = ? AND version = ?').run(name, version)
  }
  for (const { name } of db.prepare(OLD).all()) db.exec(`DROP TABLE "${name}"`)
}

type Entry = {
  readonly shape: string
  readonly log_id: string | null
  readonly position: number | null
  readonly build: number
  readonly twin: Twin
}

/** The table on one connection. */
export class Models {
  private readonly select: StatementSync
  private readonly update: StatementSync

  constructor(private readonly db: DatabaseSync) {
    this.select = db.prepare('SELECT * FROM models WHERE name = ? AND version = ?')
    this.update = db.prepare(
      'UPDATE models SET log_id = ?, position = ?, build = ?, moved = ? WHERE name = ? AND version = ?',
    )
  }

  /** Where a model stands. */
  at(model: Model): ProjectedTo | null {
    const { log_id, position, build } = this.entry(model) ?? {}
    if (log_id === null || log_id === undefined) return null
    const at = { logId: log_id, position: position as Position }
    return build ? { ...at, build } : at
  }

  /** The names that its indexes have; undefined when the model is not there, or in another shape. */
  twin(model: Model): Twin | undefined {
    const entry = this.entry(model)
    return entry?.shape === shapeOf(model) ? entry.twin : undefined
  }

  /** @returns false when the model is not there any more */
  move(model: Model, { logId, position, build = 0 }: ProjectedTo): boolean {
    const { changes } = this.update.run(logId, position, build, Date.now(), nameOf(model), model.version)
    return Number(changes) === 1
  }

  /** Makes a model's table, empty; one that was there goes. A draft's indexes have names that the model's have not. */
  create(model: Model): void {
    const { db } = this
    const own = this.entry({ ...model, draft: false })?.twin ?? 0
    const twin = model.draft ? other(own) : own
    if (model.draft) db.exec(`DROP TABLE IF EXISTS ${oldName(model)}`)
    db.exec(`DROP TABLE IF EXISTS ${tableName(nameOf(model), model.version)}`)
    createTable(db, model, twin)
    db.prepare(
      'INSERT OR REPLACE INTO models (name, version, shape, twin, moved) VALUES (?, ?, ?, ?, ?)',
    ).run(nameOf(model), model.version, shapeOf(model), twin, Date.now())
  }

  /** Puts a draft in its model's place; the rows that were there stay in a table of the name {@link oldName}. */
  replace(model: Model, draft: Model): void {
    const { db } = this
    const table = tableName(model.name, model.version)
    db.exec(`ALTER TABLE ${table} RENAME TO ${oldName(model)}`)
    db.exec(`ALTER TABLE ${tableName(nameOf(draft), model.version)} RENAME TO ${table}`)
    db.prepare(
      `UPDATE models SET (shape, log_id, position, twin, moved, build) =
         (SELECT shape, log_id, position, twin, moved, models.build + 1 FROM models AS draft
          WHERE draft.name = ? AND draft.version = models.version)
       WHERE name = ? AND version = ?`,
    ).run(nameOf(draft), model.name, model.version)
    db.prepare('DELETE FROM models WHERE name = ? AND version = ?').run(nameOf(draft), model.version)
  }

  private entry(model: Model): Entry | undefined {
    return this.select.get(nameOf(model), model.version) as Entry | undefined
  }
}

const other = (twin: Twin): Twin => (twin === 0 ? 1 : 0)

/** The table of the rows that a draft has replaced. */
export const oldName = ({ name, version }: Model): string => tableName(`${name}_old`, version)
