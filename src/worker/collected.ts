/**
 * What a run has brought so far: items and files as they came, and the stored result that they make.
 *
 * @module
 */
import { partialRest } from '../catalogue/result.ts'
import type { Progress } from '../domain/run.ts'
import type { Task } from '../plugin.ts'
import { encodeResult, type Json } from '../runs/result.ts'
import type { Items } from './process/heard.ts'

export class Collected {
  /** as UTF-8: strings with signs beyond Latin-1 take twice the memory */
  private readonly texts: Uint8Array[] = []
  private readonly files = new Map<string, string>()
  /** what the plugin reported last */
  reported: Progress | undefined
  count = 0
  /** characters of all items */
  total = 0

  add({ text, count }: Items): void {
    if (count === 0) return
    this.texts.push(Buffer.from(text))
    this.count += count
    this.total += text.length
  }

  /** A file of the same name takes the place of the one before. */
  addFile(name: string, ref: string): void {
    this.files.set(name, ref)
  }

  /** The task begins anew. */
  clear(): void {
    this.texts.length = 0
    this.files.clear()
    this.count = 0
    this.total = 0
  }

  /** How far the run is: what the plugin reported last, or the number of items where it reports nothing. */
  get progress(): Progress {
    return this.reported ?? { done: this.count, total: null, message: null }
  }

  /**
   * All of it as it is stored.
   *
   * @param rest of a complete result, JSON; undefined: what there is is a part
   * @param detail the source's own words for a failure
   * @returns undefined when there is nothing to store
   */
  result(rest: string | undefined, detail: string | null, task: Task | undefined): Json | undefined {
    const files = [...this.files].map(([name, ref]) => ({ name, ref }))
    const around = rest ?? (task && this.count > 0 ? JSON.stringify(partialRest(task)) : undefined)
    if (around === undefined && detail === null && files.length === 0) return undefined
    const items = this.texts.flatMap((text, i) => (i === 0 ? [text] : [',', text]))
    const result = around === undefined ? null : ['{"items":[', ...items, `],${around.slice(1)}`]
    return encodeResult({ detail, files }, result)
  }
}
