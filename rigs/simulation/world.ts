/**
 * Virtual time for many nodes in one process: a queue of steps that are executed one after the other. Between two steps
 * all promises that can continue do so. A run depends only on its seed.
 *
 * The asynchronous context tells which node some code belongs to. Timers, clock and store calls belong to the life in
 * which they were requested. After the end of a life none of them returns.
 *
 * @module
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers'
import { replaceClock } from '../../src/async/clock.ts'
import { replaceTimers, type Timer } from '../../src/async/timers.ts'
import { replaceRandomness } from '../../src/random.ts'
import { randomnessOf, Seeded } from './random.ts'
import { noteListeners } from './signals.ts'

/** The start time of every simulation, in milliseconds since 1970: at noon, so that the canary has runs to catch up. */
export const BEGINNING = Date.UTC(2026, 0, 1, 12)

/** A machine: its clock continues when a process on it dies. */
export type Machine = { readonly name: string; clockMs: number }

/** One life of a process, from its start to its death. */
export class Life {
  isDead = false
  /** the steps that are held back while the process is frozen; undefined: it is not frozen */
  heldSteps: Next[] | undefined
  private readonly ends = new Set<() => void>()

  constructor(
    readonly machine: Machine,
    readonly number: number,
  ) {}

  get name(): string {
    return `${this.machine.name}.${this.number}`
  }

  /** Adds a function that is called when it dies. @returns a function that removes it */
  onDeath(act: () => void): () => void {
    this.ends.add(act)
    return () => this.ends.delete(act)
  }

  die(): void {
    if (this.isDead) return
    this.isDead = true
    for (const act of this.ends) act()
  }
}

type Next = { at: number; order: number; life: Life | undefined; act: () => void; isCancelled: boolean }

/** In characters: hashing in blocks, because each call of the hash is expensive. */
const HASHED_AT_ONCE = 16_384

const turn = () => new Promise<void>((go) => setImmediate(go))

export class World {
  /** Milliseconds since the beginning. */
  time = 0
  /** for latencies and the actions of clients; the program has its own generator */
  readonly random: Seeded
  /** The violations, in the order in which they were found. */
  readonly wrong: string[] = []
  /** Counters, by name. */
  readonly counts = new Map<string, number>()
  /** The trace, if it is requested. */
  readonly trace: string[] | undefined
  events = 0
  private readonly hash = createHash('sha256')
  private unhashed = ''
  private readonly lives = new AsyncLocalStorage<Life | undefined>()
  private readonly queue: Next[] = []
  private order = 0
  private readonly takeOffListeners = noteListeners()

  constructor(seed: number, withTrace = false) {
    this.random = new Seeded(seed)
    this.trace = withTrace ? [] : undefined
    const product = this.random.fork()
    replaceRandomness(randomnessOf(product))
    replaceClock({
      now: () => Math.floor(BEGINNING + this.time + (this.here()?.machine.clockMs ?? 0)),
      monotonic: () => this.time,
    })
    replaceTimers({
      setTimeout: (act, ms) => this.timer(act, ms, false),
      clearTimeout: (timer) => (timer as WorldTimer).clear(),
      setInterval: (act, ms) => this.timer(act, ms, true),
      clearInterval: (timer) => (timer as WorldTimer).clear(),
      setImmediate: (act) => void this.after(0, act, this.here()),
    })
  }

  /** The life that the running code belongs to; undefined outside nodes. */
  here(): Life | undefined {
    return this.lives.getStore()
  }

  /** Runs a function in a life, or outside of all lives. */
  as<T>(life: Life | undefined, act: () => T): T {
    return this.lives.run(life, act)
  }

  /** Runs a function after some milliseconds, unless its life has ended by then. */
  after(ms: number, act: () => void, life?: Life): Next {
    const at = this.time + Math.max(0, ms)
    const next = { at, order: this.order++, life, act, isCancelled: false }
    this.push(next)
    return next
  }

