/**
 * A simulated process of plugins, as `node:child_process` shows it to the service: it executes many runs at once, and
 * dies with all of them.
 *
 * @module
 */
import { EventEmitter } from 'node:events'
import type { FromChild, OfRun } from '../../src/worker/process/from-child.ts'
import { HEARTBEAT_MS, type Job, type RunNumber, type ToChild } from '../../src/worker/process/protocol.ts'
import type { Network } from './network.ts'
import { SimulatedRun } from './plugin-run.ts'
import { BEGINNING, type Life } from './world.ts'

/** One execution of a run, for the judge. Times are milliseconds since 1970. */
export type Executed = {
  readonly run: string
  /** the node's life that wanted it */
  readonly life: string
  /** its process, unique within the life */
  readonly process: number
  readonly begun: number
  /** its process died with it, and not by the service's own wish */
  death?: {
    readonly at: number
    readonly isLost: boolean
    /** the process had executed no other run */
    readonly isAlone: boolean
  }
}

/** How a process dies: what its plugins do, or from outside. */
export type Dying = 'breaks' | 'exits' | 'bursts' | 'killed'

/** How long messages between the service and the process take, in milliseconds. */
const TRANSIT_MS = 0.2
/** The channel of one in so many processes stays open after their exit, because something they started holds it. */
const HELD_OPEN = 10

export class SimulatedProcess extends EventEmitter {
  readonly pid = undefined
  readonly stdout = null
  readonly stderr = null
  isOver = false
  private readonly life: Life | undefined
  private readonly runs = new Map<RunNumber, { readonly run: SimulatedRun; readonly executed: Executed }>()
  private served = 0
  private words: FromChild[] = []

  /** @param executed where it notes what it executes */
  constructor(
    readonly network: Network,
    private readonly number: number,
    private readonly executed: Executed[],
  ) {
    super()
    this.life = network.world.here()
  }

  /** A message of the service. */
  send(messages: readonly ToChild[]): boolean {
    this.later(TRANSIT_MS, () => {
      for (const message of messages) this.receive(message)
    })
    return true
  }

  /** Killed by the service. */
  kill(): void {
    this.exit(null, 'SIGKILL')
  }

  /** Dies with all of its runs. */
  die(how: Dying): void {
    if (this.isOver) return
    const { world } = this.network
    const death = { at: BEGINNING + world.time, isLost: how === 'killed', isAlone: this.served === 1 }
    for (const { executed } of this.runs.values()) executed.death = death
    world.count(`a process of ${this.runs.size > 1 ? 'several runs' : 'one run'} died: ${how}`)
    world.note(`process ${this.number} dies with ${this.runs.size} runs: ${how}`)
    if (how === 'breaks' || how === 'bursts')
      this.tell({ type: 'crashed', reason: 'It was told to.', memory: how === 'bursts' })
    if (how === 'killed') this.exit(null, 'SIGKILL')
    else this.exit(1, null)
  }

  /** Calls a function after some milliseconds, unless the process has ended by then. */
  later(ms: number, act: () => void): void {
    this.network.world.after(ms, () => !this.isOver && act(), this.life)
  }

  pause(ms: number): Promise<void> {
    return new Promise((go) => this.later(ms, go))
  }

  private receive(message: ToChild): void {
    const { random } = this.network.world
    if (message.type === 'setup') this.later(1 + 5 * random.next(), () => this.beat())
    else if (message.type === 'run') this.begin(message.run, message.job)
    else if (message.type === 'abort') this.runs.get(message.run)?.run.abort()
    else if (message.type === 'charged') this.runs.get(message.run)?.run.answer(message.paid)
  }

  private begin(number: RunNumber, { runId, input }: Job): void {
    this.served++
    const run = new SimulatedRun(this, JSON.parse(input), (said) => this.say(number, said))
    const begun = BEGINNING + this.network.world.time
    const executed = { run: runId, life: this.life?.name ?? '', process: this.number, begun }
    this.executed.push(executed)
    this.runs.set(number, { run, executed })
    void run.perform()
  }

  /** A heartbeat, now and from time to time. Now and then its event loop is late. */
  private beat(): void {
    const { random } = this.network.world
    this.tell(random.chance(0.1) ? { type: 'alive', late: random.whole(1, 4) } : { type: 'alive' })
    this.later(HEARTBEAT_MS, () => this.beat())
  }

  private say(number: RunNumber, said: OfRun): void {
    if (said.type === 'completed') this.runs.delete(number)
    this.tell({ ...said, run: number } as FromChild)
  }

  /** The messages of one turn travel together, also when the process ends in that turn. */
  private tell(message: FromChild): void {
    if (this.words.length === 0)
      this.network.world.after(
        TRANSIT_MS,
        () => {
          const { words } = this
          this.words = []
          this.emit('message', words)
        },
        this.life,
      )
    this.words.push(message)
  }

  private exit(code: number | null, signal: string | null): void {
    if (this.isOver) return
    this.isOver = true
    const { world } = this.network
    const isHeldOpen = world.random.whole(1, HELD_OPEN) === 1
    const leave = () => {
      this.emit('exit', code, signal)
      if (!isHeldOpen) this.emit('disconnect')
    }
    world.after(1 + 4 * world.random.next(), leave, this.life)
  }
}
