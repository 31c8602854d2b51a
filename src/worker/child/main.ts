/**
 * A child process: executes one run after another for the service that started it, and ends with it.
 *
 * @module
 */
import { Worker } from 'node:worker_threads'
import { type End, type FromChild, HEARTBEAT_MS, type Job, type Setup, type ToChild } from '../protocol.ts'
import { createContext, type ServedContext } from './context.ts'
import { Ends } from './ends.ts'
import { endOf, execute, isOutOfMemory, loadTask, NO_FETCH, reasonOf } from './execution.ts'
import { Filling } from './filling.ts'
import { Outbox } from './outbox.ts'

/** The run at hand. */
type Current = {
  readonly runId: string
  readonly abort: AbortController
  readonly outbox: Outbox
  /** when its plugin was there, which takes long once in the life of a process */
  began: number
  served?: ServedContext
  filling?: Filling
}

let setup: Setup | undefined
let current: Current | undefined
/** runs that have not begun */
let queue: Job[] = []
/** those of them that were stopped */
const stopped = new Set<string>()
let working = false
const ends = new Ends(post)

const exit = process.exit.bind(process)

globalThis.fetch = NO_FETCH

/** What is said of a run comes after the ends of those before it. */
function send(message: FromChild): Promise<void> {
  void ends.flush()
  return post(message)
}

function post(message: FromChild): Promise<void> {
  return new Promise((go) => {
    // Without a parent there is nobody to tell, and the disconnect ends this process.
    process.send?.(message, undefined, undefined, () => go())
  })
}

process.on('message', (message: ToChild) => {
  switch (message.type) {
    case 'setup':
      setup = message
      if (message.watchParent) watchParent()
      void send({ type: 'alive' })
      return
    case 'run':
      queue.push(...message.jobs)
      if (!working) void work()
      return
    case 'abort':
      abort(message.runId)
      return
    case 'release':
      void send({ type: 'released', count: queue.length })
      queue = []
      stopped.clear()
      return
    default:
      current?.served?.receive(message)
  }
})
process.on('disconnect', () => exit(0))
// A service manager signals all processes at once; when a child ends is for the service to say.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('uncaughtException', crash)
process.on('unhandledRejection', crash)

/** Whatever nothing caught may have left anything half done: this process is good for nothing any more. */
function crash(error: unknown): void {
  void current?.outbox.flush()
  void send({ type: 'crashed', reason: reasonOf(error), memory: isOutOfMemory(error) }).finally(() => exit(1))
}

function abort(runId: string): void {
  if (current?.runId === runId) current.abort.abort(new DOMException('the run was stopped', 'AbortError'))
  else if (queue.some((job) => job.runId === runId)) stopped.add(runId)
}

async function work(): Promise<void> {
  working = true
  const alive = setInterval(() => void send({ type: 'alive' }), HEARTBEAT_MS)
  for (let job = queue.shift(); job; job = queue.shift()) {
    if (stopped.delete(job.runId))
      await ends.add({ end: { status: 'stopped' }, ms: 0, hasFolder: false, fill: null, text: '', count: 0 })
    else await run(job)
    if (queue.length === 0) await ends.flush()
  }
  clearInterval(alive)
  working = false
}

async function run(job: Job): Promise<void> {
  const outbox = new Outbox(send)
  const now: Current = { runId: job.runId, abort: new AbortController(), outbox, began: performance.now() }
  current = now
  now.abort.signal.addEventListener('abort', () => void outbox.flush(), { once: true })
  const end = await attempt(job, now, outbox)
  now.served?.close()
  current = undefined
  const hasFolder = now.served?.hasFolder ?? false
  const fill = now.filling?.sums ?? null
  const cookies = now.served?.changedCookies ?? []
  const rest = cookies.length > 0 ? { cookies } : {}
  await ends.add({ end, ms: performance.now() - now.began, hasFolder, fill, ...rest, ...outbox.take() })
}

async function attempt(job: Job, now: Current, items: Outbox): Promise<End> {
  try {
    if (!setup) throw new Error('a run before the setup')
    const loaded = await loadTask(job)
    now.began = performance.now()
    const { signal } = now.abort
    const tell = (message: FromChild) => void send(message)
    now.served = createContext({ job, loaded, setup, signal, send: tell })
    now.filling = new Filling(loaded.columns)
    const { filling } = now
    const { context, told } = now.served
    const again = (reason: string) => tell({ type: 'again', reason })
    return told(await execute({ job, loaded, context, items, filling, again }))
  } catch (error) {
    return endOf(error)
  }
}

/** Where the system can't end a child with its parent, a thread does, also while a plugin is in an endless loop. */
function watchParent(): void {
  new Worker(
    `const parent = process.ppid
     setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL') }, 1000)`,
    { eval: true },
  ).unref()
}
