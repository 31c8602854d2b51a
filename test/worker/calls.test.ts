/** Calls from a child to its service: what ends their wait, and which answers they accept. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { createContext } from '../../src/worker/process/child/context.ts'
import type { FromChild } from '../../src/worker/process/from-child.ts'

const folder = temporaryFolder()
const stopped = new DOMException('the run was stopped', 'AbortError')
let runs = 0

/** The context of a run, the messages that it sends, and a function that stops the run. */
function aRun() {
  const abort = new AbortController()
  const messages: (FromChild & { readonly id: number })[] = []
  const run = createContext({
    job: { folder: join(folder, String(++runs)), until: Date.now() + 60_000 },
    loaded: {
      source: { name: 'lamps', origin: 'https://lamps.example', tasks: [] },
      declaration: { key: 'lamps.search', price: { from: 1, words: '', of: () => 1, block: 5 } },
    },
    setup: { type: 'setup', userAgent: '', origins: {}, watchParent: false },
    signal: abort.signal,
    send: (message: (typeof messages)[number]) => void messages.push(message),
  } as unknown as Parameters<typeof createContext>[0])
  return { ...run, messages, stop: () => abort.abort(stopped) }
}

test('a pending charge is rejected when its run is stopped', async () => {
  const { context, stop } = aRun()
  const charge = context.charge(1)
  stop()
  await expect(charge).rejects.toBe(stopped)
})

test('a pending file is rejected soon after its run is stopped', async () => {
  const { context, messages, stop } = aRun()
  const file = await context.artifact('a.txt', 'text/plain')
  const closed = file.close()
  while (messages.length === 0) await new Promise((go) => setTimeout(go, 1))
  stop()
  await expect(closed).rejects.toBe(stopped)
})

test('a file closed after its run was stopped is still handed over', async () => {
  const { context, receive, messages, stop } = aRun()
  const file = await context.artifact('a.txt', 'text/plain')
  stop()
  const closed = file.close()
  while (messages.length === 0) await new Promise((go) => setTimeout(go, 1))
  receive({ type: 'filed', id: messages[0]!.id, error: null })
  await closed
})

test('a stopped run sends no charge', async () => {
  const { context, messages, stop } = aRun()
  stop()
  await expect(context.charge(1)).rejects.toBe(stopped)
  expect(messages).toEqual([])
})

test('a late answer to one run is not taken as an answer to the next run in the process', async () => {
  const [one, next] = [aRun(), aRun()]
  const lost = one.context.charge(1).catch(() => undefined)
  one.stop()
  const charge = next.context.charge(1)
  next.receive({ type: 'charged', id: one.messages[0]!.id, paid: true })
  next.receive({ type: 'charged', id: next.messages[0]!.id, paid: false })
  expect(await charge).toBe(false)
  await lost
})
