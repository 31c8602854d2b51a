/** A run keeps its exit, and changes it only as its events say. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { MemoryEphemeralStore } from '../../rigs/simulation/stores/ephemeral.ts'
import { readConfig } from '../../src/config.ts'
import { type AccountId, loginStream } from '../../src/domain/ids.ts'
import type { ExitRests } from '../../src/ephemeral/exit-rests.ts'
import type { Exit } from '../../src/net/exits/choose.ts'
import { type ExitOutcome, Exits } from '../../src/net/exits/exits.ts'
import type { ExitUse } from '../../src/net/exits/uses.ts'
import type { ExecutionEnd } from '../../src/worker/process/execution-end.ts'
import { RunExit, type RunWithExit } from '../../src/worker/run-exit.ts'

const exitAt = (number: number): Exit => ({
  way: 'home',
  number,
  label: `home#${number}`,
  isSession: false,
  url: `http://proxy-${number}.example`,
})
const USED = { requests: 3, bytes: 500 }
const NOTHING = { requests: 0, bytes: 0 }
const END = { kind: 'completed', text: '', count: 0, hasFolder: false, fill: null } as const
const failed = (
  code: 'source-blocked' | 'source-unavailable' | 'not-found',
  where?: 'everywhere' | 'here',
): ExecutionEnd => ({
  ...END,
  end: {
    status: 'failed',
    code,
    detail: 'said by the source',
    ...(where && { exitFailure: { where, reason: 'it refuses connections' } }),
  },
})
const succeeded: ExecutionEnd = { ...END, end: { status: 'succeeded', rest: '{}' } }
const died: ExecutionEnd = { kind: 'died', cause: 'lost', reason: 'killed', alone: false }
const blocked = failed('source-blocked')
const unreachable = failed('source-unavailable', 'everywhere')
const refused = failed('source-unavailable', 'here')

let reports: [string, ExitOutcome][]
let reasons: (string | undefined)[]
let uses: ExitUse[]
let written: number[]
let fails: boolean
beforeEach(() => {
  reports = []
  reasons = []
  uses = []
  written = []
  fails = false
})

/** A run at a way with three exits. */
function runExit({
  state = undefined as string | undefined,
  exitChanges = 0,
  hasBlocks = false,
  exits = 3,
  real = undefined as Exits | undefined,
} = {}) {
  const parts: RunWithExit = {
    run: { accountId: 'acc_1' as AccountId, exitChanges },
    task: { source: { name: 'lamps' } },
    login: { state },
    charges: { mayHaveBlocks: async () => hasBlocks },
    collected: { notice: null, reported: { done: 7, total: null, message: null } },
    lease: {
      async writeExitChanges(changes: number) {
        written.push(changes)
        if (fails) throw new Error('the store is away')
      },
    },
    log: { otherExit() {} },
  }
  const exit = new RunExit(
    {
      exits: real ?? {
        forRun: async (_, tried = []) => (exits === 0 ? null : exitAt(tried.length + 1)),
        forLogin: (_, id) =>
          exits === 0 ? null : exitAt(id === loginStream('acc_1' as AccountId, 'lamps') ? 9 : 0),
        hasOther: (_, tried) => tried.length < exits,
        async ended({ label }, source, outcome, reason) {
          reports.push([`${source} ${label}`, outcome])
          reasons.push(reason)
        },
      },
      onExitUsed: (use) => void uses.push(use),
    },
    parts,
  )
  return { exit, parts }
}

test.each([
  ['a refusal by the source', blocked, 'blocked'],
  ['an exit that fails', unreachable, 'unreachable'],
  ['an exit that fails for this source', refused, 'refused'],
  ['a success', succeeded, 'good'],
  ['another failure', failed('not-found'), undefined],
  ['a source that does not answer', failed('source-unavailable'), undefined],
  ['the death of its process', died, undefined],
] as const)('after %s, its exit is reported as it was', async (_, end, outcome) => {
  const { exit } = runExit()
  await exit.choose()
  await exit.ended(end, USED)
  expect(reports).toEqual(outcome ? [['lamps home#1', outcome]] : [])
  expect(uses).toEqual([{ way: 'home', exit: 1, source: 'lamps', outcome: outcome ?? 'other', ...USED }])
  expect(exit.failure).toBe(outcome === 'good' ? undefined : outcome)
})

