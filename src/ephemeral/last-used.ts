/**
 * Times of last use, for any store: in memory, and written every few seconds.
 *
 * @module
 */
import { clearTimeout, setTimeout } from 'node:timers'
import type { KeyId } from '../domain/ids.ts'

export type LastUsedOptions = {
  /** how long a time of last use stays in memory alone, in milliseconds; 3 seconds by default */
  readonly flushMs?: number
  /** told when the times could not be written; they are tried again. By default a warning of the process */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** Where they are kept. Several processes may write the same key: the latest time stands. */
export type TimesOfUse = {
  write(times: readonly (readonly [KeyId, number])[]): Promise<void>
  read(keys: readonly KeyId[]): Promise<readonly (number | undefined)[]>
}

const FLUSH_MS = 3000

export class LastUsed {
  private readonly unsaved = new Map<KeyId, number>()
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly kept: TimesOfUse,
    private readonly options: LastUsedOptions,
  ) {}

  /** Notes that a key was used. */
  used(key: KeyId, now: number): void {
    this.unsaved.set(key, Math.max(this.unsaved.get(key) ?? 0, Math.floor(now)))
    this.arm()
  }

  /** When keys were last used, milliseconds since 1970. */
  async of(keys: readonly KeyId[]): Promise<(number | undefined)[]> {
    if (keys.length === 0) return []
    const kept = await this.kept.read(keys)
    return keys.map((key, i) => Math.max(kept[i] ?? 0, this.unsaved.get(key) ?? 0) || undefined)
  }

  /** Writes the times that are in memory alone; those that can't be written are lost, and told of. */
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
    // A process that has nothing else to do may end: it closes what it opened before.
    this.timer.unref()
  }

  private async flush(): Promise<void> {
    const times = [...this.unsaved]
    if (times.length === 0) return
    try {
      await this.kept.write(times)
      for (const [key, at] of times) if (this.unsaved.get(key) === at) this.unsaved.delete(key)
    } catch (error) {
      if (this.options.onError) this.options.onError(error)
      else process.emitWarning(`times of last use could not be written: ${error}`)
    }
  }
}
