/** Which processes are opened for waiting runs: no more than they need, and none for another source's sake. */

import { afterEach, expect, test } from 'bun:test'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../rigs/servers/processes.ts'
import { Dispatcher } from '../../src/worker/process/dispatcher.ts'
import type { Request } from '../../src/worker/process/execution.ts'
import { type Played, playProcess } from './played.ts'

let dispatcher: Dispatcher
afterEach(() => {
  // Nothing ends a played process.
  dispatcher.processes.clear()
  return dispatcher.stop()
})

/** Opens a dispatcher whose processes are warm. @returns those that it opened */
function open(runsPerProcess: number) {
  const opened: Played[] = []
  dispatcher = new Dispatcher({
    runsPerProcess,
    shared: { unfinished: { give: () => false, keep: () => {} } } as never,
    open() {
      const played = playProcess()
      opened.push(played)
      dispatcher.processes.add(played.process)
      return played.process
    },
  })
  return opened
}

let runs = 0
const execute = (source: string) =>
  dispatcher.execute({
    job: { runId: `run_${++runs}`, module: 'x', taskKey: `${source}.y`, input: '{}', until: 0, exit: null },
    account: 'acc_1',
    memoryMb: 64,
    source: { name: source, origin: `https://${source}.example` },
    hear: () => {},
  } satisfies Request)

const load = (opened: readonly Played[]) => opened.map(({ process }) => [process.source, process.runs])

test('runs of a source share a process, and another source opens its own', () => {
  const opened = open(8)
  for (const source of ['a', 'a', 'b', 'a']) execute(source)
  expect(load(opened)).toEqual([
    ['a', 3],
    ['b', 1],
  ])
})

test('a run that finds no room opens another process, unless room comes within a moment', async () => {
  const opened = open(1)
  execute('a')
  execute('a')
  // Not at once: the first run may end.
  expect(load(opened)).toEqual([['a', 1]])
  await until(() => opened.length === 2)
  expect(load(opened)).toEqual([
    ['a', 1],
    ['a', 1],
  ])
  expect(dispatcher.waiting.size).toBe(0)
})

test('runs that wait open as many processes as they need', async () => {
  const opened = open(2)
  for (let n = 0; n < 6; n++) execute('a')
  await until(() => dispatcher.waiting.size === 0)
  expect(load(opened)).toEqual([
    ['a', 2],
    ['a', 2],
    ['a', 2],
  ])
})

test('after a stop no process is opened and no run begins', async () => {
  const opened = open(1)
  await dispatcher.stop()
  expect(await execute('a').end).toMatchObject({ kind: 'died', cause: 'killed' })
  await delay(0)
  expect(opened).toEqual([])
})