  /** Suspends a process for a while; it resumes without noticing. */
  freeze(life: Life, ms: number): void {
    if (life.heldSteps || life.isDead) return
    life.heldSteps = []
    this.note(`freezes ${life.name}`)
    const { heldSteps } = life
    this.after(ms, () => {
      if (life.heldSteps === heldSteps) this.thaw(life)
    })
  }

  thaw(life: Life): void {
    const heldSteps = life.heldSteps ?? []
    life.heldSteps = undefined
    this.note(`thaws ${life.name}`)
    for (const next of heldSteps) {
      next.at = Math.max(next.at, this.time)
      this.push(next)
    }
  }

  /** Resolves after some milliseconds; for clients, whose life does not end. */
  sleep(ms: number): Promise<void> {
    return new Promise((go) => {
      this.after(ms, go)
    })
  }

  /** Executes steps until a time, or until none is left. */
  async run(until: number, isOver: () => boolean = () => false): Promise<void> {
    await turn()
    while (!isOver()) {
      const next = this.queue[0]
      if (!next || next.at > until) {
        this.time = Math.max(this.time, until)
        return
      }
      this.pop()
      if (this.happen(next)) await turn()
    }
  }

  /** Adds a line to the trace and the hash of the run. */
  note(what: string): void {
    const line = `${this.time.toFixed(3)} ${this.here()?.name ?? '-'} ${what}`
    this.unhashed += line
    if (this.unhashed.length > HASHED_AT_ONCE) this.hashRest()
    this.trace?.push(line)
  }

  count(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }

  /** The hash of the trace: two runs with the same hash are equal. */
  digest(): string {
    this.hashRest()
    return this.hash.copy().digest('hex').slice(0, 16)
  }

  /** Restores the clock, timers and random sources of the system. */
  end(): void {
    replaceClock()
    replaceTimers()
    replaceRandomness()
    this.takeOffListeners()
  }

  private hashRest(): void {
    this.hash.update(this.unhashed)
    this.unhashed = ''
  }

  private happen(next: Next): boolean {
    const { life, act, isCancelled } = next
    if (isCancelled || life?.isDead) return false
    if (life?.heldSteps) {
      life.heldSteps.push(next)
      return false
    }
    this.time = Math.max(this.time, next.at)
    this.events++
    try {
      this.as(life, act)
    } catch (error) {
      this.wrong.push(`uncaught: ${(error as Error).stack ?? error}`)
    }
    return true
  }

  private timer(act: () => void, ms: number, repeats: boolean): Timer {
    return new WorldTimer(this, act, Math.max(1, ms), repeats, this.here())
  }

  private push(next: Next): void {
    const { queue } = this
    let i = queue.length
    queue.push(next)
    while (i > 0) {
      const above = (i - 1) >> 1
      if (!isBefore(next, queue[above] as Next)) break
      queue[i] = queue[above] as Next
      i = above
    }
    queue[i] = next
  }

  private pop(): void {
    const { queue } = this
    const last = queue.pop() as Next
    if (queue.length === 0) return
    let i = 0
    for (;;) {
      let below = 2 * i + 1
      if (below >= queue.length) break
      if (below + 1 < queue.length && isBefore(queue[below + 1] as Next, queue[below] as Next)) below++
      if (!isBefore(queue[below] as Next, last)) break
      queue[i] = queue[below] as Next
      i = below
    }
    queue[i] = last
  }
}

const isBefore = (a: Next, b: Next): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

class WorldTimer implements Timer {
  private next: Next | undefined

  constructor(
    private readonly world: World,
    private readonly act: () => void,
    private readonly ms: number,
    private readonly repeats: boolean,
    private readonly life: Life | undefined,
  ) {
    this.arm()
  }

  clear(): void {
    if (this.next) this.next.isCancelled = true
    this.next = undefined
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  refresh(): this {
    this.clear()
    this.arm()
    return this
  }

  private arm(): void {
    this.next = this.world.after(this.ms, () => this.fire(), this.life)
  }

  private fire(): void {
    if (this.repeats) this.arm()
    else this.next = undefined
    this.act()
  }
}
