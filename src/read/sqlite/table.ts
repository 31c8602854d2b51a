/**
 * One generation of a read model as a SQLite table: the row as JSON, and beside it the fields that its indexes are made of. Making it
 * and reading it; rows.ts writes it.
 *
 * @module
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { indexFields, type ListQuery, type Model, type Row } from '../read-models.ts'

/** What stands in a column of its own. */
export type Value = string | number | null

const NAME = /^[a-z][a-z0-9_]*$/i
export const quoted = (name: string): string => `"${name}"`

/** The name of the table of a generation's rows. @throws {TypeError} for a name that can't be part of it, a defect */
export function tableName({ name }: Model, generation: number): string {
  if (!NAME.test(name)) throw new TypeError(`no name: ${name}`)
  return quoted(`${name}_${generation}`)
}

/** The statements that read one model's table, prepared once. */
export class Table {
  private readonly name: string
  private readonly select: StatementSync
  private readonly lists = new Map<string, StatementSync>()

  /** @param db where {@link createTable} has made it */
  constructor(
    private readonly db: DatabaseSync,
    private readonly model: Model,
    private readonly generation: number,
  ) {
    this.name = tableName(model, generation)
    this.select = db.prepare(`SELECT body FROM ${this.name} WHERE key = ?`)
  }

  get(key: string): Row | undefined {
    const found = this.select.get(key) as { body: string } | undefined
    return found && (JSON.parse(found.body) as Row)
  }

  list(index: string, query: ListQuery): Row[] {
    const fields = indexFields(this.model, index, query)
    const values: Value[] = [...query.equals]
    if (query.after !== undefined) values.push(query.after)
    if (query.upTo !== undefined) values.push(query.upTo)
    const found = this.listing(index, fields, query).all(...values, query.limit) as { body: string }[]
    return found.map(({ body }) => JSON.parse(body) as Row)
  }

  private listing(index: string, fields: readonly string[], query: ListQuery): StatementSync {
    const { order, after, upTo } = query
    const id = `${index} ${order} ${after !== undefined} ${upTo !== undefined}`
    let statement = this.lists.get(id)
    if (!statement) {
      const last = quoted(fields.at(-1) ?? '')
      const conditions = fields.slice(0, -1).map((field) => `${quoted(field)} = ?`)
      conditions.push(`${last} IS NOT NULL`)
      if (after !== undefined) conditions.push(`${last} ${order === 'ascending' ? '>' : '<'} ?`)
      if (upTo !== undefined) conditions.push(`${last} <= ?`)
      const direction = order === 'ascending' ? 'ASC' : 'DESC'
      // Equal values come in the order of their keys, so that every back end and every rebuild lists alike.
      statement = this.db.prepare(
        `SELECT body FROM ${this.name} INDEXED BY ${indexName(this.model, this.generation, index)}
         WHERE ${conditions.join(' AND ')} ORDER BY ${last} ${direction}, key ${direction} LIMIT ?`,
      )
      this.lists.set(id, statement)
    }
    return statement
  }
}

/** Makes the table and its indexes. Indexes leave out the rows that their lists leave out. */
export function createTable(db: DatabaseSync, model: Model, generation: number): void {
  const table = tableName(model, generation)
  const fields = fieldsOf(model)
  // No type: a field keeps numbers as numbers and texts as texts.
  const columns = ['key TEXT PRIMARY KEY', 'body TEXT NOT NULL', ...fields.map(quoted)]
  db.exec(`CREATE TABLE ${table} (${columns.join(', ')})`)
  for (const [index, parts] of Object.entries(model.indexes)) {
    const names = parts.map(quoted)
    const present = names.map((name) => `${name} IS NOT NULL`).join(' AND ')
    db.exec(
      `CREATE INDEX ${indexName(model, generation, index)} ON ${table} (${names.join(', ')}) WHERE ${present}`,
    )
  }
}

/** The fields that stand in columns of their own. */
export function fieldsOf(model: Model): string[] {
  const fields = [...new Set(Object.values(model.indexes).flat())]
  for (const field of fields) if (!NAME.test(field)) throw new TypeError(`no field: ${field}`)
  return fields
}

export function indexName({ name }: Model, generation: number, index: string): string {
  if (!NAME.test(index)) throw new TypeError(`no index: ${index}`)
  return quoted(`${name}_${generation}_${index}`)
}
