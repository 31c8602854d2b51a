/**
 * A process of plugins: executes many runs of one source at once for the service that started it, and exits together
 * with the service.
 *
 * @module
 */
import { Worker } from 'node:worker_threads'
import { clock } from '../../../async/clock.ts'
import { clearInterval, setInterval, type Timer } from '../../../async/timers.ts'
import { hasKinds } from '../../../catalogue/fields.ts'
import { Filling } from '../../../catalogue/filling.ts'
import { reasonOf } from '../../../process/reason.ts'
import { leaveSignalsToService } from '../../../process/signals.ts'
import { Rings } from '../../../recording/ring.ts'
import type { Completed, Items, OfRun } from '../from-child.ts'
import {
  HEARTBEAT_MS,
  type Job,
  LATE_MS,
  type RunNumber,
  type Setup,
  TICK_MS,
  type ToChild,
} from '../protocol.ts'
import { captureOf } from './capture.ts'
import { createContext, type ServedContext } from './context.ts'
import { endOf, execute, isOutOfMemory, loadTask, NO_FETCH } from './execution.ts'
import { Outbox } from './items.ts'
import { send, sendNow } from './post.ts'

/** A run under way. */
type Current = {
  readonly abort: AbortController
  readonly outbox: Outbox
  served?: ServedContext
  /** the usage that was last reported: its requests and bytes together */
  reported?: number
}

let setup: Setup | undefined
const current = new Map<RunNumber, Current>()
/** why runs were stopped: all calls of a run reject with the reason, even those that its plugin no longer waits for */
const stops = new WeakSet<object>()
/** the last answers of all runs under way */
const rings = new Rings()
let ticking: Timer | undefined
let tickedAt = 0
let beatAt = 0
/** how often the timer was late since the last heartbeat */
let late = 0

const exit = process.exit.bind(process)
const kill = process.kill.bind(process)

globalThis.fetch = NO_FETCH
// Sockets have the headers of their requests, those for a proxy too.
Object.assign(process, { _getActiveHandles: undefined, _getActiveRequests: undefined })

// Listeners of plugins come later. They find nothing: jobs have logins, credentials and exits, of other runs too.
process.on('message', (messages: ToChild[]) => {
  for (const message of messages.splice(0)) receive(message)
})
process.on('disconnect', end)
leaveSignalsToService()
process.on('uncaughtException', crash)
process.on('unhandledRejection', (reason) => {
  const isStop = typeof reason === 'object' && reason !== null && stops.has(reason)
  if (!isStop) crash(reason)
})

function receive(message: ToChild): void {
  switch (message.type) {
    case 'setup':
      setup = message
      if (message.watchParent) watchParent()
      void send({ type: 'alive' })
      return
    case 'run':
      void run(message.run, message.job)
      return
    case 'abort':
      stop(message.run)
      return
    case 'drop-answers':
      rings.close()
      return
    default:
      current.get(message.run)?.served?.receive(message)
  }
}

function stop(number: RunNumber): void {
  const reason = new DOMException('the run was stopped', 'AbortError')
  stops.add(reason)
  current.get(number)?.abort.abort(reason)
}

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
  for (const [number, run] of current) {
    void run.outbox.flush()
    reportUsage(number, run)
  }
  void sendNow({ type: 'crashed', reason: reasonOf(error), memory: isOutOfMemory(error) }).finally(() =>
    exit(1),
  )
}

async function run(number: RunNumber, job: Job): Promise<void> {
  startTicking()
  const say = (message: OfRun) => send({ run: number, ...message })
  const outbox = new Outbox(say)
  const now: Current = { abort: new AbortController(), outbox }
  current.set(number, now)
  now.abort.signal.addEventListener('abort', () => void outbox.flush(), { once: true })
  const ended = await attempt(job, now, say)
  current.delete(number)
  void say({ type: 'completed', ...ended, ...outbox.take() })
}

/** While runs execute, one timer for all of them sends heartbeats and notices when the event loop is late. */
function startTicking(): void {
  if (ticking) return
  tickedAt = clock.monotonic()
  beatAt = tickedAt
  ticking = setInterval(tick, TICK_MS)
}

function tick(): void {
  const now = clock.monotonic()
  if (now - tickedAt - TICK_MS > LATE_MS) late++
  tickedAt = now
  if (now - beatAt < HEARTBEAT_MS && late < 2) return
  beatAt = now
  void send({ type: 'alive', ...(late > 0 && { late }) })
  late = 0
  for (const [number, run] of current) reportUsage(number, run)
  if (current.size > 0) return
  clearInterval(ticking)
  ticking = undefined
}

/** If its process dies, this is what counts. */
function reportUsage(number: RunNumber, run: Current): void {
  const { requests = 0, bytes = 0 } = run.served?.usage ?? {}
  if (requests + bytes === (run.reported ?? 0)) return
  run.reported = requests + bytes
  void send({ run: number, type: 'usage', requests, bytes })
}

async function attempt(
  job: Job,
  now: Current,
  say: (message: OfRun) => Promise<void>,
): Promise<Omit<Completed, keyof Items>> {
  const ring = rings.open()
  try {
    if (!setup) throw new Error('received a run before the setup')
    const loaded = await loadTask(job)
    const { signal } = now.abort
    now.served = createContext({
      job,
      loaded,
      setup,
      signal,
      send: (message) => void say(message),
      observer: ring.observer,
      onPageRead: (answer) => ring.add(answer),
    })
    const filling = new Filling(loaded.fields, hasKinds(loaded.declaration))
    const { context, ended, again } = now.served
    const end = await execute({ job, loaded, context, items: now.outbox, filling, again })
    const completed = ended(end)
    const text = await captureOf({ job, loaded, end, ring, cookies: completed.cookies })
    if (text !== undefined) void say({ type: 'capture', text })
    return { ...completed, fill: filling.sums }
  } catch (error) {
    return { end: endOf(error), hasFolder: false, fill: null }
  } finally {
    ring.close()
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
