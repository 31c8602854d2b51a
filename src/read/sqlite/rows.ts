/**
 * Writing the rows of a read model's table.
 *
 * @module
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Model, Row } from '../read-models.ts'
import { fieldsOf, quoted, tableName, type Value } from './table.ts'

/** The statements that write one table, prepared as they are needed. */
export class RowWriter {
  private readonly insert: StatementSync
  private readonly remove: StatementSync
  private readonly select: StatementSync
  /** by which fields they change, as bits */
  private readonly updates = new Map<number, StatementSync>()
  private readonly table: string
  private readonly fields: readonly string[]

  /** @param db where `createTable` has made the table */
  constructor(
    private readonly db: DatabaseSync,
    model: Model,
    generation: number,
  ) {
    this.table = tableName(model, generation)
    this.fields = fieldsOf(model)
    const { table, fields } = this
    const columns = ['key', 'body', ...fields.map(quoted)]
    this.insert = db.prepare(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
       ON CONFLICT (key) DO NOTHING`,
    )
    this.remove = db.prepare(`DELETE FROM ${table} WHERE key = ?`)
    this.select = db.prepare(
      `SELECT ${['key', ...fields.map(quoted)].join(', ')} FROM ${table} WHERE key = ?`,
    )
  }

  /** @param row null deletes */
  put(key: string, row: Row | null): void {
    if (row === null) {
      this.remove.run(key)
      return
    }
    const body = JSON.stringify(row)
    const values = this.fields.map((field) => indexed(row, field))
    if (Number(this.insert.run(key, body, ...values).changes) === 0) this.update(key, body, values)
  }

  /** A field that is set is written to its indexes whether it changed or not, so only those that changed are set. */
  private update(key: string, body: string, fields: readonly Value[]): void {
    const before = this.select.get(key) as { readonly [field: string]: Value }
    let changed = 0
    const values = fields.filter((value, i) => {
      if (value === before[this.fields[i] ?? '']) return false
      changed |= 1 << i
      return true
    })
    this.updateOf(changed).run(body, ...values, key)
  }

  private updateOf(changed: number): StatementSync {
    let update = this.updates.get(changed)
    if (!update) {
      const sets = this.fields.filter((_, i) => changed & (1 << i)).map((field) => `, ${quoted(field)} = ?`)
      update = this.db.prepare(`UPDATE ${this.table} SET body = ?${sets.join('')} WHERE key = ?`)
      this.updates.set(changed, update)
    }
    return update
  }
}

function indexed(row: Row, field: string): Value {
  const value = row[field] ?? null
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  throw new TypeError(`${field} is indexed and holds neither a number nor a text`)
}
