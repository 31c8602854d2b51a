/** What the service makes of the messages of a process with several runs, and when the process takes no more or dies. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { nextTurn } from '../../src/async/delay.ts'
import type { RunMessage } from '../../src/worker/process/from-child.ts'
import { type Played, playProcess } from './played.ts'

const ITEMS = { type: 'items', text: '{"n":1}', count: 1 }
const COMPLETED = {
  type: 'completed',
  ...{ text: '', count: 0, hasFolder: false, fill: null },
  end: { status: 'succeeded', rest: '{}' },
}
const ACQUIRE = { type: 'acquire', run: 1, id: 1, host: 'x.example' }
const FORGED = 'its process sent a message that is not part of the protocol'

let played: Played
beforeEach(() => {
  played = playProcess()
})

describe('what a run says', () => {
  test('reaches that run only', () => {
    const messages: [number, RunMessage][] = []
    for (const number of [1, 2]) played.begin((said) => messages.push([number, said]))
    played.says({ ...ITEMS, run: 2 }, { ...ITEMS, run: 1 })
    expect(messages.map(([number]) => number)).toEqual([2, 1])
  })

  test('after its end is dropped, and counts for no other run', async () => {
    const messages: RunMessage[] = []
    const ended = played.begin((said) => messages.push(said))
    const other = played.begin((said) => messages.push(said))
    const charge = { type: 'charge', run: 1, id: 1, block: 1 }
    played.says({ ...COMPLETED, run: 1 }, { ...ITEMS, run: 1 }, charge, { ...COMPLETED, run: 1 })
    expect(messages).toEqual([])
    expect(await ended.end).toMatchObject({ kind: 'completed' })
    expect(played.process).toMatchObject({ state: 'accepting', runs: 1 })
    played.says({ ...COMPLETED, run: 2 })
    expect(await other.end).toMatchObject({ kind: 'completed' })
  })

  test('after it was ended without its code is dropped, and the process goes after its last run', async () => {
    const messages: RunMessage[] = []
    const left = played.begin((said) => messages.push(said))
    const other = played.begin()
    left.kill('it ignored its signal')
    expect(await left.end).toMatchObject({ kind: 'died', cause: 'killed', alone: false })
    played.says({ ...ITEMS, run: 1 }, { ...COMPLETED, run: 1 })
    expect(messages).toEqual([])
    expect(played.process).toMatchObject({ state: 'draining', runs: 1 })
    played.says({ ...COMPLETED, run: 2 })
    expect(await other.end).toMatchObject({ kind: 'completed' })
    expect(played.process.state).toBe('killed')
  })
})

describe('a process is killed as defect', () => {
  test.each<[string, string, readonly unknown[]]>([
    ['it names a run that it was never given', FORGED, [{ ...ITEMS, run: 3 }]],
    ['it names no run where it must', FORGED, [ITEMS]],
    ['a message is unknown', FORGED, [{ type: 'alive' }, { type: 'unknown', run: 1 }]],
    ['a message is no message', FORGED, [7]],
    ['it asks twice for one request', 'asked twice for the same request', [ACQUIRE, ACQUIRE]],
    [
      'it asks for too many requests at once',
      // So many messages at once may be over their own limit too.
      'too many requests|messages a second',
      Array.from({ length: 10_001 }, (_, id) => ({ ...ACQUIRE, id })),
    ],
    [
      'it floods the service',
      'messages a second',
      Array.from({ length: 1_000_000 }, () => ({ type: 'alive' })),
    ],
  ])('when %s', async (_, reason, messages) => {
    const runs = [played.begin(), played.begin()]
    for (let i = 0; i < messages.length; i += 100_000) played.says(...messages.slice(i, i + 100_000))
    expect(played.process.state).toBe('killed')
    played.exits(null, 'SIGKILL')
    for (const { end: result } of runs) {
      const ended = await result
      expect(ended).toMatchObject({ kind: 'died', cause: 'defect', alone: false })
      expect((ended as { reason: string }).reason).toMatch(new RegExp(reason))
    }
    expect(played.reports.exits).toEqual(['defect'])
  })
})

describe('a death', () => {
  test('is known to be the fault of a run only if the process never had another one', async () => {
    const only = played.begin()
    played.says({ type: 'crashed', reason: 'boom', memory: false })
    played.exits(1)
    expect(await only.end).toMatchObject({ cause: 'defect', reason: 'boom', alone: true })

    const second = playProcess()
    second.begin()
    second.says({ ...COMPLETED, run: 1 })
    const successor = second.begin()
    second.says({ type: 'crashed', reason: 'boom', memory: false })
    second.exits(1)
    // The first run may have left a timer behind.
    expect(await successor.end).toMatchObject({ cause: 'defect', alone: false })
  })

  test.each([
    ['out-of-memory', { memory: true }, 1, null, 1],
    ['defect', undefined, 0, null, 1],
    ['defect', undefined, null, 'SIGSEGV', 1],
    ['lost', undefined, null, 'SIGKILL', 1],
    // The system picks the largest process when the machine has no memory left.
    ['out-of-memory', undefined, null, 'SIGKILL', 300],
  ] as const)(
    'has the cause %s: message %j, code %p, signal %p, at %p MiB',
    async (cause, crashed, code, signal, rss) => {
      const run = played.begin()
      played.process.rssMb = rss
      if (crashed) played.says({ type: 'crashed', reason: 'x', ...crashed })
      played.exits(code, signal)
      expect(await run.end).toMatchObject({ kind: 'died', cause })
    },
  )

  test('of an idle process is no fault', () => {
    played.exits(1)
    expect(played.reports.exits).toEqual([undefined])
  })
})

describe('memory', () => {
  // Idle at 40 MiB, with tasks of 512 MiB at most.
  beforeEach(() => {
    played.process.rssMb = 40
    played.process.watch()
    played.begin()
  })

  test.each([
    [270, 'accepting'],
    [280, 'draining'],
    [550, 'draining'],
    [560, 'killed'],
  ] as const)('of %p MiB makes a process of many runs %s', (rss, state) => {
    played.process.rssMb = rss
    played.process.watch()
    expect(played.process.state).toBe(state)
  })

  test('that is short makes a process give up the answers that it keeps for captures, once', async () => {
    const asked = async () => {
      await new Promise((go) => setImmediate(go))
      return played.sentBatches.flat().filter(({ type }) => type === 'drop-answers').length
    }
    expect(await asked()).toBe(0)
    for (const mb of [270, 280, 300]) {
      played.process.rssMb = mb
      played.process.watch()
    }
    expect(await asked()).toBe(1)
  })
})

test.each([
  [510, 'draining'],
  [520, 'killed'],
] as const)('a run that is alone may take the limit of its task: %p MiB, %s', (rss, state) => {
  const alone = playProcess({ key: '!alone again x' })
  alone.begin()
  alone.process.rssMb = rss
  alone.process.watch()
  expect(alone.process.state).toBe(state)
})

describe('a late event loop', () => {
  const late = (count: number) => played.says({ type: 'alive', late: count })

  test('keeps further runs away until it has caught up', () => {
    played.begin()
    late(1)
    expect(played.process.isLate).toBe(false)
    late(1)
    expect(played.process).toMatchObject({ isLate: true, state: 'accepting' })
    const { room } = played.reports
    played.says({ type: 'alive' })
    expect(played.process.isLate).toBe(false)
    expect(played.reports.room).toBe(room + 1)
  })

  test('that stays late drains the process', () => {
    played.begin()
    for (let beat = 0; beat < 4; beat++) late(2)
    played.process.watch()
    expect(played.process.state).toBe('draining')
  })
})

test('the messages of one turn of the event loop travel together', async () => {
  const [one, two] = [played.begin(), played.begin()]
  await nextTurn()
  const before = played.sentBatches.length
  one.answer({ type: 'filed', id: 1, error: null })
  two.answer({ type: 'filed', id: 2, error: null })
  one.abort()
  await nextTurn()
  expect(played.sentBatches.slice(before)).toEqual([
    [
      { type: 'filed', id: 1, error: null, run: 1 },
      { type: 'filed', id: 2, error: null, run: 2 },
      { type: 'abort', run: 1 },
    ],
  ])
})
