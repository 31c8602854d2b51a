/**
 * The embedded read models: one SQLite file, which may be deleted at any time. A separate thread writes it, because a
 * busy service's commit takes ten milliseconds or more and would block all requests.
 *
 * @module
 */
import type { DatabaseSync } from 'node:sqlite'
import { orUnavailable } from '../../log/away.ts'
import { deleteDatabase, isDamaged, openDatabase } from '../../sqlite/open.ts'
import {
  type Changes,
  type Checkpoint,
  indexFields,
  type ListQuery,
  type Model,
  type ReadModels,
  type Row,
} from '../read-models.ts'
import { GenerationTable, prepareGenerations } from './generation-table.ts'
import { encoded, type Table, tableOf } from './table.ts'
import type { EncodedChanges, Writer } from './writer.ts'
import { WriterThread } from './writer-thread.ts'

const READ_CACHE_MB = 4

/**
 * Opens or creates the read models in a file.
 *
 * @param path a file. Everything in it can be rebuilt from the log
 * @param onDamage called when a call meets a damaged page; an empty file then replaces the damaged one, and projectors
 *   fill it. Without it every such call fails
 */
export function openSqliteReadModels(path: string, onDamage?: (error: unknown) => void): ReadModels {
  return new SqliteReadModels(path, openReader(path), onDamage)
}

function openReader(path: string): DatabaseSync {
  const reader = openDatabase(path, READ_CACHE_MB)
  try {
    prepareGenerations(reader)
  } catch (error) {
    reader.close()
    throw error
  }
  return reader
}

/** Reads never see a partly written transaction: the writer uses a separate connection. */
class SqliteReadModels implements ReadModels {
  private generations: GenerationTable
  private writer: WriterThread
  /** keyed by model; entries of an earlier generation are stale */
  private readonly tables = new Map<string, Table>()
  private replacing: Promise<void> | undefined

  constructor(
    private readonly path: string,
    private reader: DatabaseSync,
    private readonly onDamage: ((error: unknown) => void) | undefined,
  ) {
    this.generations = new GenerationTable(reader)
    this.writer = new WriterThread(path)
  }

  async checkpoint(model: Model): Promise<Checkpoint | null> {
    return this.read(() => this.generations.checkpoint(model))
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

  async count(model: Model, index: string, query: ListQuery): Promise<number> {
    indexFields(model, index, query)
    return this.ask(model, (table) => table?.count(index, query) ?? 0)
  }

  begin(model: Model, logId: string, anew = false): Promise<Checkpoint> {
    return this.write('begin', factsOf(model), logId, anew)
  }

  async commit(changes: readonly Changes[], before?: Promise<boolean>): Promise<boolean> {
    const sent: EncodedChanges[] = []
    for (const { model, from, to, rows } of changes)
      sent.push({ model: factsOf(model), from, to, rows: await encoded(model, rows) })
    if (before && !(await before)) return false
    return this.write('commit', sent)
  }

  async publish(model: Model, anyway = false): Promise<boolean> {
    // Only now: filling a table is faster without indexes. One call each, so that commits of other models come between.
    for (const index of Object.keys(model.indexes)) await this.write('index', factsOf(model), index)
    return this.write('publish', factsOf(model), anyway)
  }

  async close(): Promise<void> {
    await this.replacing?.catch(() => {})
    // From now on nothing is replaced.
    this.replacing = Promise.resolve()
    await this.writer.close()
    this.reader.close()
  }

  /**
   * Queries the current generation on one snapshot, because the writer may commit between two statements. `question`
   * gets no table if there is no generation.
   */
  private ask<T>(model: Model, question: (table: Table | undefined) => T): T {
    return this.read(() => {
      this.reader.exec('BEGIN')
      try {
        const at = this.generations.checkpoint(model)
        return question(at ? tableOf(this.tables, this.reader, model, at.generation) : undefined)
      } finally {
        this.reader.exec('COMMIT')
      }
    })
  }

  private read<T>(question: () => T): T {
    return orUnavailable('the read models could not be read', () => {
      try {
        return question()
      } catch (error) {
        this.heal(error)
        throw error
      }
    })
  }

  private async write<M extends keyof Writer>(method: M, ...args: Parameters<Writer[M]>) {
    await this.replacing
    return this.writer.call(method, ...args).catch((error) => {
      this.heal(error)
      throw error
    })
  }

  /** Replaces a damaged file. The caller's call fails and is repeated. */
  private heal(error: unknown): void {
    if (!this.onDamage || this.replacing || !isDamaged(error)) return
    this.onDamage(error)
    this.replacing = this.replace().finally(() => {
      this.replacing = undefined
    })
    this.replacing.catch(() => {})
  }

  /** SQLite deletes a write-ahead log by its name, so both connections are closed before there is another file. */
  private async replace(): Promise<void> {
    this.reader.close()
    await this.writer.close()
    deleteDatabase(this.path)
    this.reader = openReader(this.path)
    this.generations = new GenerationTable(this.reader)
    this.tables.clear()
    this.writer = new WriterThread(this.path)
  }
}

/** The fields of a model that the thread needs. The functions of a projection can't be sent to it. */
const factsOf = ({ name, version, indexes, next = false }: Model): Model => ({
  name,
  version,
  indexes,
  next,
})
