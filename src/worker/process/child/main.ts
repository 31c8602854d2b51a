/**
 * A child process: executes one run after another for the service that started it, and exits together with the service.
 *
 * @module
 */
import { Worker } from 'node:worker_threads'
import { clearInterval, setInterval, type Timer } from '../../../async/timers.ts'
import { leaveSignalsToService, reasonOf } from '../../../process/child-side.ts'
import type { Completion, FromChild, Items } from '../heard.ts'
import { HEARTBEAT_MS, type Job, type Setup, type ToChild } from '../protocol.ts'
import { createContext, type ServedContext } from './context.ts'
import { endOf, execute, isOutOfMemory, loadTask, NO_FETCH } from './execution.ts'
import { Filling, Outbox } from './items.ts'

/** The current run. */
type Current = {
  readonly abort: AbortController
  readonly outbox: Outbox
  served?: ServedContext
}

let setup: Setup | undefined
let current: Current | undefined
let heartbeat: Timer | undefined

const exit = process.exit.bind(process)
const kill = process.kill.bind(process)

globalThis.fetch = NO_FETCH

/** Sends a message to the service. Resolves when it has been written. */
function send(message: FromChild): Promise<void> {
  return new Promise((go) => {
    // Without a parent the message is lost, and the disconnect ends this process.
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
      void run(message.job)
      return
    case 'abort':
      current?.abort.abort(new DOMException('the run was stopped', 'AbortError'))
      return
    default:
      current?.served?.receive(message)
  }
})
process.on('disconnect', end)
leaveSignalsToService()
process.on('uncaughtException', crash)
process.on('unhandledRejection', crash)

/** The service has exited. If no PID namespace does it, this also ends processes that a plugin has started. */
function end(): void {
  try {
    if (setup?.watchParent) kill(-process.pid, 'SIGKILL')
  } catch {
    // On Deno this may be forbidden. But there a plugin cannot have started processes.
  }
  exit(0)
}

/** After an uncaught error the state of this process is undefined, so it must exit. */
function crash(error: unknown): void {
  void current?.outbox.flush()
  void send({ type: 'crashed', reason: reasonOf(error), memory: isOutOfMemory(error) }).finally(() => exit(1))
}

async function run(job: Job): Promise<void> {
  heartbeat ??= setInterval(beat, HEARTBEAT_MS)
  const outbox = new Outbox(send)
  const now: Current = { abort: new AbortController(), outbox }
  current = now
  now.abort.signal.addEventListener('abort', () => void outbox.flush(), { once: true })
  const ended = await attempt(job, now)
  current = undefined
  await send({ type: 'completed', ...ended, ...outbox.take() })
}

/** Sends a heartbeat while a run executes; one timer serves all runs. */
function beat(): void {
  if (current) return void send({ type: 'alive' })
  clearInterval(heartbeat)
  heartbeat = undefined
}

async function attempt(job: Job, now: Current): Promise<Omit<Completion, keyof Items>> {
  try {
    if (!setup) throw new Error('received a run before the setup')
    const loaded = await loadTask(job)
    const { signal } = now.abort
    const tell = (message: FromChild) => void send(message)
    now.served = createContext({ job, loaded, setup, signal, send: tell })
    const filling = new Filling(loaded.columns)
    const { context, ended, again } = now.served
    const end = await execute({ job, loaded, context, items: now.outbox, filling, again })
    return { ...ended(end), fill: filling.sums }
  } catch (error) {
    return { end: endOf(error), hasFolder: false, fill: null }
  }
}

/**
 * If the system can't end a child together with its parent, a thread does, even while a plugin is in an endless loop.
 * It kills the whole process group, including processes that a plugin has started.
 */
function watchParent(): void {
  new Worker(
    `const parent = process.ppid
     setInterval(() => { if (process.ppid !== parent) process.kill(-process.pid, 'SIGKILL') }, 1000)`,
    { eval: true },
  ).unref()
}
