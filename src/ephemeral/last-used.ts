/**
 * Times of last use, for any store: collected in memory and written every few seconds.
 *
 * @module
 */
import type { EphemeralStore } from './ephemeral-store.ts'
import { type WriteBehindOptions, writeBehind } from './write-behind.ts'

/** Stores times by name. Several processes may write the same name: the latest time is kept. */
export type TimesOfUse = {
  write(times: readonly (readonly [string, number])[]): Promise<void>
  read(names: readonly string[]): Promise<readonly (number | undefined)[]>
  remove(names: readonly string[]): Promise<void>
}

const warn = (error: unknown): void => process.emitWarning(`times of last use could not be written: ${error}`)

/** The part of an ephemeral store that keeps times of last use. */
export function timesOfLastUse(
  kept: TimesOfUse,
  options: WriteBehindOptions,
): Pick<EphemeralStore, 'used' | 'lastUsed' | 'forget' | 'close'> {
  const { onError = warn } = options
  const unsaved = new Map<string, number>()
  const flush = async () => {
    const times = [...unsaved]
    if (times.length === 0) return
    try {
      await kept.write(times)
      for (const [name, at] of times) if (unsaved.get(name) === at) unsaved.delete(name)
    } catch (error) {
      onError(error)
    }
  }
  const { arm, close } = writeBehind(unsaved, flush, options)
  return {
    used(name, now) {
      unsaved.set(name, Math.max(unsaved.get(name) ?? 0, Math.floor(now)))
      arm()
    },
    async lastUsed(names) {
      if (names.length === 0) return []
      const times = await kept.read(names)
      return names.map((name, i) => Math.max(times[i] ?? 0, unsaved.get(name) ?? 0) || undefined)
    },
    async forget(names) {
      for (const name of names) unsaved.delete(name)
      await kept.remove(names)
    },
    /** Writes the times that are only in memory. Times that can't be written are lost and reported. */
    close,
  }
}