test('the reason of a failure is that of the exit, or what the source said', async () => {
  for (const end of [unreachable, blocked, succeeded]) {
    const { exit } = runExit()
    await exit.choose()
    await exit.ended(end, USED)
  }
  expect(reasons).toEqual(['it refuses connections', 'said by the source', undefined])
})

test('a success without a request says nothing about the exit', async () => {
  const { exit } = runExit()
  await exit.choose()
  await exit.ended(succeeded, NOTHING)
  expect([reports, uses]).toEqual([[], []])
})

test('an exit at which the plugin made no request has refused nothing, but another one may serve the run', async () => {
  const { exit } = runExit()
  await exit.choose()
  await exit.ended(blocked, NOTHING)
  expect([reports, uses]).toEqual([[], []])
  expect(exit.failure).toBe('blocked')
})

test('an exit that a page could not reach has failed, though no request left', async () => {
  const { exit } = runExit()
  await exit.choose()
  await exit.ended(unreachable, NOTHING)
  expect(reports).toEqual([['lamps home#1', 'unreachable']])
  expect(uses).toMatchObject([{ exit: 1, outcome: 'unreachable', requests: 0 }])
})

describe('a run that must change its exit', () => {
  test('says so, then has another one', async () => {
    const { exit, parts } = runExit()
    await exit.choose()
    await exit.ended(blocked, USED)
    await exit.change()
    expect(written).toEqual([1])
    expect(parts.collected).toEqual({
      notice: 'Refused, trying another way out.',
      reported: undefined,
    })
    expect(exit.job).toEqual({ url: 'http://proxy-2.example', isSession: false })
  })

  test('has the same exit until the change is written, however often that fails', async () => {
    const { exit } = runExit()
    await exit.choose()
    await exit.ended(blocked, USED)
    fails = true
    await expect(exit.change()).rejects.toThrow('away')
    await expect(exit.change()).rejects.toThrow('away')
    expect(exit.job?.url).toBe('http://proxy-1.example')
    fails = false
    await exit.change()
    expect(written).toEqual([1, 1, 1])
    await exit.ended(unreachable, USED)
    await exit.change()
    expect(written.at(-1)).toBe(2)
    expect(exit.job?.url).toBe('http://proxy-3.example')
  })
})

test('a run at two gateways leaves the one that failed, although its next session there is another exit', async () => {
  const hosts = ['a.example', 'b.example']
  const config = readConfig({ PROXY_URL: hosts.map((host) => `http://u-{session}:p@${host}`).join(' ') })
  const isOnA = (exit: RunExit) => exit.job?.url.endsWith('@a.example')
  // Exits are chosen by chance.
  for (let runs = 0; runs < 20; runs++) {
    const { exitRests } = new MemoryEphemeralStore()
    // The change is written before the rest.
    const put: ExitRests['put'] = async (...rest) => {
      await new Promise((go) => setImmediate(go))
      return exitRests.put(...rest)
    }
    const rests = { ...exitRests, put }
    const real = new Exits({ config, rests, now: () => 1000, logger: { debug() {}, warn() {} } })
    const { exit } = runExit({ real })
    await exit.choose()
    const wasOnA = isOnA(exit)
    await exit.ended(unreachable, USED)
    await exit.change()
    expect(isOnA(exit)).toBe(!wasOnA)
  }
})

test.each([
  ['that changed twice', { exitChanges: 2 }],
  ['that has no other exit', { exits: 1 }],
  ['that paid for a block', { hasBlocks: true }],
  ['with a login', { state: '{}' }],
  ['that goes out directly', { exits: 0 }],
])('a run %s keeps its end', async (_, of) => {
  for (const end of [blocked, refused, unreachable]) {
    const { exit } = runExit(of)
    await exit.choose()
    await exit.ended(end, USED)
    expect(exit.failure).toBeUndefined()
  }
})

test('a run that changed once in an earlier attempt has one change left', async () => {
  const { exit } = runExit({ exitChanges: 1 })
  await exit.choose()
  await exit.ended(blocked, USED)
  await exit.change()
  await exit.ended(blocked, USED)
  expect(written).toEqual([2])
  expect(exit.failure).toBeUndefined()
})

test('a run with a login has the exit of the login, which the sign-in had', async () => {
  const { exit } = runExit({ state: '{}' })
  await exit.choose()
  expect(exit.job?.url).toBe('http://proxy-9.example')
})
