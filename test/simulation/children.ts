/**
 * A replacement for child processes: runs do what their input says, and their processes die.
 *
 * @module
 */
import { SignInError } from '../../src/browser/signin/errors.ts'
import type { Request } from '../../src/worker/process/execution.ts'
import type { Completion, TaskEnd } from '../../src/worker/process/heard.ts'
import type { ExecutionResult } from '../../src/worker/process/plugin-process.ts'
import type { RunExecution, RunPool } from '../../src/worker/process/pool.ts'
import type { Answer } from '../../src/worker/process/protocol.ts'
import type { Network } from './network.ts'
import type { Life } from './world.ts'

/** How a run ends by itself. */
export const ENDS = ['succeeds', 'fails', 'defect', 'hangs', 'ignores'] as const
export type Script = {
  readonly items: number
  readonly ms: number
  readonly end?: (typeof ENDS)[number]
  readonly blocks?: number
}

/** The pool of one process. */
export class SimulatedPool implements RunPool {
  readonly folder = 'nowhere'
  readonly unfinished = { drop() {} }
  readonly browser = { signIn: () => Promise.reject(new SignInError('no-browser')) }
  private readonly running = new Set<SimulatedExecution>()

  constructor(private readonly network: Network) {}

  get count(): number {
    return this.running.size
  }

  start(): void {}

  figures(): [] {
    return []
  }

  execute(request: Request): RunExecution {
    const execution = new SimulatedExecution(request, this.network)
    this.running.add(execution)
    void execution.result.then(() => this.running.delete(execution))
    return execution
  }

  async stop(): Promise<void> {
    for (const execution of this.running) execution.kill('the worker stops')
  }
}

class SimulatedExecution implements RunExecution {
  readonly result: Promise<ExecutionResult>
  readonly changes = []
  readonly folder = undefined
  private readonly resolve: (result: ExecutionResult) => void
  private readonly script: Script
  private readonly life: Life | undefined
  private brought = 0
  private paid = 0
  private isOver = false
  private isAborted = false
  private answered: ((isPaid: boolean) => void) | undefined

  constructor(
    private readonly request: Request,
    private readonly network: Network,
  ) {
    const { promise, resolve } = Promise.withResolvers<ExecutionResult>()
    this.result = promise
    this.resolve = resolve
    this.script = JSON.parse(request.job.input)
    this.life = network.world.here()
    this.later(1 + 5 * network.world.random.next(), () => void this.perform())
  }

  abort(): void {
    if (this.isAborted) return
    this.isAborted = true
    if (this.script.end !== 'ignores') this.later(5, () => this.end({ status: 'stopped' }))
  }

  kill(reason: string): void {
    this.over({ kind: 'died', cause: 'killed', reason, alone: true })
  }

  answer(answer: Answer): void {
    if (answer.type === 'charged') this.answered?.(answer.paid)
  }

  private async perform(): Promise<void> {
    const { items, ms, end = 'succeeds' } = this.script
    const { request, network } = this
    const { random } = network.world
    // A source may have fewer items when a run is executed again.
    const { blocks: most = 0 } = this.script
    const blocks = random.chance(0.5) ? most : random.whole(0, most)
    const steps = Math.max(1, Math.min(items, 3))
    for (let step = 0; step < steps; step++) {
      await this.pause(ms / steps)
      if (this.isOver) return
      if (network.happens('child killed'))
        return this.over({ kind: 'died', cause: 'lost', reason: 'ended by SIGKILL', alone: true })
      this.bring(Math.ceil((items * (step + 1)) / steps))
    }
    for (let block = 1; block <= blocks; block++) {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      this.answered = resolve
      request.hear({ type: 'charge', id: block, block })
      if (!(await promise)) break
      if (this.isOver) return
      this.paid++
    }
    if (end === 'hangs' || end === 'ignores' || this.isOver || this.isAborted) return
    const spent = 4 + 2 * this.paid
    if (end === 'succeeds')
      this.end({ status: 'succeeded', rest: JSON.stringify({ next_cursor: null, spent }) })
    else if (end === 'fails') this.end({ status: 'failed', code: 'not-found', detail: 'It is not there.' })
    else this.end({ status: 'errored', code: 'defect', reason: 'It was told to.' })
  }

  /** Delivers the items up to a number. */
  private bring(upTo: number): void {
    const texts: string[] = []
    for (; this.brought < upTo; this.brought++) texts.push(JSON.stringify({ n: this.brought }))
    if (texts.length > 0) this.request.hear({ type: 'items', text: texts.join(','), count: texts.length })
    this.request.hear({ type: 'progress', done: this.brought, total: this.script.items, message: null })
  }

  private end(end: TaskEnd): void {
    const completion: Completion = { end, hasFolder: false, fill: null, text: '', count: 0 }
    this.over({ kind: 'completed', ...completion })
  }

  private over(result: ExecutionResult): void {
    if (this.isOver) return
    this.isOver = true
    this.resolve(result)
  }

  private later(ms: number, act: () => void): void {
    this.network.world.after(ms, act, this.life)
  }

  private pause(ms: number): Promise<void> {
    return new Promise((go) => this.later(ms, go))
  }
}
