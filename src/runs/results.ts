/**
 * The results of runs, as stored. All readers of one long result share it, however slow they are. What needs only its
 * head does not load it.
 *
 * @module
 */
import type { Artifacts } from '../artifacts/artifacts.ts'
import { BoundedCache } from '../bounded-cache.ts'
import type { AdmittedRun } from '../domain/run.ts'
import { HEAD_BYTES, type OpenedResult, openResult } from './items/stored.ts'
import { decodeResult, LONG_BYTES, type ResultHead, type ResultRest, textOf } from './result.ts'
import { keptUntil, needsHead, type RunResult } from './run-object.ts'

const NO_HEAD: ResultHead = { detail: null, files: [], parts: [] }
const NOTHING: RunResult = { head: NO_HEAD, result: 'null' }

/** The total size of opened results, in bytes: of their heads, and of small results as a whole. */
const OPENED_BYTES = 8 * 1024 * 1024

/** A long result as long as somebody holds it. */
type Held = { readonly head: ResultHead; readonly result: WeakRef<Uint8Array> }

export class Results {
  /** long results by ref: being loaded, or held by a reader */
  private readonly loading = new Map<string, Promise<RunResult>>()
  private readonly held = new Map<string, Held>()
  /** by ref: the pages of a result are read one after the other, and each page of the console needs several parts */
  private readonly opened = new BoundedCache<string, OpenedResult>(OPENED_BYTES)
  private readonly dropped = new FinalizationRegistry<string>((ref) => {
    if (!this.held.get(ref)?.result.deref()) this.held.delete(ref)
  })

  constructor(
    private readonly artifacts: Artifacts,
    private readonly retentionDays: number,
    private readonly now: () => number,
  ) {}

  /** The result of a run: `null` without a result or before the end, `{"expired_at": …}` after its retention. */
  async of(run: AdmittedRun): Promise<RunResult> {
    const expiredAt = this.expiredAt(run)
    if (expiredAt !== undefined)
      return { head: NO_HEAD, result: JSON.stringify({ expired_at: new Date(expiredAt).toISOString() }) }
    if (!run.result) return NOTHING
    const { ref, bytes } = run.result
    const stored = await (bytes < LONG_BYTES ? this.load(ref) : this.shared(ref))
    return isCutShort(run) ? asPartial(stored) : stored
  }

  /** The head of a run's result; empty if a run object needs nothing of it, and after its retention. */
  async head(run: AdmittedRun): Promise<ResultHead> {
    if (!needsHead(run)) return NO_HEAD
    return (await this.open(run))?.head ?? NO_HEAD
  }

  /** Opens the result of a run to read parts of it. Undefined without a result, and after its retention. */
  async open(run: AdmittedRun): Promise<OpenedResult | undefined> {
    if (!run.result || this.expiredAt(run) !== undefined) return undefined
    const { ref, bytes } = run.result
    const known = this.opened.get(ref)
    if (known) return known
    const opened = await openResult(this.artifacts, run.result)
    if (opened) this.opened.set(ref, opened, Math.min(bytes, HEAD_BYTES))
    return opened
  }

  /** The fields of a result beside its items. Empty without a result, `{ expired_at }` after its retention. */
  async rest(run: AdmittedRun): Promise<ResultRest> {
    const expiredAt = this.expiredAt(run)
    if (expiredAt !== undefined) return { expired_at: new Date(expiredAt).toISOString() }
    const rest = (await (await this.open(run))?.rest()) ?? {}
    return isCutShort(run) ? { ...rest, partial: true } : rest
  }

  /** When the result of a run expired, in milliseconds since 1970; undefined if it has not. */
  private expiredAt(run: AdmittedRun): number | undefined {
    const until = keptUntil(run, this.retentionDays)
    return until !== null && this.now() >= until ? until : undefined
  }

  private async load(ref: string): Promise<RunResult> {
    const body = await this.artifacts.get(ref)
    return body ? decodeResult(body) : NOTHING
  }

  private async shared(ref: string): Promise<RunResult> {
    const known = this.held.get(ref)
    const result = known?.result.deref()
    if (known && result) return { head: known.head, result }
    const earlier = this.loading.get(ref)
    if (earlier) return earlier
    const loading = this.load(ref).finally(() => this.loading.delete(ref))
    this.loading.set(ref, loading)
    const loaded = await loading
    if (loaded.result instanceof Uint8Array) {
      this.held.set(ref, { head: loaded.head, result: new WeakRef(loaded.result) })
      this.dropped.register(loaded.result, ref)
    }
    return loaded
  }
}

/** Whether the stored result is complete, but its run was cancelled at the last moment: it counts as partial. */
const isCutShort = ({ status, result }: AdmittedRun): boolean =>
  status !== 'succeeded' && result?.partial === false

function asPartial(stored: RunResult): RunResult {
  const result = JSON.parse(textOf(stored.result)) as object | null
  return result === null ? stored : { ...stored, result: JSON.stringify({ ...result, partial: true }) }
}
