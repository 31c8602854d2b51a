/**
 * Credits with several concurrent processes on a real log: random commands, random delays, account states that lag or
 * are missing, and kickoffs that are frozen between charge and run.
 *
 * @module
 */
import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { newAccountId, runStream, type StreamName } from '../../src/domain/ids.ts'
import { isAdmitted } from '../../src/domain/run.ts'
import { StoreUnavailable, WrongExpectedRevision } from '../../src/log/event-log.ts'
import { Refused } from '../../src/log/refused.ts'
import { checkBooks, checkSettled } from './books.ts'
import {
  aRequest,
  cause,
  chargedRuns,
  type Delays,
  keyId,
  type Lags,
  type Process,
  settle,
  settleRun,
  startProcess,
} from './processes.ts'

const base = temporaryFolder()
const MUCH_LATER = 3_600_000

const delays: fc.Arbitrary<Delays> = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 12 })
const lags: fc.Arbitrary<Lags> = fc.array(fc.option(fc.integer({ min: 0, max: 8 })), {
  minLength: 1,
  maxLength: 6,
})
/** The next step of a process; `run` chooses among the runs that exist by then. */
const op = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('kickoff' as const),
      price: fc.constantFrom(0, 5, 10, 40),
      key: fc.option(fc.constantFrom('a', 'b', 'c')),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('grant' as const), amount: fc.integer({ min: 1, max: 50 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('work' as const),
      run: fc.nat(),
      blocks: fc.integer({ min: 0, max: 2 }),
      end: fc.constantFrom('succeeded' as const, 'failed' as const, 'lost' as const, 'half-used' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), run: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('late block' as const), run: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('settle' as const), run: fc.nat(), late: fc.boolean() }),
  },
)
type Op = typeof op extends fc.Arbitrary<infer T> ? T : never
const script = fc.record({ delays, lags, ops: fc.array(op, { minLength: 3, maxLength: 8 }) })

/** Ignores the errors of lost races: too many of them, or a refusal because another process was faster. */
async function mayLose(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    const isLost =
      error instanceof Refused || error instanceof WrongExpectedRevision || error instanceof StoreUnavailable
    if (!isLost) throw error
  }
}

test(
  'concurrent commands of several processes keep the books of an account right, and reconciled runs are paid or refunded',
  () =>
    fc.assert(
      fc.asyncProperty(fc.array(script, { minLength: 2, maxLength: 4 }), async (scripts) => {
        const folder = join(base, randomBytes(6).toString('hex'))
        mkdirSync(folder)
        const account = newAccountId(Date.now(), randomBytes(10))
        const processes = scripts.map((options) => startProcess(folder, options))
        try {
          const open = { type: 'open', accountId: account, name: 'a', credits: 100 } as const
          await Promise.all(processes.map(({ accounts }) => accounts.handle(open, cause(account))))
          await Promise.all(scripts.map(({ ops }, i) => play(processes[i]!, ops)))
          await checkBooks(processes[0]!, account)
          for (let round = 0; round < 4; round++) {
            // Concurrently: the reconciler is idempotent.
            await Promise.all(processes.map((p) => settle(p, account, Date.now() + MUCH_LATER * (round + 1))))
          }
          await checkSettled(processes[0]!, account)
          const states = await Promise.all(processes.map(({ accounts }) => accounts.state(account)))
          for (const state of states) expect(state).toEqual(states[0]!)
        } finally {
          for (const each of processes) await each.close()
        }

        async function play(process: Process, ops: readonly Op[]): Promise<void> {
          // Two at a time, like concurrent requests.
          const [even, odd] = [ops.filter((_, i) => i % 2 === 0), ops.filter((_, i) => i % 2 === 1)]
          await Promise.all(
            [even, odd].map(async (some) => {
              for (const each of some) await mayLose(perform(process, each))
            }),
          )
        }

        async function perform(process: Process, each: Op): Promise<void> {
          const { accounts, commands, admit } = process
          const now = Date.now()
          const request = { causationId: 'test', now }
          if (each.do === 'grant') {
            await accounts.handle({ type: 'grant', accountId: account, amount: each.amount }, cause(account))
            return
          }
          if (each.do === 'kickoff') {
            await admit.admit(aRequest(account, { price: each.price, idempotencyKey: each.key ?? undefined }))
            return
          }
          const runs = await chargedRuns(process, account)
          const run = runs[each.run % Math.max(1, runs.length)]
          if (!run) return
          const pay = (block: number) =>
            accounts.handle(
              { type: 'charge', accountId: account, runId: run, taskKey: 'forum.search', amount: 5, block },
              cause(account),
            )
          if (each.do === 'cancel') await commands.handle(run, { type: 'cancel', keyId }, request)
          else if (each.do === 'late block') {
            if (isAdmitted((await process.runs.load(run)).state)) await pay(3)
          } else if (each.do === 'settle') {
            await settleRun(process, account, run, now + (each.late ? MUCH_LATER : 0))
          } else {
            const started = await commands.handle(run, { type: 'start', now, leaseS: 30 }, request)
            if (!isAdmitted(started.state)) return
            for (let block = 1; block <= each.blocks; block++) await pay(block)
            if (each.end === 'lost') return
            const charged = (await accounts.credits(account, run))?.charged
            const status = each.end === 'failed' ? 'failed' : 'succeeded'
            const end = { status, code: null, charged, unused: each.end === 'half-used' ? 5 : 0 } as const
            await commands.handle(run, { type: 'finish', attempt: started.state.attempt, end }, request)
          }
        }
      }),
      { numRuns: 60 },
    ),
  60_000,
)

