/**
 * The shared pace in Redis: one bucket for each source and host, and a registry of the nodes with their heartbeats. See
 * pace-scripts.ts.
 *
 * @module
 */
import { clock } from '../../async/clock.ts'
import { clearInterval, setInterval, setTimeout, type Timer } from '../../async/timers.ts'
import { randomUUID } from '../../random.ts'
import type { RedisConnection } from '../../redis/connection.ts'
import type { RedisScript } from '../../redis/scripts.ts'
import type { NodesRequests, PaceAnswer, PaceQuestion, SharedPace } from '../shared-pace.ts'
import { askPace, countNodes, tellPace } from './pace-scripts.ts'

const NODES = 'gleaner:nodes'
const BEAT_MS = 5000
/** A node is dead after so many heartbeats without a word. */
const MISSED_BEATS = 3
/** For how long words about requests are collected, in milliseconds. */
const COLLECTED_MS = 10

export type RedisSharedPaceOptions = {
  /** milliseconds since 1970, for tests; default: the server's clock */
  readonly now?: (() => number) | undefined
  /** the interval of heartbeats in milliseconds, the same at all nodes; default 5,000 */
  readonly beatMs?: number
}

/** The shared pace of a node, which leaves when it is closed. */
export class RedisSharedPace implements SharedPace {
  private readonly node = randomUUID()
  /** the last counts of nodes, as many as a dead node is counted for */
  private counts: number[] = []
  private beats: Timer | undefined
  /** requests under way, by key. `began`: when the oldest of them did, by the monotonic clock */
  private readonly busy = new Map<string, { readonly busy: number; readonly began: number }>()
  /** the keys of which Redis does not know the number yet */
  private readonly keysToTell = new Set<string>()
  /** the keys whose last word did not arrive. The value: when a pause of theirs ends, by the monotonic clock */
  private readonly lostWords = new Map<string, number>()
  private readonly beatMs: number

  constructor(
    private readonly redis: RedisConnection,
    private readonly options: RedisSharedPaceOptions = {},
  ) {
    this.beatMs = options.beatMs ?? BEAT_MS
  }

  /** The most of the last three heartbeats: an emptied Redis knows few for a moment. */
  get nodes(): number {
    return Math.max(1, ...this.counts)
  }

  join(): void {
    if (this.beats) return
    this.beats = setInterval(() => void this.beat(), this.beatMs).unref()
    void this.beat()
  }

  async ask(question: PaceQuestion): Promise<PaceAnswer> {
    this.join()
    const { key, busy, oldestMs, concurrent, mayExceed, windows } = question
    this.keysToTell.delete(key)
    this.note(question)
    const limits = windows.flatMap(({ most, lengthMs }) => [most, lengthMs])
    const args = [busy, Math.ceil(oldestMs), concurrent, mayExceed ? 1 : 0, ...limits]
    const [kind, ms, isExtra] = (await this.run(askPace, key, args)) as [PaceAnswer['kind'], number, number]
    if (kind !== 'start') return { kind, ms }
    this.note({ key, busy: busy + 1, oldestMs })
    return { kind, ms, isExtra: isExtra === 1 }
  }

  tell(requests: NodesRequests, pauseMs: number): void {
    const { key } = requests
    this.note(requests)
    if (pauseMs > 0) void this.word(key, clock.monotonic() + pauseMs)
    else if (this.keysToTell.size > 0) this.keysToTell.add(key)
    else {
      this.keysToTell.add(key)
      setTimeout(() => this.flush(), COLLECTED_MS).unref()
    }
  }

  async close(): Promise<void> {
    if (!this.beats) return
    clearInterval(this.beats)
    this.flush()
    await this.count(true)
  }

  private flush(): void {
    for (const key of this.keysToTell) void this.word(key)
    this.keysToTell.clear()
  }

  /** Keeps what heartbeats repeat. */
  private note({ key, busy, oldestMs }: NodesRequests): void {
    if (busy === 0) this.busy.delete(key)
    else this.busy.set(key, { busy, began: clock.monotonic() - oldestMs })
  }

  private async beat(): Promise<void> {
    const words = new Map(this.lostWords)
    this.lostWords.clear()
    // Redis may have been emptied, or has not heard of these for so long that the node seems dead.
    for (const key of new Set([...this.busy.keys(), ...words.keys()])) void this.word(key, words.get(key))
    await this.count(false)
  }

  private async count(leaves: boolean): Promise<void> {
    const args = [NODES, ...this.first(), leaves ? 1 : 0]
    try {
      const count = (await this.redis.ask((client) => client.run(countNodes, args))) as number
      this.counts = [count, ...this.counts].slice(0, MISSED_BEATS)
    } catch {
      // The last known number counts. The connection has reported the failure.
    }
  }

  /** @param pausedUntil by the monotonic clock */
  private async word(key: string, pausedUntil = Number.NEGATIVE_INFINITY): Promise<void> {
    const { busy, began } = this.busy.get(key) ?? { busy: 0, began: clock.monotonic() }
    const oldestMs = clock.monotonic() - began
    const pauseMs = Math.max(0, pausedUntil - clock.monotonic())
    try {
      await this.run(tellPace, key, [busy, Math.ceil(oldestMs), Math.ceil(pauseMs)])
    } catch {
      this.lostWords.set(key, Math.max(pausedUntil, this.lostWords.get(key) ?? pausedUntil))
    }
  }

  private run(script: RedisScript, key: string, args: readonly (string | number)[]): Promise<unknown> {
    const keys = ['starts', 'nodes', 'pause'].map((name) => `gleaner:{pace ${key}}:${name}`)
    return this.redis.ask((client) => client.run(script, [...keys, ...this.first(), ...args]))
  }

  /** The first arguments of all scripts: the time, or "" for the server's; the node; when nodes are dead. */
  private first(): readonly (string | number)[] {
    const { now } = this.options
    return [now ? String(Math.floor(now())) : '', this.node, this.beatMs * MISSED_BEATS]
  }
}
