/**
 * The table of the generations in the file: which ones are current, and their checkpoints. The rows of each generation
 * are in a separate table, named by the generation's number, which is never reused.
 *
 * @module
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { clock } from '../../async/clock.ts'
import type { Position } from '../../log/event-log.ts'
import type { Checkpoint, Model } from '../read-models.ts'
import { createTable, tableName } from './table.ts'

const SCHEMA = `
CREATE TABLE IF NOT EXISTS generations (
  generation INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  is_next INTEGER NOT NULL,
  log_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  moved INTEGER NOT NULL,
  UNIQUE (name, version, is_next)
) STRICT;
`
/** Superseded versions, and next generations whose builder died: an active builder moves its checkpoint. */
const UNUSED = `
DELETE FROM generations AS old WHERE
  (is_next = 1 AND moved < ?) OR
  (is_next = 0 AND EXISTS (
    SELECT 1 FROM generations AS new
    WHERE new.name = old.name AND new.version <> old.version AND new.is_next = 0
      AND new.generation > old.generation AND (new.log_id <> old.log_id OR new.position >= old.position)
  ))`
const UNUSED_MS = 24 * 3_600_000

/** Creates the table if it is missing, and drops unused generations, in one transaction. */
export function prepareGenerations(db: DatabaseSync): void {
  db.exec('BEGIN IMMEDIATE')
  db.exec(SCHEMA)
  db.prepare(UNUSED).run(clock.now() - UNUSED_MS)
  const used = new Set(['generations'])
  for (const { name, generation } of db.prepare('SELECT name, generation FROM generations').all())
    used.add(`${name}_${generation}`)
  // Tables whose drop was interrupted.
  for (const { name } of db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    .all())
    if (!used.has(String(name))) db.exec(`DROP TABLE "${name}"`)
  db.exec('COMMIT')
}

/** The table of generations on one connection. */
export class GenerationTable {
  private readonly select: StatementSync
  private readonly update: StatementSync

  constructor(private readonly db: DatabaseSync) {
    this.select = db.prepare(
      'SELECT generation, log_id, position FROM generations WHERE name = ? AND version = ? AND is_next = ?',
    )
    this.update = db.prepare('UPDATE generations SET position = ?, moved = ? WHERE generation = ?')
  }

  checkpoint(model: Model): Checkpoint | null {
    const row = this.select.get(model.name, versionOf(model), model.next ? 1 : 0) as
      | { generation: number; log_id: string; position: Position }
      | undefined
    return row ? { logId: row.log_id, position: row.position, generation: row.generation } : null
  }

  move({ generation, position }: Checkpoint): void {
    this.update.run(position, clock.now(), generation)
  }

  /** Creates a generation and the table of its rows. */
  create(model: Model, logId: string): Checkpoint {
    const { lastInsertRowid } = this.db
      .prepare(
        'INSERT INTO generations (name, version, is_next, log_id, position, moved) VALUES (?, ?, 1, ?, 0, ?)',
      )
      .run(model.name, versionOf(model), logId, clock.now())
    const generation = Number(lastInsertRowid)
    createTable(this.db, model, generation)
    return { logId, position: 0 as Position, generation }
  }

  /** Deletes a generation and the table of its rows. */
  drop(model: Model, { generation }: Checkpoint): void {
    this.db.prepare('DELETE FROM generations WHERE generation = ?').run(generation)
    this.db.exec(`DROP TABLE ${tableName(model, generation)}`)
  }

  makeCurrent({ generation }: Checkpoint): void {
    this.db.prepare('UPDATE generations SET is_next = 0 WHERE generation = ?').run(generation)
  }
}

/** Rows with other indexes count as another version, even if the version number is the same. */
const versionOf = ({ version, indexes }: Model): string => `${version} ${JSON.stringify(indexes)}`
