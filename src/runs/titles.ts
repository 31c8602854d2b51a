/**
 * The titles of runs, which stand with their inputs. A title never changes, so each is read once; the titles of runs
 * that this process admitted are not read at all.
 *
 * @module
 */
import pLimit from 'p-limit'
import type { Artifacts } from '../artifacts/artifacts.ts'
import { BoundedCache } from '../bounded-cache.ts'
import type { RunId } from '../domain/ids.ts'
import type { AdmittedRun } from '../domain/run.ts'
import { unlessAway } from '../log/away.ts'
import { INPUT_HEAD_BYTES, titleIn } from './input.ts'
import { keptUntil } from './run-object.ts'

/** The number of cached titles, of some hundred bytes each. */
const CACHED = 8192
/** Concurrent reads, which hide the latency of a remote store. */
const reading = pLimit(16)

export class Titles {
  /** by the ref of the input, which contains a hash of it */
  private readonly cached = new BoundedCache<string, string | null>(CACHED)

  constructor(
    private readonly artifacts: { readonly open: Artifacts['open'] },
    private readonly retentionDays: number,
    private readonly now: () => number,
  ) {}

  /** Caches the title of an input that was stored under `ref`. */
  remember(ref: string, title: string | null): void {
    this.cached.set(ref, title)
  }

  /** The title of a run; null if it has none, after its retention, and while the store of inputs is unavailable. */
  async of(run: AdmittedRun): Promise<string | null> {
    return (await this.find(run)) ?? null
  }

  /** The titles of many runs, as {@link of} returns them. */
  async ofMany(runs: readonly AdmittedRun[]): Promise<ReadonlyMap<RunId, string | null>> {
    let isAway = false
    const titles = runs.map(async (run) => {
      // An unavailable store would take its time to fail for each run.
      const title = await reading(() => (isAway ? this.known(run) : this.find(run)))
      isAway ||= title === undefined
      return [run.runId, title ?? null] as const
    })
    return new Map(await Promise.all(titles))
  }

  /** As {@link of}, but undefined while the store of inputs is unavailable: the title is not known now. */
  async find(run: AdmittedRun): Promise<string | null | undefined> {
    const known = this.known(run)
    return known === undefined ? unlessAway(this.read(run.inputRef)) : known
  }

  /** The title of a run if nothing has to be read for it, otherwise undefined. */
  private known(run: AdmittedRun): string | null | undefined {
    const until = keptUntil(run, this.retentionDays)
    return until !== null && this.now() >= until ? null : this.cached.get(run.inputRef)
  }

  private async read(ref: string): Promise<string | null> {
    const opened = await this.artifacts.open(ref, { start: 0, end: INPUT_HEAD_BYTES - 1 })
    // Deleted from outside.
    if (!opened) return null
    const title = titleIn(await new Response(opened.body).bytes())
    this.cached.set(ref, title)
    return title
  }
}
