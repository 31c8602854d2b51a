/** The rate limiter of one of several nodes: which start it asks for, and which request gets it. */
import { describe, expect, test } from 'bun:test'
import type { NodesRequests, PaceAnswer, PaceQuestion, SharedPace } from '../../src/ephemeral/shared-pace.ts'
import { RateLimiter, type Release } from '../../src/net/rate-limiter.ts'
import { Execution, type ExecutionDeps, type Request } from '../../src/worker/process/execution.ts'

const SOURCE = { name: 'lamps', pace: { perSecond: 2, concurrent: 2 } }
const FOREVER = Number.POSITIVE_INFINITY

/** A rate limiter whose questions are answered by the test. */
class Stage {
  at = 0
  nodes = 1
  readonly started: string[] = []
  /** those that were told of a pause that lasts until their run is out of time */
  readonly refused: string[] = []
  readonly questions: PaceQuestion[] = []
  readonly told: (NodesRequests & { readonly pauseMs: number })[] = []
  private readonly answers: PromiseWithResolvers<PaceAnswer>[] = []
  private readonly releases = new Map<string, Release>()
  readonly limiter: RateLimiter

  constructor() {
    const stage = this
    const pace: SharedPace = {
      get nodes() {
        return stage.nodes
      },
      join() {},
      ask(question) {
        stage.questions.push(question)
        const answer = Promise.withResolvers<PaceAnswer>()
        stage.answers.push(answer)
        return answer.promise
      },
      tell(requests, pauseMs) {
        stage.told.push({ ...requests, pauseMs })
      },
    }
    this.limiter = new RateLimiter(() => this.at, {}, pace)
  }

  /** A request by its name, whose first letter is its account. @param leftMs for how long its run may go on */
  ask(name: string, leftMs = FOREVER): void {
    const go = (isPaused: boolean) => void (isPaused ? this.refused : this.started).push(name)
    this.releases.set(name, this.limiter.ask(SOURCE, 'a.example', name[0]!, leftMs, go))
  }

  end(name: string, pauseMs = 0): void {
    this.releases.get(name)?.(pauseMs)
  }

  async answer(answer: PaceAnswer | Error): Promise<void> {
    const asked = this.answers.shift()!
    if (answer instanceof Error) asked.reject(answer)
    else asked.resolve(answer)
    await asked.promise.catch(() => {})
    await Promise.resolve()
  }

  start = (ms = 0, isExtra = false) => this.answer({ kind: 'start', ms, isExtra })

  /** Time passes; a request that comes and goes looks again, as the timer does. */
  pass(ms: number): void {
    this.at += ms
    this.ask('z')
    this.end('z')
  }
}

describe('a node', () => {
  test('asks for one start at a time, and says how many requests it has', async () => {
    const stage = new Stage()
    for (const name of ['a1', 'a2', 'b1']) stage.ask(name)
    expect(stage.questions).toMatchObject([
      { key: 'lamps a.example', busy: 0, oldestMs: 0, concurrent: 2, windows: [{ most: 2, lengthMs: 1000 }] },
    ])
    expect(stage.started).toEqual([])
    stage.at = 7
    await stage.start()
    stage.at = 9
    expect(stage.started).toEqual(['a1'])
    expect(stage.questions[1]).toMatchObject({ busy: 1, oldestMs: 0, mayExceed: true })
    await stage.start()
    // Accounts take turns. Two are under way, so it does not ask for a third.
    expect(stage.started).toEqual(['a1', 'b1'])
    expect(stage.questions.length).toBe(2)
    stage.end('a1')
    expect(stage.questions[2]).toMatchObject({ busy: 1, oldestMs: 0 })
  })

  test('holds a start until its time, and gives it to the request whose turn it is then', async () => {
    const stage = new Stage()
    stage.ask('a1')
    await stage.start(500)
    stage.end('a1')
    stage.at = 499
    stage.ask('b1')
    expect([stage.started, stage.questions.length]).toEqual([[], 1])
    stage.at = 500
    stage.end('a1')
    expect([stage.started, stage.questions.length]).toEqual([['b1'], 1])
  })

  test('gives a start up when nobody waits at its time, and tells that', async () => {
    const stage = new Stage()
    stage.ask('a1')
    await stage.start(500)
    stage.end('a1')
    expect(stage.told).toEqual([])
    stage.at = 501
    stage.end('a1')
    expect(stage.told).toMatchObject([{ busy: 0, pauseMs: 0 }])
    stage.ask('b1')
    expect([stage.started, stage.questions.length]).toEqual([[], 2])
  })

  test('tells when its last request has ended, once', async () => {
    const stage = new Stage()
    stage.ask('a1')
    await stage.start()
    stage.end('a1')
    stage.end('a1')
    expect(stage.told).toMatchObject([{ key: 'lamps a.example', busy: 0, pauseMs: 0 }])
  })

  test('asks again after a while when too many are under way', async () => {
    const stage = new Stage()
    stage.ask('a1')
    await stage.answer({ kind: 'full', ms: 50 })
    stage.pass(49)
    expect(stage.questions.length).toBe(1)
    stage.pass(1)
    expect(stage.questions.length).toBe(2)
  })

  test('keeps its turn while it waits: its question has told the others how many requests it has', async () => {
    const stage = new Stage()
    stage.ask('a1')
    await stage.start()
    stage.ask('a2')
    await stage.answer({ kind: 'full', ms: 50 })
    stage.pass(20)
    expect(stage.told).toEqual([])
  })

  test('asks at once when one of its own requests ends, however long it was to wait', async () => {
    const stage = new Stage()
    stage.ask('a1')
    await stage.start()
    stage.ask('a2')
    await stage.answer({ kind: 'full', ms: 1000 })
    stage.end('a1')
    expect(stage.questions[2]).toMatchObject({ busy: 0 })
  })

  test('gives an extra start only to an account without a request under way', async () => {
    const stage = new Stage()
    stage.ask('a1')
    await stage.start()
    stage.ask('a2')
    stage.ask('b1')
    await stage.start(0, true)
    expect(stage.started).toEqual(['a1', 'b1'])
  })

  test('asks anew when an extra start fits none of its accounts', async () => {
    const stage = new Stage()
    stage.ask('a1')
    await stage.start()
    stage.ask('a2')
    stage.ask('b1')
    stage.end('b1')
    await stage.start(0, true)
    expect(stage.started).toEqual(['a1'])
    expect(stage.questions[2]).toMatchObject({ busy: 1, mayExceed: false })
  })

  test('shares a pause that its host asked for, and keeps one that another node heard of', async () => {
    const stage = new Stage()
    stage.ask('a1')
    await stage.start()
    stage.end('a1', 2000)
    expect(stage.told[0]).toMatchObject({ pauseMs: 2000 })
    stage.at = 2000
    stage.ask('a2')
    await stage.answer({ kind: 'paused', ms: 3000 })
    stage.pass(2999)
    expect(stage.questions.length).toBe(2)
    stage.pass(1)
    expect(stage.questions.length).toBe(3)
  })
})

