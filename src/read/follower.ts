/**
 * Follows the log for a group of projections and writes their rows and positions, those of a batch with one commit.
 *
 * Several processes may follow for the same read models: a commit succeeds only where the positions are still those
 * that its rows were made from. Who loses stands by, and takes over when the positions stop moving.
 *
 * @module
 */
import { delay } from '../async/delay.ts'
import { type EventLog, LogReplaced, type Position } from '../log/event-log.ts'
import { Folder, type OnDefect } from './fold.ts'
import { Inbox } from './inbox.ts'
import { add, nothing, type Pending } from './pending.ts'
import {
  type Changes,
  isSame,
  lowest,
  type Model,
  newBuild,
  type ProjectedTo,
  type Projection,
  type ReadModels,
  type Row,
} from './read-models.ts'
import { Waiters } from './waiters.ts'

/** What the log of the process must offer; the service's logger does. */
export type ProjectorLogger = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export type FollowerOptions = {
  /** how many events are folded in memory at most before they are written */
  readonly batch: number
  readonly onDefect: OnDefect
  /** told after each commit */
  readonly onCommit?: ((done: Committed) => void) | undefined
  /** errors end `run` instead of being tried again */
  readonly strict?: boolean
  readonly logger?: ProjectorLogger | undefined
}

/** A commit: how many events it brought, the last one's position, and its first one's time. */
export type Committed = {
  readonly events: number
  readonly position: Position
  /** RFC 3339: when the oldest of its events was decided; undefined when it has none */
  readonly oldest: string | undefined
}

/** Between two commits when live, in milliseconds; for somebody who waits the next one comes at once. */
const GAP_MS = 100
/** While standing by: how often the positions are looked at, and how many looks without a move mean that nobody works. */
const LOOK_MS = 200
const STILL_LOOKS = 2
/** How often a projector that has nothing to do looks whether its rows are still there: they may be lost as a whole. */
const IDLE_LOOK_MS = 1000
const RETRY_MS = 100
const LONGEST_RETRY_MS = 5000

export class Follower {
  private readonly folder: Folder
  private readonly stopping = new AbortController()
  private standing: (ProjectedTo | null)[] = []
  /** the log in which they stand: what was read from it is not written after another one has taken its place */
  private logId = ''
  private inbox: Inbox | undefined
  private failures = 0
  /** callers of {@link reached} without an answer */
  readonly waiters = new Waiters()
  private running: Promise<void> | undefined
  /** the commit that is under way */
  private writing: Promise<boolean> | undefined
  /** up to here every row is written, if not the position itself; -1 before the first event */
  private done = -1
  /** since when there has been something to do, in milliseconds of `performance.now()` */
  behindSince: number | undefined = performance.now()

  constructor(
    private readonly log: EventLog,
    private readonly readModels: ReadModels,
    readonly projections: readonly Projection[],
    private readonly options: FollowerOptions,
  ) {
    this.folder = new Folder(readModels, projections, options.onDefect)
  }

  /** The position up to which every row is written; null before the first event. */
  get position(): Position | null {
    return this.done < 0 ? null : (this.done as Position)
  }

  /** Whether a model is one of this group's. */
  follows(model: Model): boolean {
    return this.indexOf(model) >= 0
  }

  /** Where a model stood when it was last looked at or written; null: nowhere, or none of this group's. */
  stood(model: Model): Position | null {
    return this.standing[this.indexOf(model)]?.position ?? null
  }

  private indexOf({ name, version }: Model): number {
    return this.projections.findIndex((one) => one.name === name && one.version === version)
  }

  /** Follows until `stop`. @throws in strict mode only */
  run(): Promise<void> {
    this.running ??= this.follow().finally(() => {
      this.waiters.end()
    })
    return this.running
  }

  /** Writes what was gathered and ends. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await this.running
  }

  /**
   * Waits until every row up to a position is written.
   *
   * @param timeoutMs milliseconds; for ever by default
   * @returns false when time is up, or when it is stopped before
   */
  reached(position: number, timeoutMs?: number): Promise<boolean> {
    if (this.done >= position) return Promise.resolve(true)
    if (this.stopping.signal.aborted) return Promise.resolve(false)
    this.inbox?.hurry()
    return this.waiters.wait(position, timeoutMs)
  }

