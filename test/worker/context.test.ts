/** Parts of a plugin's context that no test of whole runs covers. */
import { describe, expect, test } from 'bun:test'
import type { Context, SourceErrorCode } from '../../src/plugin.ts'
import { createContext } from '../../src/worker/process/child/context.ts'
import { endOf } from '../../src/worker/process/child/execution.ts'
import type { Job } from '../../src/worker/process/protocol.ts'

const contextUntil = (until: number, signal: AbortSignal, exit: Job['exit'] = null) =>
  serve(until, signal, exit).context

function serve(until: number, signal: AbortSignal, exit: Job['exit']) {
  const options = {
    job: { runId: 'run_1', module: '', taskKey: 'lamps.search', input: '{}', until, folder: '', exit },
    loaded: {
      source: { name: 'lamps', origin: 'https://lamps.example', tasks: [] },
      declaration: { price: 1 },
    },
    setup: { type: 'setup', userAgent: '', origins: {}, watchParent: false },
    signal,
    send: ({ type, id }: { readonly type: string; readonly id: number }) => {
      if (type === 'acquire') queueMicrotask(() => served.receive({ type: 'acquired', id, paused: false }))
    },
  }
  const served = createContext(options as unknown as Parameters<typeof createContext>[0])
  return served
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

test('runs share a memory; of what is bound to their address, only those at the same exit of a list do', () => {
  const contextAt = (exit: Job['exit']) => contextUntil(0, new AbortController().signal, exit)
  const memoryAt = (exit: Job['exit']) => contextAt(exit).exitMemory
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
  const { memory } = contextAt(null)
  for (const exit of [null, listed(1), listed(2), session]) expect(contextAt(exit).memory).toBe(memory)
  expect(apart.includes(memory)).toBe(false)
})

describe('the end of a run whose exit failed', () => {
  const runAtDeadExit = () =>
    serve(Date.now() + 60_000, new AbortController().signal, { url: 'http://127.0.0.1:1', isSession: false })
  const fetchOnce = (context: Context, url: string) =>
    context.fetch(url, { tries: 1 }).catch((error) => error)
  const exitFailure = { where: 'everywhere', reason: 'it refuses connections' }

  test.each<SourceErrorCode>(['source-unavailable', 'source-blocked'])(
    'says so, whatever the plugin made of it: %s',
    async (code) => {
      const { context, ended } = runAtDeadExit()
      await fetchOnce(context, '/')
      expect(ended({ status: 'failed', code, detail: '' }).end).toMatchObject({ code, exitFailure })
    },
  )

  test('says so even if another exchange was the last one to end', async () => {
    const { context, ended } = runAtDeadExit()
    const failure = await fetchOnce(context, '/')
    await fetchOnce(context, 'https://elsewhere.example')
    expect(ended({ status: 'failed', code: 'source-unavailable', detail: '' }).end).not.toHaveProperty(
      'exitFailure',
    )
    expect(ended(endOf(failure)).end).toMatchObject({ exitFailure })
  })
})
