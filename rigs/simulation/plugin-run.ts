/**
 * A run in a simulated process of plugins: it does what its input says.
 *
 * @module
 */
import type { Completed, OfRun, TaskEnd } from '../../src/worker/process/from-child.ts'
import type { SimulatedProcess } from './plugin-process.ts'

/**
 * How a run ends by itself. `refused`: its source blocks each exit. `cut off`: each exit fails, for all sources or for its
 * own. `ignores`: it ignores its signal, and its code goes on when the service has ended it. The last three end its
 * process: by an uncaught error, by `process.exit`, by too much memory.
 */
export const ENDS = [
  'succeeds',
  'fails',
  'refused',
  'cut off',
  'defect',
  'hangs',
  'ignores',
  'breaks',
  'exits',
  'bursts',
] as const
export type Script = {
  readonly items: number
  readonly ms: number
  readonly end?: (typeof ENDS)[number]
  readonly blocks?: number
}

/** How long a plugin takes to react to its signal, in milliseconds. */
const REACTION_MS = 5
/** Its requests: an exit that made none is not to blame. */
const USED = { requests: 2, bytes: 700 }
/** How often the code of a run that has ended without it says something more. */
const LATE_WORDS = 4

export class SimulatedRun {
  private itemCount = 0
  private paid = 0
  private isOver = false
  private aborts = 0
  private answered: ((isPaid: boolean) => void) | undefined

  constructor(
    private readonly process: SimulatedProcess,
    private readonly script: Script,
    private readonly tell: (message: OfRun) => void,
  ) {}

  async perform(): Promise<void> {
    const { items, ms, end = 'succeeds', blocks: most = 0 } = this.script
    const { process } = this
    const { random } = process.network.world
    // A source may have fewer items when a run is executed again.
    const blocks = random.chance(0.5) ? most : random.whole(0, most)
    const steps = Math.max(1, Math.min(items, 3))
    const pause = async () => {
      await process.pause(ms / (steps + blocks))
      if (process.network.happens('process killed')) process.die('killed')
    }
    for (let step = 0; step < steps; step++) {
      await pause()
      if (this.isSilent) return
      this.bring(Math.ceil((items * (step + 1)) / steps))
    }
    for (let block = 1; block <= blocks; block++) {
      if (!(await this.charge(block))) break
      if (this.isSilent) return
      this.paid++
      await pause()
      if (this.isSilent) return
    }
    this.conclude(end)
  }

  /** Its signal, and a second one when the service ends it without its code. */
  abort(): void {
    this.aborts++
    if (this.script.end === 'ignores') {
      if (this.aborts === 2) void this.talkOn()
    } else if (this.aborts === 1) this.process.later(REACTION_MS, () => this.end({ status: 'stopped' }))
  }

  answer(isPaid: boolean): void {
    this.answered?.(isPaid)
  }

  private get isSilent(): boolean {
    return this.isOver || this.process.isOver
  }

  private conclude(end: (typeof ENDS)[number]): void {
    if (end === 'hangs' || end === 'ignores' || this.aborts > 0) return
    if (end === 'succeeds') this.end({ status: 'succeeded', rest: restOf(4 + 2 * this.paid) })
    else if (end === 'fails') this.end({ status: 'failed', code: 'not-found', detail: 'It is not there.' })
    else if (end === 'refused')
      this.end({ status: 'failed', code: 'source-blocked', detail: 'Not from there.' })
    else if (end === 'cut off') {
      const where = this.process.network.world.random.pick(['everywhere', 'here'] as const)
      const exitFailure = { where, reason: 'it is down' }
      this.end({ status: 'failed', code: 'source-unavailable', detail: 'No way out.', exitFailure })
    } else if (end === 'defect') this.end({ status: 'errored', code: 'defect', reason: 'It was told to.' })
    else this.process.die(end)
  }

  /** Says what a run may say while it is under way. Nothing of it may count for anything. */
  private async talkOn(): Promise<void> {
    const { process, tell } = this
    for (let i = 0; i < LATE_WORDS; i++) {
      await process.pause(process.network.world.random.whole(1, 400))
      tell({ type: 'progress', done: 99, total: null, message: 'too late' })
      tell({ type: 'items', text: JSON.stringify({ n: -1 }), count: 1 })
      tell({ type: 'charge', id: 1, block: 1 })
    }
    this.end({ status: 'succeeded', rest: restOf(0) })
  }

  private charge(block: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.answered = resolve
    this.tell({ type: 'charge', id: block, block })
    return promise
  }

  /** Delivers the items up to a number. */
  private bring(upTo: number): void {
    const texts: string[] = []
    for (; this.itemCount < upTo; this.itemCount++) texts.push(JSON.stringify({ n: this.itemCount }))
    if (texts.length > 0) this.tell({ type: 'items', text: texts.join(','), count: texts.length })
    this.tell({ type: 'progress', done: this.itemCount, total: this.script.items, message: null })
  }

  private end(end: TaskEnd): void {
    if (this.isSilent) return
    this.isOver = true
    const completed: Completed = { end, hasFolder: false, fill: null, text: '', count: 0, usage: USED }
    this.tell({ type: 'completed', ...completed })
  }
}

const restOf = (spent: number): string => JSON.stringify({ next_cursor: null, spent })