  private async follow(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        await this.look()
        if ((await this.work()) === 'outrun') await this.standBy()
      } catch (error) {
        if (this.options.strict) throw error
        if (error instanceof LogReplaced) continue
        this.options.logger?.error({ err: error, ...this.names }, 'projecting failed and is tried again')
        await delay(Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** this.failures++), this.stopping.signal)
      }
    }
  }

  /** Reads where the projections stand. What stands in another log, or beyond the end of this one, begins anew. */
  private async look(): Promise<void> {
    this.logId = this.log.id
    const standing = await this.positions()
    for (const [i, projection] of this.projections.entries()) {
      const at = standing[i]
      if (!at || (at.logId === this.logId && (await this.log.knows(at.position)))) continue
      this.options.logger?.warn(
        { model: projection.name, version: projection.version, stood: at, log: this.log.id },
        'a read model stands where this log has never been: it is made anew',
      )
      await this.readModels.reset(projection)
      standing[i] = null
    }
    this.standing = standing
    this.stand(lowest(standing))
  }

  private positions(): Promise<(ProjectedTo | null)[]> {
    return Promise.all(this.projections.map((projection) => this.readModels.position(projection)))
  }

  private async work(): Promise<'stopped' | 'outrun'> {
    this.folder.forget()
    const from = lowest(this.standing)
    const reading = new AbortController()
    const signal = AbortSignal.any([reading.signal, this.stopping.signal])
    const deliveries = this.log.subscribe(from < 0 ? null : (from as Position), { signal })
    const inbox = new Inbox(deliveries, from, this.options.batch, () => {
      this.behindSince ??= performance.now()
    })
    this.inbox = inbox
    if (this.waiters.size > 0) inbox.hurry()
    try {
      return await this.consume(inbox)
    } finally {
      this.inbox = undefined
      reading.abort()
      await inbox.close()
      // Where the models stand is looked at only after it.
      await this.writing?.catch(() => {})
    }
  }

  private async consume(inbox: Inbox): Promise<'stopped' | 'outrun'> {
    let notBefore = 0
    let pending: Pending = nothing()
    this.writing = undefined
    for (;;) {
      const idle = performance.now() + IDLE_LOOK_MS
      const gathered = await inbox.take({ notBefore, until: pending.until ?? idle })
      const events = gathered?.events ?? []
      if (gathered && !pending.last && events.length === 0 && performance.now() >= idle) {
        if (!(await this.written()) || !(await this.stillStands())) return 'outrun'
        if (gathered.live && inbox.isEmpty) this.behindSince = undefined
        continue
      }
      const rows = await this.folder.fold(
        events,
        this.standing.map((at) => at?.position ?? -1),
      )
      pending = add(pending, events)
      const changed = rows.some(({ size }) => size > 0)
      const due =
        pending.count >= this.options.batch || performance.now() >= (pending.until ?? 0) || !gathered
      if (pending.last && (changed || due)) {
        if (!(await this.written())) return 'outrun'
        this.writing = this.commit(pending, rows)
        // Whoever awaits it hears of its failure.
        this.writing.catch(() => {})
        notBefore = performance.now() + GAP_MS
        pending = nothing()
      }
      // While catching up the next batch is folded meanwhile; its rows come from memory, or were not touched.
      if (gathered && !gathered.live) continue
      if (!(await this.written())) return 'outrun'
      if (!gathered) return 'stopped'
      if (inbox.isEmpty) this.behindSince = undefined
      const newest = events.at(-1)
      if (newest) this.stand(newest.position)
    }
  }

  /** Resolves when the commit that is under way is done. @returns false when another projector was faster */
  private async written(): Promise<boolean> {
    const done = (await this.writing) ?? true
    this.writing = undefined
    return done
  }

  /** @returns false when somebody has moved a model, or it was lost */
  private async stillStands(): Promise<boolean> {
    const standing = await this.positions()
    return standing.every((at, i) => isSame(at, this.standing[i] ?? null))
  }

  /** @returns false when another projector was faster */
  private async commit(pending: Pending, rows: readonly Map<string, Row | null>[]): Promise<boolean> {
    const { last, count, oldest } = pending
    if (!last) return true
    if (this.log.id !== this.logId) return false
    const at = { logId: this.logId, position: last.position }
    const changes: Changes[] = []
    for (const [i, model] of this.projections.entries()) {
      const from = this.standing[i] ?? null
      // One that stands further already saw none of these events.
      if (from && from.position >= at.position) continue
      const to: ProjectedTo = from ? { ...from, ...at } : { ...at, build: newBuild() }
      changes.push({ model, from, to, rows: rows[i] ?? new Map() })
    }
    if (!(await this.readModels.commit(changes))) return false
    this.failures = 0
    const moved = new Map(changes.map(({ model, to }) => [model, to]))
    this.standing = this.projections.map((model, i) => moved.get(model) ?? this.standing[i] ?? null)
    this.stand(last.position)
    this.options.onCommit?.({ events: count, position: last.position, oldest })
    return true
  }

  /** Another projector is at work: waits until the positions stop moving before the end of the log. */
  private async standBy(): Promise<void> {
    this.options.logger?.info(this.names, 'another projector is at work, standing by')
    let before = ''
    for (let still = 0; still < STILL_LOOKS && !this.stopping.signal.aborted; ) {
      await delay(LOOK_MS, this.stopping.signal)
      const standing = await this.positions()
      const head = (await this.log.head()) ?? -1
      const now = JSON.stringify(standing)
      const reached = lowest(standing.map((at) => (at?.logId === this.log.id ? at : null)))
      this.stand(reached)
      still = now === before && reached < head ? still + 1 : 0
      before = now
      if (reached >= head) this.behindSince = undefined
      else this.behindSince ??= performance.now()
    }
  }

  /** Every row up to a position is written. It goes back when somebody has begun a model anew. */
  private stand(position: number): void {
    this.done = position
    this.waiters.reached(position)
  }

  private get names(): { readonly models: readonly string[] } {
    return {
      models: this.projections.map(
        ({ name, version, draft }) => `${name} ${version}${draft ? ' (draft)' : ''}`,
      ),
    }
  }
}
