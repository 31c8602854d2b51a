/**
 * Waiting that takes no time: a test learns how long a call would wait, however fast the machine is.
 *
 * @module
 */
import timers from 'node:timers'
import { clock, replaceClock } from '../../src/async/clock.ts'
import { replaceTimers, type Timer } from '../../src/async/timers.ts'

/**
 * Awaits a call that only timers of the program can end, since what it waits for never answers. Its timers fire one after
 * the other, and the program's clock shows the time for which each was set.
 *
 * @param isIdle whether nothing is awaited that needs real time, such as a database's answer; no timer fires before
 * @returns the call's error, undefined if it succeeded, and how long it would have waited, in milliseconds
 */
export async function skippingTime(
  call: () => Promise<unknown>,
  isIdle: () => boolean = () => true,
): Promise<{ error: unknown; ms: number }> {
  const time = new SkippedTime()
  time.begin()
  try {
    let isOver = false
    const error = call().then(
      () => undefined,
      (reason) => reason,
    )
    void error.then(() => {
      isOver = true
    })
    while (!isOver) {
      await new Promise<void>((go) => timers.setImmediate(go))
      if (!isOver && isIdle()) time.fireNext()
    }
    return { error: await error, ms: time.ms }
  } finally {
    time.end()
  }
}

class SkippedTime {
  ms = 0
  private readonly pending = new Set<SkippedTimer>()

  begin(): void {
    const [now, monotonic] = [clock.now(), clock.monotonic()]
    replaceClock({ now: () => now + this.ms, monotonic: () => monotonic + this.ms })
    const start = (act: () => void, ms: number, repeats: boolean) => {
      const timer = new SkippedTimer(this, act, ms, repeats)
      return timer.refresh()
    }
    replaceTimers({
      setTimeout: (act, ms) => start(act, ms, false),
      setInterval: (act, ms) => start(act, ms, true),
      clearTimeout: (timer) => this.clear(timer),
      clearInterval: (timer) => this.clear(timer),
      setImmediate: (act) => void timers.setImmediate(act),
    })
  }

  wait(timer: SkippedTimer): void {
    this.pending.add(timer)
  }

  fireNext(): void {
    const [next] = [...this.pending].sort((a, b) => a.at - b.at)
    if (!next) return
    this.ms = Math.max(this.ms, next.at)
    this.pending.delete(next)
    if (next.repeats) next.refresh()
    next.act()
  }

  /** Restores the system's clock and timers. What still waits is dropped. */
  end(): void {
    replaceClock()
    replaceTimers()
  }

  private clear(timer: Timer): void {
    // A timer that was set before belongs to the system.
    if (timer instanceof SkippedTimer) this.pending.delete(timer)
    else timers.clearTimeout(timer as NodeJS.Timeout)
  }
}

class SkippedTimer implements Timer {
  at = 0

  constructor(
    private readonly time: SkippedTime,
    readonly act: () => void,
    private readonly waitMs: number,
    readonly repeats: boolean,
  ) {}

  unref(): Timer {
    return this
  }

  refresh(): Timer {
    this.at = this.time.ms + this.waitMs
    this.time.wait(this)
    return this
  }
}