test(
  'a kickoff that was frozen between charge and run starts no refunded run',
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({
          key: fc.option(fc.constant('k')),
          /** how often it is frozen and its run reconciled */
          times: fc.integer({ min: 1, max: 3 }),
          /** whether another process repeats the request in the meantime, before or after reconciliation */
          repeat: fc.constantFrom('never', 'before', 'after'),
          delays,
          lags,
        }),
        async ({ key, times, repeat, delays: slow, lags: behind }) => {
          const folder = join(base, randomBytes(6).toString('hex'))
          mkdirSync(folder)
          const account = newAccountId(Date.now(), randomBytes(10))
          const freezer = new Freezer(times)
          const frozen = startProcess(folder, { hold: (stream) => freezer.hold(stream), lags: behind })
          const other = startProcess(folder, { delays: slow, lags: behind })
          try {
            const open = { type: 'open', accountId: account, name: 'a', credits: 100 } as const
            await other.accounts.handle(open, cause(account))
            const request = aRequest(account, { idempotencyKey: key ?? undefined })
            const kickoff = frozen.admit.admit(request)
            const repeated: Promise<unknown>[] = []
            for (let i = 0; i < times; i++) {
              const run = await freezer.frozen(i)
              if (repeat === 'before') repeated.push(other.admit.admit({ ...request, requestId: 'repeat' }))
              // The charge exists, the run does not. The reconciler closes it once its deadline has passed.
              await until(async () => (await chargedRuns(other, account)).some((id) => runStream(id) === run))
              await settle(other, account, Date.now())
              if (repeat === 'after') repeated.push(other.admit.admit({ ...request, requestId: 'repeat' }))
              await Promise.all(repeated)
              freezer.thaw(i)
              // If the repeat was admitted, the frozen kickoff finds its run and is not held again.
              if (key !== null && repeat !== 'never') break
            }
            for (let i = 0; i < times; i++) freezer.thaw(i)
            const admission = await kickoff
            if (admission.kind !== 'admitted') throw new Error(admission.kind)
            await checkBooks(other, account)
            const { state } = await other.runs.load(admission.run.runId)
            expect(state.status).toBe('queued')
            expect((await other.accounts.credits(account, admission.run.runId))?.refunded).toBe(0)
            const admitted = await admittedRuns(other)
            expect(admitted).toHaveLength(key === null ? 1 + repeated.length : 1)
            await settle(other, account, Date.now() + MUCH_LATER)
            await checkSettled(other, account)
            expect((await other.accounts.state(account)).balance).toBe(100)
          } finally {
            await frozen.close()
            await other.close()
          }

          async function admittedRuns(process: Process): Promise<StreamName[]> {
            const events = await process.log.readAll(null, 10_000)
            return events.filter(({ type }) => type === 'RunRequested').map(({ stream }) => stream)
          }
        },
      ),
      { numRuns: 40 },
    ),
  60_000,
)

/** Holds the first appends to run streams until each is thawed. */
class Freezer {
  private readonly gates
  private next = 0

  constructor(times: number) {
    this.gates = Array.from({ length: times }, () => ({
      reached: Promise.withResolvers<StreamName>(),
      open: Promise.withResolvers<void>(),
    }))
  }

  hold(stream: StreamName): Promise<void> | undefined {
    if (!stream.startsWith('run-')) return undefined
    const gate = this.gates[this.next++]
    gate?.reached.resolve(stream)
    return gate?.open.promise
  }

  /** Resolves to the stream of the nth append that is held. */
  frozen(n: number): Promise<StreamName> {
    return this.gates[n]!.reached.promise
  }

  thaw(n: number): void {
    this.gates[n]!.open.resolve()
  }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((go) => setImmediate(go))
}
