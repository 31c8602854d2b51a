/** A run keeps its exit, and changes it only as its events say. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { type AccountId, loginStream } from '../../src/domain/ids.ts'
import type { Exit } from '../../src/net/exits/choose.ts'
import type { ExitOutcome } from '../../src/net/exits/exits.ts'
import type { ExitUse } from '../../src/net/exits/uses.ts'
import type { ExecutionEnd } from '../../src/worker/process/execution-end.ts'
import { RunExit } from '../../src/worker/run-exit.ts'

const exitAt = (number: number): Exit => ({
  way: 'home',
  number,
  label: `home#${number}`,
  url: `http://proxy-${number}.example`,
})
const USED = { requests: 3, bytes: 500 }
const END = { kind: 'completed', text: '', count: 0, hasFolder: false, fill: null } as const
const failed = (
  code: 'source-blocked' | 'source-unavailable' | 'not-found',
  exitFailed?: true,
): ExecutionEnd => ({
  ...END,
  end: { status: 'failed', code, detail: '', ...(exitFailed && { exitFailed }) },
})
const succeeded: ExecutionEnd = { ...END, end: { status: 'succeeded', rest: '{}' } }
const died: ExecutionEnd = { kind: 'died', cause: 'lost', reason: 'killed', alone: false }
const blocked = failed('source-blocked')
const unreachable = failed('source-unavailable', true)

let reports: [string, ExitOutcome][]
let uses: ExitUse[]
let written: number[]
let fails: boolean
beforeEach(() => {
  reports = []
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
} = {}) {
  const parts = {
    run: { accountId: 'acc_1', exitChanges },
    task: { source: { name: 'lamps' } },
    login: { state },
    charges: { mayHaveBlocks: async () => hasBlocks },
    collected: { notice: null as string | null, reported: { done: 7, total: null, message: null } },
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
      exits: {
        forRun: async (_, tried = []) => (exits === 0 ? null : exitAt(tried.length + 1)),
        forLogin: (_, id) =>
          exits === 0 ? null : exitAt(id === loginStream('acc_1' as AccountId, 'lamps') ? 9 : 0),
        hasOther: (_, tried) => tried.length < exits,
        ended: async ({ label }, source, outcome) => void reports.push([`${source} ${label}`, outcome]),
      },
      onExitUsed: (use) => void uses.push(use),
    },
    parts as never,
  )
  return { exit, parts }
}

test.each([
  ['a refusal by the source', blocked, 'blocked', true],
  ['an exit that fails', unreachable, 'unreachable', true],
  ['a success', succeeded, 'good', false],
  ['another failure', failed('not-found'), undefined, false],
  ['a source that does not answer', failed('source-unavailable'), undefined, false],
  ['the death of its process', died, undefined, false],
] as const)('after %s, its exit is reported as it was', async (_, end, outcome, changes) => {
  const { exit } = runExit()
  await exit.choose()
  await exit.ended(end, USED)
  expect(reports).toEqual(outcome ? [['lamps home#1', outcome]] : [])
  expect(uses).toEqual([{ way: 'home', exit: 1, source: 'lamps', outcome: outcome ?? 'other', ...USED }])
  expect(exit.mustChange).toBe(changes)
})

test('a success without a request says nothing about the exit', async () => {
  const { exit } = runExit()
  await exit.choose()
  await exit.ended(succeeded, { requests: 0, bytes: 0 })
  expect([reports, uses]).toEqual([[], []])
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
    } as never)
    expect(exit.job).toEqual({ url: 'http://proxy-2.example' })
  })

  test('has the same exit until the change is written, however often that fails', async () => {
    const { exit } = runExit()
    await exit.choose()
    await exit.ended(blocked, USED)
    fails = true
    await expect(exit.change()).rejects.toThrow('away')
    await expect(exit.change()).rejects.toThrow('away')
    expect(exit.job).toEqual({ url: 'http://proxy-1.example' })
    fails = false
    await exit.change()
    expect(written).toEqual([1, 1, 1])
    await exit.ended(unreachable, USED)
    await exit.change()
    expect(written.at(-1)).toBe(2)
    expect(exit.job).toEqual({ url: 'http://proxy-3.example' })
  })
})

test.each([
  ['that changed twice', { exitChanges: 2 }],
  ['that has no other exit', { exits: 1 }],
  ['that paid for a block', { hasBlocks: true }],
  ['with a login', { state: '{}' }],
  ['that goes out directly', { exits: 0 }],
])('a run %s keeps its end', async (_, of) => {
  for (const end of [blocked, unreachable]) {
    const { exit } = runExit(of)
    await exit.choose()
    await exit.ended(end, USED)
    expect(exit.mustChange).toBe(false)
  }
})

test('a run that changed once in an earlier attempt has one change left', async () => {
  const { exit } = runExit({ exitChanges: 1 })
  await exit.choose()
  await exit.ended(blocked, USED)
  await exit.change()
  await exit.ended(blocked, USED)
  expect(written).toEqual([2])
  expect(exit.mustChange).toBe(false)
})

test('a run with a login has the exit of the login, which the sign-in had', async () => {
  const { exit } = runExit({ state: '{}' })
  await exit.choose()
  expect(exit.job).toEqual({ url: 'http://proxy-9.example' })
})
