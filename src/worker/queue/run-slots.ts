/**
 * The places of this worker's runs among those of all workers: an account's limit holds over all of them, and no two
 * race for one run. They only keep the peace: whose a run is, its stream says.
 *
 * @module
 */
import type { AccountId, RunId } from '../../domain/ids.ts'
import type { HeldPlace, Place, Volatile } from '../../ephemeral/ephemeral-store.ts'
import type { Logger } from '../../logger.ts'

export type PlacesDeps = {
  readonly volatile: Pick<Volatile, 'occupy' | 'keep' | 'vacate'>
  readonly logger: Logger
  /** milliseconds since 1970 */
  readonly now: () => number
  /** the worker */
  readonly holder: string
}

/** Longer than any worker that works hears of an end later, in milliseconds. */
const ENDED_MS = 60_000

export class HeldPlaces {
  private readonly held = new Map<RunId, HeldPlace>()
  private keepAt = 0

  /** @param leaseMs how long a run keeps its place when its worker dies: as long as its lease, in milliseconds */
  constructor(
    private readonly deps: PlacesDeps,
    readonly leaseMs: number,
  ) {}

  /**
   * Asks for a place.
   *
   * @param limit how many the account has over all workers; 0: any number
   * @throws {StoreUnavailable}
   */
  async occupy(run: RunId, account: AccountId, limit: number): Promise<Place> {
    const { volatile, holder, now } = this.deps
    const place = { run, account, holder }
    const answer = await volatile.occupy(place, limit, this.leaseMs, now())
    if (answer === 'granted') this.held.set(run, place)
    return answer
  }

  /**
   * Gives a place back; nothing when there is none.
   *
   * @param hasEnded whether the run is over, so that nobody who has not heard of it tries to begin it
   */
  async vacate(run: RunId, hasEnded: boolean): Promise<void> {
    const place = this.held.get(run)
    if (!place) return
    this.held.delete(run)
    try {
      await this.deps.volatile.vacate(place, hasEnded ? ENDED_MS : 0, this.deps.now())
    } catch (error) {
      // It ends by itself, after a lease at the latest.
      this.deps.logger.warn({ err: error, run_id: run }, 'the place of a run could not be given back')
    }
  }

  /** To be called several times in a third of a lease. */
  tick(now: number): void {
    if (now < this.keepAt || this.held.size === 0) return
    this.keepAt = now + this.leaseMs / 3
    void this.keep()
  }

  private async keep(): Promise<void> {
    const places = [...this.held.values()]
    try {
      await this.deps.volatile.keep(places, this.leaseMs, this.deps.now())
    } catch (error) {
      // Others may take them meanwhile, which exceeds limits and harms no run; the next time brings them back.
      this.deps.logger.warn({ err: error, places: places.length }, 'places of runs could not be kept')
    }
  }
}
