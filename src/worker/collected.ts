/**
 * The items and files that a run has collected so far, and the stored result made of them.
 *
 * @module
 */
import { partialRest } from '../catalogue/result.ts'
import type { Progress } from '../domain/run.ts'
import type { RunFill } from '../domain/run-events.ts'
import type { Task } from '../plugin.ts'
import type { Collecting } from '../runs/items/live-items.ts'
import type { ItemBatch } from '../runs/items/parts.ts'
import { PAUSED } from '../runs/paused.ts'
import { encodeResult } from '../runs/result.ts'
import type { Items } from './process/from-child.ts'

export class Collected implements Collecting {
  /** as UTF-8: strings with characters beyond Latin-1 take twice the memory */
  readonly batches: ItemBatch[] = []
  private readonly files = new Map<string, string>()
  /** what a complete result has beside its items, as JSON; undefined until the task has succeeded */
  rest: string | undefined
  /** how the items are filled; undefined until the task has succeeded, or if its process counted wrong */
  fill: RunFill | undefined
  /** the last progress reported by the plugin */
  reported: Progress | undefined
  /** a sentence that the service says to the client while there is neither a report nor an item */
  notice: string | null = null
  /** whether the run waits because a host asked for a pause */
  isPaused = false
  count = 0
  /** characters of all items */
  total = 0

  add({ text, count }: Items): void {
    if (count === 0) return
    this.batches.push({ text: Buffer.from(text), count })
    this.count += count
    this.total += text.length
  }

  /** Adds a file; it replaces an earlier file with the same name. */
  addFile(name: string, ref: string): void {
    this.files.set(name, ref)
  }

  /** Discards everything: the task starts again. */
  clear(): void {
    this.batches.length = 0
    this.files.clear()
    this.rest = undefined
    this.fill = undefined
    this.count = 0
    this.total = 0
  }

  /** The run's progress: the last report of the plugin, or the number of items if it reports none. */
  get progress(): Progress {
    const { reported, count, notice } = this
    const progress = reported ?? { done: count, total: null, message: null }
    if (this.isPaused) return { ...progress, message: `${progress.message ?? 'items'}${PAUSED}` }
    return reported || count > 0 ? progress : { ...progress, message: notice }
  }

  /**
   * The result in its stored form.
   *
   * @param isComplete false: the result is partial
   * @param detail the source's own message for a failure
   * @returns undefined when there is nothing to store
   */
  result(isComplete: boolean, detail: string | null, task: Task | undefined): Uint8Array | undefined {
    const files = [...this.files].map(([name, ref]) => ({ name, ref }))
    const rest =
      (isComplete ? this.rest : undefined) ??
      (task && this.count > 0 ? JSON.stringify(partialRest(task)) : undefined)
    if (rest === undefined && detail === null && files.length === 0) return undefined
    return encodeResult({ detail, files }, rest === undefined ? null : { items: this.batches, rest })
  }
}