describe('a pause that another node heard of', () => {
  test('is told at once to the requests whose runs end before it', async () => {
    const stage = new Stage()
    stage.ask('a1', 5000)
    stage.ask('a2', 60_001)
    stage.ask('b1', 60_000)
    await stage.answer({ kind: 'paused', ms: 60_000 })
    expect([stage.refused, stage.started]).toEqual([['a1', 'b1'], []])
    stage.end('a1')
    stage.pass(60_000)
    await stage.start()
    expect(stage.started).toEqual(['a2'])
  })

  test('is told to those that wait when it comes from a response to this node as well', async () => {
    const stage = new Stage()
    stage.ask('a1')
    await stage.start()
    stage.ask('a2', 5000)
    stage.end('a1', 5000)
    expect(stage.refused).toEqual(['a2'])
  })

  test('is in the progress of a run that waits for it', async () => {
    const stage = new Stage()
    const heard: boolean[] = []
    const job = { runId: 'run_1', until: Date.now() + 300_000 }
    const onPause = (isPaused: boolean) => void heard.push(isPaused)
    const request = { job, account: 'acc', source: SOURCE, onPause } as unknown as Request
    const execution = new Execution(1, request, { rateLimiter: stage.limiter } as ExecutionDeps)
    execution.hear({ type: 'acquire', id: 1, host: 'a.example' })
    expect(heard).toEqual([])
    await stage.answer({ kind: 'paused', ms: 60_000 })
    expect(heard).toEqual([true])
    stage.pass(60_000)
    await stage.start()
    expect(heard).toEqual([true, false])
  })
})

describe('while the others cannot be asked', () => {
  test('a node tells that its requests have ended', async () => {
    const stage = new Stage()
    stage.ask('a1')
    await stage.start()
    stage.ask('a2')
    await stage.answer(new Error('away'))
    for (const name of ['a1', 'a2']) stage.end(name)
    expect(stage.told.at(-1)).toMatchObject({ busy: 0 })
  })

  test('a node keeps its share of the pace, and asks again after a second', async () => {
    const stage = new Stage()
    stage.nodes = 4
    for (const name of ['a1', 'a2', 'b1']) stage.ask(name)
    await stage.answer(new Error('away'))
    // A quarter of 2 a second, and one at once instead of 2.
    expect(stage.started).toEqual(['a1'])
    stage.end('a1')
    stage.at = 999
    stage.end('a1')
    expect([stage.started, stage.questions.length]).toEqual([['a1'], 1])
    stage.at = 1000
    stage.end('a1')
    expect(stage.questions.length).toBe(2)
    await stage.answer(new Error('away'))
    stage.at = 1999
    stage.end('a1')
    expect(stage.started).toEqual(['a1'])
    stage.at = 2000
    stage.end('a1')
    await stage.answer(new Error('away'))
    expect(stage.started).toEqual(['a1', 'b1'])
  })

  test('the pace that the nodes share holds again once they answer', async () => {
    const stage = new Stage()
    stage.ask('a1')
    await stage.answer(new Error('away'))
    expect(stage.started).toEqual(['a1'])
    stage.at = 1000
    stage.ask('a2')
    expect(stage.started).toEqual(['a1'])
    await stage.start()
    expect(stage.started).toEqual(['a1', 'a2'])
  })
})
