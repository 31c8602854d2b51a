/**
 * One generation of a read model as a SQLite table: each row as JSON, and its indexed fields in separate columns.
 *
 * @module
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { nextTurn } from '../../async/delay.ts'
import { indexFields, type ListQuery, type Model, type Row } from '../read-models.ts'

/** The value of an indexed field's column. */
type Value = string | number | null
/** A row's columns: its key, its JSON (null deletes), and its indexed fields. */
type Columns = readonly [key: string, body: string | null, ...indexed: Value[]]
/** The columns of rows, one row after the other: sent to a thread in a third of the time of nested arrays. */
export type EncodedRows = readonly Value[]

/** The number of rows that are encoded in one turn of the event loop, which takes about a millisecond. */
const TURN_ROWS = 512

const quoted = (name: string): string => `"${name}"`

/** The name of a generation's table. */
export const tableName = ({ name }: Model, generation: number): string => quoted(`${name}_${generation}`)

/** A table on one connection, with its prepared statements. */
export class Table {
  private readonly name: string
  private readonly fields: readonly string[]
  private readonly statements = new Map<string, StatementSync>()
  private readonly insert: string
  private readonly select: string

  /** @param db a database in which {@link createTable} has created the table */
  constructor(
    private readonly db: DatabaseSync,
    private readonly model: Model,
    readonly generation: number,
  ) {
    this.name = tableName(model, generation)
    this.fields = fieldsOf(model)
    const columns = ['key', 'body', ...this.fields.map(quoted)]
    this.insert = `INSERT INTO ${this.name} (${columns}) VALUES (${columns.map(() => '?')}) ON CONFLICT (key) DO NOTHING`
    this.select = `SELECT ${['key', ...this.fields.map(quoted)]} FROM ${this.name} WHERE key = ?`
  }

  get(key: string): Row | undefined {
    const row = this.prepared(`SELECT body FROM ${this.name} WHERE key = ?`).get(key)
    return row && (JSON.parse((row as { body: string }).body) as Row)
  }

  list(index: string, query: ListQuery): Row[] {
    const { sql, values } = this.selected('body', index, query)
    return this.prepared(sql)
      .all(...values)
      .map(({ body }) => JSON.parse(body as string) as Row)
  }

  count(index: string, query: ListQuery): number {
    const { sql, values } = this.selected('1', index, query)
    return Number(this.prepared(`SELECT count(*) AS rows FROM (${sql})`).get(...values)?.rows)
  }

  /** The statement of a list, and its parameters. @param what the selected expression */
  private selected(what: string, index: string, query: ListQuery) {
    const { order, equals, after, upTo, limit } = query
    const fields = indexFields(this.model, index, query)
    const last = quoted(fields.at(-1) ?? '')
    const conditions = fields.slice(0, -1).map((field) => `${quoted(field)} = ?`)
    conditions.push(`${last} IS NOT NULL`)
    if (after !== undefined) conditions.push(`${last} ${order === 'ascending' ? '>' : '<'} ?`)
    if (upTo !== undefined) conditions.push(`${last} <= ?`)
    const direction = order === 'ascending' ? 'ASC' : 'DESC'
    // Rows with equal values are ordered by key, so that every back end and every rebuild returns the same order.
    const sql = `SELECT ${what} FROM ${this.name} INDEXED BY ${indexName(this.model, this.generation, index)}
       WHERE ${conditions.join(' AND ')} ORDER BY ${last} ${direction}, key ${direction} LIMIT ?`
    const values = [...equals, after, upTo].filter((value) => value !== undefined)
    return { sql, values: [...values, limit] }
  }

  /** Inserts, updates or deletes rows. */
  putAll(rows: EncodedRows): void {
    const width = 2 + this.fields.length
    for (let i = 0; i < rows.length; i += width) this.put(rows.slice(i, i + width) as unknown as Columns)
  }

  private put([key, body, ...values]: Columns): void {
    if (body === null) {
      this.prepared(`DELETE FROM ${this.name} WHERE key = ?`).run(key)
      return
    }
    if (Number(this.prepared(this.insert).run(key, body, ...values).changes) === 0)
      this.update(key, body, values)
  }

  /** Sets only the changed fields: SQLite rewrites the index entries of every field in SET, changed or not. */
  private update(key: string, body: string, values: readonly Value[]): void {
    const before = this.prepared(this.select).get(key) as { readonly [field: string]: Value }
    const isChanged = this.fields.map((field, i) => values[i] !== before[field])
    const sets = this.fields.filter((_, i) => isChanged[i]).map((field) => `, ${quoted(field)} = ?`)
    this.prepared(`UPDATE ${this.name} SET body = ?${sets.join('')} WHERE key = ?`).run(
      body,
      ...values.filter((_, i) => isChanged[i]),
      key,
    )
  }

  private prepared(sql: string): StatementSync {
    let statement = this.statements.get(sql)
    if (!statement) {
      statement = this.db.prepare(sql)
      this.statements.set(sql, statement)
    }
    return statement
  }
}

/**
 * Encodes rows, and yields to the event loop in between so that requests are served.
 *
 * @throws {TypeError} for an indexed field of another type, a defect
 */
export async function encoded(model: Model, rows: ReadonlyMap<string, Row | null>): Promise<EncodedRows> {
  const fields = fieldsOf(model)
  const sent: Value[] = []
  let count = 0
  for (const [key, row] of rows) {
    sent.push(key, row && JSON.stringify(row), ...fields.map((field) => row && indexed(row, field)))
    if (++count % TURN_ROWS === 0) await nextTurn()
  }
  return sent
}

/** The table of a generation from a connection's cache. Replaces the entry of an earlier generation. */
export function tableOf(
  tables: Map<string, Table>,
  db: DatabaseSync,
  model: Model,
  generation: number,
): Table {
  const id = `${model.name} ${model.version}${model.next ? ' next' : ''}`
  let table = tables.get(id)
  if (table?.generation !== generation) {
    table = new Table(db, model, generation)
    tables.set(id, table)
  }
  return table
}

function indexed(row: Row, field: string): Value {
  const value = row[field] ?? null
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  throw new TypeError(`${field} is indexed and holds neither a number nor a text`)
}

/** Creates the table, still without its indexes. */
export function createTable(db: DatabaseSync, model: Model, generation: number): void {
  const table = tableName(model, generation)
  // Columns without a type store numbers as numbers and strings as strings.
  const columns = ['key TEXT PRIMARY KEY', 'body TEXT NOT NULL', ...fieldsOf(model).map(quoted)]
  db.exec(`CREATE TABLE ${table} (${columns.join(', ')})`)
}

/** Creates an index of the table if it is missing. It is partial: it omits the rows that are not in its lists. */
export function createIndex(db: DatabaseSync, model: Model, generation: number, index: string): void {
  const names = (model.indexes[index] ?? []).map(quoted)
  const present = names.map((name) => `${name} IS NOT NULL`).join(' AND ')
  db.exec(
    `CREATE INDEX IF NOT EXISTS ${indexName(model, generation, index)}
     ON ${tableName(model, generation)} (${names.join(', ')}) WHERE ${present}`,
  )
}

/** The indexed fields, which have their own columns. */
const fieldsOf = (model: Model): string[] => [...new Set(Object.values(model.indexes).flat())]

const indexName = ({ name }: Model, generation: number, index: string): string =>
  quoted(`${name}_${generation}_${index}`)
