/**
 * What a run brings to its end: items and files as they came, and the stored result that they make.
 *
 * @module
 */
import type { Artifacts } from '../artifacts/artifacts.ts'
import { partialRest } from '../catalogue/result.ts'
import type { RunId } from '../domain/ids.ts'
import type { Outcome, Progress, StoredResult } from '../domain/run.ts'
import type { Task } from '../plugin.ts'
import { encodeResult, type Json } from '../runs/result.ts'
import type { Items } from './process/protocol.ts'

/** How the plugin's work ended. Only a succeeded one is complete; of any other what it collected is kept. */
export type Finding =
  | { readonly status: 'succeeded'; readonly rest: string }
  | { readonly status: 'failed'; readonly code: string | null; readonly detail: string }
  | { readonly status: 'errored' | 'expired'; readonly code: string }

/** What is longer, in characters, is kept as UTF-8: strings with signs beyond Latin-1 take twice the memory. */
const PACK_CHARS = 128 * 1024

/** What has come so far. */
export class Collected {
  private texts: string[] = []
  private chars = 0
  /** what came before them, as UTF-8 */
  private readonly packed: Uint8Array[] = []
  private files = new Map<string, string>()
  count = 0

  add({ text, count }: Items): void {
    if (count === 0) return
    this.texts.push(text)
    this.count += count
    this.chars += text.length
    if (this.chars >= PACK_CHARS) this.pack()
  }

  /** A file of the same name takes the place of the one before. */
  addFile(name: string, ref: string): void {
    this.files.set(name, ref)
  }

  /** The task begins anew. */
  clear(): void {
    this.texts = []
    this.chars = 0
    this.packed.length = 0
    this.files.clear()
    this.count = 0
  }

  /** The items as JSON texts with commas between them, in parts. */
  get items(): readonly Json[] {
    const all = [...this.packed, ...(this.texts.length > 0 ? [this.texts.join(',')] : [])]
    return all.flatMap((part, i) => (i === 0 ? [part] : [',', part]))
  }

  /** How far the run is: what the plugin said last, or the number of items where it says nothing. */
  reached(said: Progress | undefined): Progress {
    return said ?? { done: this.count, total: null, message: null }
  }

  private pack(): void {
    this.packed.push(Buffer.from(this.texts.join(',')))
    this.texts = []
    this.chars = 0
  }

  get fileList(): { name: string; ref: string }[] {
    return [...this.files].map(([name, ref]) => ({ name, ref }))
  }
}

/** An outcome with the write that must be there with it or before it. */
export type Ending = { readonly outcome: Outcome; readonly stored: Promise<unknown> | undefined }

export type EndingOptions = {
  readonly artifacts: Artifacts
  readonly runId: RunId
  readonly task: Task | undefined
  /** milliseconds since 1970: how long the result is kept */
  readonly expiresAt: number
  /** a run that is being cancelled ends as cancelled: what it brought is told as a part, even when it is all */
  readonly cancelled: boolean
}

/** Stores what a run collected, when there is anything to keep. */
export function endingOf(finding: Finding, collected: Collected, options: EndingOptions): Ending {
  const { artifacts, runId, expiresAt } = options
  const { status } = finding
  const code = status === 'succeeded' ? null : finding.code
  const detail = status === 'failed' && finding.detail !== '' ? finding.detail : null
  const { text, partial } = resultText(finding, collected, options)
  const files = collected.fileList
  if (text === null && detail === null && files.length === 0)
    return { outcome: { status, code }, stored: undefined }
  const { done, ref, bytes, sha256 } = artifacts.put(
    runId,
    'result',
    encodeResult({ detail, files }, text),
    expiresAt,
  )
  const result: StoredResult = { ref, bytes, sha256, item_count: collected.count, partial }
  return { outcome: { status, code, result }, stored: done }
}

function resultText(
  finding: Finding,
  collected: Collected,
  { task, cancelled }: EndingOptions,
): { readonly text: readonly Json[] | null; readonly partial: boolean } {
  const around = (rest: string) => ['{"items":[', ...collected.items, `],${rest.slice(1)}`]
  if (finding.status === 'succeeded' && !cancelled) return { text: around(finding.rest), partial: false }
  if (!task || collected.count === 0) return { text: null, partial: true }
  return { text: around(JSON.stringify(partialRest(task))), partial: true }
}
