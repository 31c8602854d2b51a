/** Parts of a plugin's context that no test of whole runs covers. */
import { expect, test } from 'bun:test'
import { createContext } from '../../src/worker/process/child/context.ts'
import type { Job } from '../../src/worker/process/protocol.ts'

function contextUntil(until: number, signal: AbortSignal, exit: Job['exit'] = null) {
  const options = {
    job: { runId: 'run_1', module: '', taskKey: 'lamps.search', input: '{}', until, folder: '', exit },
    loaded: {
      source: { name: 'lamps', origin: 'https://lamps.example', tasks: [] },
      declaration: { price: 1 },
    },
    setup: { type: 'setup', userAgent: '', origins: {}, watchParent: false },
    signal,
    send: () => undefined,
  }
  return createContext(options as unknown as Parameters<typeof createContext>[0]).context
}

test('a pause lasts at least the requested time', async () => {
  const began = performance.now()
  expect(await contextUntil(Date.now() + 60_000, new AbortController().signal).pause(30)).toBe(true)
  expect(performance.now() - began).toBeGreaterThanOrEqual(29)
})

test('a pause beyond the time limit of the run returns false at once', async () => {
  expect(await contextUntil(Date.now() + 5000, new AbortController().signal).pause(60_000)).toBe(false)
})

test('a pause ends when the run is stopped', async () => {
  const stop = new AbortController()
  const pause = contextUntil(Date.now() + 3_600_000, stop.signal).pause(600_000)
  stop.abort()
  expect(await pause).toBe(false)
})

test('runs at one exit of a list share a memory, those at others and at sessions do not', () => {
  const memoryAt = (exit: Job['exit']) => contextUntil(0, new AbortController().signal, exit).memory
  const listed = (n: number) => ({ url: `http://u:p@proxy-${n}.example`, isSession: false })
  const session = { url: 'http://u-1:p@gateway.example', isSession: true }
  expect(memoryAt(null)).toBe(memoryAt(null))
  expect(memoryAt(listed(1))).toBe(memoryAt(listed(1)))
  const apart = [
    memoryAt(null),
    memoryAt(listed(1)),
    memoryAt(listed(2)),
    memoryAt(session),
    memoryAt(session),
  ]
  expect(new Set(apart).size).toBe(5)
})
