/**
 * Writes the embedded read models, in a separate thread, one transaction at a time.
 *
 * @module
 */
import type { DatabaseSync } from 'node:sqlite'
import { openDatabase } from '../../sqlite/open.ts'
import { type Changes, type Checkpoint, isSame, type Model, nextOf } from '../read-models.ts'
import { GenerationTable } from './generation-table.ts'
import { createIndex, type EncodedRows, type Table, tableOf } from './table.ts'

/** {@link Changes} in a form that can be sent to a thread. */
export type EncodedChanges = Omit<Changes, 'rows'> & { readonly rows: EncodedRows }

/**
 * Page cache in MiB. A busy service's commits touch a few hundred pages of many indexes, which stay cached in between.
 */
const CACHE_MB = 16
/**
 * Number of pages in the write-ahead log after which a commit runs a checkpoint. SQLite's default of 1000 keeps the
 * disk busy for so long that it delays the event log's commits, for which requests wait. A build that checkpoints after
 * every commit, though, takes a fifth longer.
 */
const CHECKPOINT_PAGES = { live: 100, building: 1000 }

export class Writer {
  private readonly db: DatabaseSync
  private readonly generations: GenerationTable
  private readonly tables = new Map<string, Table>()
  private checkpointPages = 0

  /** @param path a file with the table of generations */
  constructor(path: string) {
    this.db = openDatabase(path, CACHE_MB)
    this.checkpointEvery(CHECKPOINT_PAGES.live)
    this.generations = new GenerationTable(this.db)
  }

  /** See {@link ReadModels.begin}. The other methods also correspond to ReadModels. */
  begin(model: Model, logId: string, anew: boolean): Checkpoint {
    return this.transaction(() => {
      const next = this.generations.checkpoint(nextOf(model))
      if (next && !anew && next.logId === logId) return next
      if (next) this.generations.drop(model, next)
      return this.generations.create(model, logId)
    })
  }

  commit(changes: readonly EncodedChanges[]): boolean {
    this.checkpointEvery(CHECKPOINT_PAGES[changes.some(({ model }) => model.next) ? 'building' : 'live'])
    return this.transaction(() => {
      if (!changes.every(({ model, from }) => isSame(this.generations.checkpoint(model), from))) return false
      for (const { model, to, rows } of changes) {
        const table = tableOf(this.tables, this.db, model, to.generation)
        table.putAll(rows)
        this.generations.move(to)
      }
      return true
    })
  }

  /** Creates an index of the next generation, if that exists. */
  index(model: Model, name: string): void {
    this.transaction(() => {
      const next = this.generations.checkpoint(nextOf(model))
      if (next) createIndex(this.db, model, next.generation, name)
    })
  }

  publish(model: Model, anyway: boolean): boolean {
    return this.transaction(() => {
      const [from, to] = [model, nextOf(model)].map((one) => this.generations.checkpoint(one))
      if (!to) return true
      if (from && !anyway && from.logId === to.logId && from.position > to.position) return false
      if (from) this.generations.drop(model, from)
      this.generations.makeCurrent(to)
      return true
    })
  }

  close(): void {
    this.db.close()
  }

  private checkpointEvery(pages: number): void {
    if (pages === this.checkpointPages) return
    this.checkpointPages = pages
    this.db.exec(`PRAGMA wal_autocheckpoint = ${pages}`)
  }

  private transaction<T>(work: () => T): T {
    this.db.exec('BEGIN IMMEDIATE')
    try {
      const value = work()
      this.db.exec('COMMIT')
      return value
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK')
      throw error
    }
  }
}
