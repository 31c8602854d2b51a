/**
 * Times of last use, for any store: collected in memory and written every few seconds.
 *
 * @module
 */
import { clearTimeout, setTimeout, type Timer } from '../async/timers.ts'

export type LastUsedOptions = {
  /** how long a time of last use stays only in memory, in milliseconds; 3 seconds by default */
  readonly flushMs?: number
  /** called when the times could not be written, which is retried. By default a warning of the process */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** Stores times by name. Several processes may write the same name: the latest time is kept. */
export type TimesOfUse = {
  write(times: readonly (readonly [string, number])[]): Promise<void>
  read(names: readonly string[]): Promise<readonly (number | undefined)[]>
  remove(names: readonly string[]): Promise<void>
}

const FLUSH_MS = 3000

export class LastUsed {
  private readonly unsaved = new Map<string, number>()
  private timer: Timer | undefined

  constructor(
    private readonly kept: TimesOfUse,
    private readonly options: LastUsedOptions,
  ) {}

  /** Notes that something was used. */
  used(name: string, now: number): void {
    this.unsaved.set(name, Math.max(this.unsaved.get(name) ?? 0, Math.floor(now)))
    this.arm()
  }

  /** The times of last use, milliseconds since 1970. */
  async of(names: readonly string[]): Promise<(number | undefined)[]> {
    if (names.length === 0) return []
    const kept = await this.kept.read(names)
    return names.map((name, i) => Math.max(kept[i] ?? 0, this.unsaved.get(name) ?? 0) || undefined)
  }

  /** Deletes the times of these names. */
  async forget(names: readonly string[]): Promise<void> {
    for (const name of names) this.unsaved.delete(name)
    await this.kept.remove(names)
  }

  /** Writes the times that are only in memory. Times that can't be written are lost and reported. */
  async close(): Promise<void> {
    clearTimeout(this.timer)
    await this.flush()
  }

  private arm(): void {
    if (this.timer !== undefined) return
    this.timer = setTimeout(async () => {
      await this.flush()
      this.timer = undefined
      if (this.unsaved.size > 0) this.arm()
    }, this.options.flushMs ?? FLUSH_MS)
    // The timer does not keep the process alive: a process closes its stores, which flushes, before it ends.
    this.timer.unref()
  }

  private async flush(): Promise<void> {
    const times = [...this.unsaved]
    if (times.length === 0) return
    try {
      await this.kept.write(times)
      for (const [name, at] of times) if (this.unsaved.get(name) === at) this.unsaved.delete(name)
    } catch (error) {
      if (this.options.onError) this.options.onError(error)
      else process.emitWarning(`times of last use could not be written: ${error}`)
    }
  }
}
