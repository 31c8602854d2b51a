/**
 * Stores as a node reaches them over a network: calls take time and are subject to the faults of the run. A call takes
 * effect when it arrives, even if its caller has died.
 *
 * @module
 */
import { hash } from 'node:crypto'
import type { Artifacts } from '../../src/artifacts/artifacts.ts'
import { storedAs } from '../../src/artifacts/refs.ts'
import {
  type Appended,
  type AppendOptions,
  type EventLog,
  type LogBatch,
  StoreUnavailable,
} from '../../src/log/event-log.ts'
import type { Checkpoint, Model, ReadModels } from '../../src/read/read-models.ts'
import { BLOCK_CHARGED, type Fault, type FaultKind, type Server } from './faults.ts'
import { LATE_POINTS } from './points.ts'
import type { Life, World } from './world.ts'

/** How long a call waits for a lost answer, in milliseconds. */
const ANSWER_MS = 400
const SLOW_STEP_MS = 100

type Call<T> = {
  readonly server: Server
  /** its text in the trace */
  readonly name: string
  readonly isWrite: boolean
  /** names of the write, for crashes after it */
  readonly points?: readonly string[]
  /** the run that it belongs to */
  readonly run?: string | undefined
  readonly act: () => T | Promise<T>
}

/** Nothing fails before clients begin. After healing, processes may still die after the writes of `LATE_POINTS`. */
export type Phase = 'before' | 'failing' | 'healed' | 'judged'

/** What resumes at a write of another process, which must be of the same run if both belong to a run. */
type Overtaken = {
  readonly by: string
  readonly run: string | undefined
  readonly goOn: () => void
  /** how long the overtaking process is suspended, in milliseconds */
  readonly pauseMs: number
}

export class Network {
  /** how often each write took effect */
  private readonly reached = new Map<string, number>()
  /** how often each write was requested */
  private readonly requests = new Map<string, number>()
  /** frozen processes, and the write of another process that resumes them */
  private readonly frozen = new Map<Life, Overtaken>()
  private readonly byKind: ReadonlyMap<FaultKind, readonly Fault[]>

  /**
   * @param kill ends a life for a number of milliseconds
   * @param phase the current phase of the run
   */
  constructor(
    readonly world: World,
    private readonly faults: readonly Fault[],
    private readonly kill: (life: Life, forMs: number) => void,
    private readonly phase: () => Phase,
  ) {
    this.byKind = Map.groupBy(faults, ({ kind }) => kind)
  }

  /** A call of the running life to a server. */
  call<T>(call: Call<T>): Promise<T> {
    const { world } = this
    const life = world.here()
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    if (life?.isDead) return promise
    const { server, isWrite } = call
    const answer = (act: () => void, ms = this.latency(server)) => world.after(ms, act, life)
    const unavailable = (why: string, ms?: number) =>
      answer(() => reject(new StoreUnavailable(`${server}: ${why}`)), ms)
    const arrive = (isSecond = false) => {
      const refusal = this.refusal(server, life, isWrite)
      if (refusal !== undefined) return void unavailable(refusal)
      const settle = world.as(undefined, () => Promise.resolve(attempt(call.act)))
      world.note(`${server} ${call.name}`)
      settle.then(
        (value) => {
          if (isSecond) return
          if (isWrite && life) this.wrote(call, life)
          if (this.happens('answer lost', server)) unavailable('no answer', ANSWER_MS)
          else answer(() => resolve(value))
        },
        (error) => {
          if (!isSecond) answer(() => reject(error))
        },
      )
    }
    if (this.happens('request lost', server)) {
      unavailable('no answer', ANSWER_MS)
      return promise
    }
    // The call is in flight even if its sender dies.
    if (isWrite && life && this.holds(call, life, arrive)) return promise
    world.after(this.latency(server), () => arrive())
    if (server === 'log' && isWrite && this.happens('append doubled'))
      world.after(this.latency(server) * 2, () => arrive(true))
    return promise
  }

  /** Whether a probabilistic fault strikes now. */
  happens(
    kind:
      | 'answer lost'
      | 'request lost'
      | 'append doubled'
      | 'process killed'
      | 'client cut off'
      | 'endpoint down',
    server?: Server,
  ): boolean {
    const { random } = this.world
    for (const fault of this.active(kind))
      if (!('server' in fault) || fault.server === server)
        if ('share' in fault && random.chance(fault.share)) {
          this.world.count(kind)
          return true
        }
    return false
  }

  /** The batches of a node's subscription, delayed by the network. */
  async *late(events: AsyncIterable<LogBatch>): AsyncGenerator<LogBatch> {
    const { world } = this
    const life = world.here()
    for await (const batch of events) {
      await this.passage(life)
      while (this.refusal('log', life, false) !== undefined) await this.passage(life, 100)
      world.note(`hears ${batch.kind === 'events' ? batch.events.at(-1)?.position : batch.kind}`)
      yield batch
    }
  }

  private async passage(life: Life | undefined, ms = this.latency('log')): Promise<void> {
    const { world } = this
    const pause = (ms: number) => new Promise<void>((go) => void world.after(ms, go, life))
    const slow = this.active('slow subscriber').find(
      (fault) => 'node' in fault && `node${fault.node}` === life?.machine.name,
    )
    await pause(ms)
    if (!slow || !('byMs' in slow)) return
    world.count('slow subscriber')
    // Nothing is slow after healing.
    for (let left = slow.byMs; left > 0 && !this.isOver; left -= SLOW_STEP_MS)
      await pause(Math.min(left, SLOW_STEP_MS))
  }

  private get isOver(): boolean {
    return this.phase() !== 'failing'
  }

  private active(kind: FaultKind): readonly Fault[] {
    const faults = this.byKind.get(kind)
    if (!faults || this.isOver) return NONE
    const { time } = this.world
    return faults.filter(
      (fault) => 'at' in fault && 'forMs' in fault && fault.at <= time && time < fault.at + fault.forMs,
    )
  }

  private refusal(server: Server, life: Life | undefined, isWrite: boolean): string | undefined {
    const strikes = (kind: FaultKind, isHere: (fault: Fault) => boolean = () => true) =>
      this.active(kind).some((fault) => 'server' in fault && fault.server === server && isHere(fault))
    const fault = strikes('store away')
      ? 'store away'
      : isWrite && strikes('disk full')
        ? 'disk full'
        : strikes('partition', (fault) => 'node' in fault && `node${fault.node}` === life?.machine.name)
          ? 'partition'
          : undefined
    if (fault) this.world.count(fault)
    return fault
  }

  private latency(server: Server): number {
    const { random } = this.world
    const isSlow = this.active('out of order').some((fault) => 'server' in fault && fault.server === server)
    if (isSlow) {
      this.world.count('out of order')
      return random.whole(0, 300)
    }
    return random.chance(0.02) ? random.whole(5, 60) : 0.2 + random.next()
  }

  /** Called when a write took effect: triggers the faults that wait for it. */
  private wrote({ points = [], run }: Call<unknown>, life: Life): void {
    if (this.phase() === 'before') return
    for (const [frozen, { by, run: its = run, goOn, pauseMs }] of this.frozen) {
      if (frozen === life || !points.includes(by) || (run ?? its) !== its) continue
      this.frozen.delete(frozen)
      this.world.after(2 * this.world.random.next(), goOn)
      if (pauseMs > 0 && !life.heldSteps) this.world.freeze(life, pauseMs)
    }
    for (const point of points) {
      const nth = (this.reached.get(point) ?? 0) + 1
      this.reached.set(point, nth)
      // The judge uses the first node.
      const isLate = this.phase() === 'healed' && LATE_POINTS.includes(point) && life.machine.name !== 'node0'
      if (this.isOver && !isLate) continue
      for (const fault of this.faults) {
        if (this.isOver && fault.kind !== 'crash after a write') continue
        if (!('point' in fault) || fault.kind === 'write held until overtaken') continue
        if (fault.point !== point || fault.nth !== nth || life.isDead) continue
        this.world.count(fault.kind)
        this.world.count(`${fault.kind}: ${point}`)
        if (fault.kind === 'crash after a write') this.kill(life, fault.forMs)
        else this.world.freeze(life, fault.forMs)
        if (fault.kind === 'freeze until overtaken')
          this.frozen.set(life, {
            by: fault.by,
            run,
            goOn: () => this.world.thaw(life),
            pauseMs: 0,
          })
      }
    }
  }

  /** Whether a write stays in flight for now, with its process suspended. */
  private holds({ points = [], run }: Call<unknown>, life: Life, arrive: () => void): boolean {
    if (this.isOver) return false
    for (const point of points) {
      const nth = (this.requests.get(point) ?? 0) + 1
      this.requests.set(point, nth)
      for (const fault of this.faults) {
        if (fault.kind !== 'write held until overtaken' || fault.point !== point || fault.nth !== nth)
          continue
        if (life.heldSteps) continue
        const { world } = this
        world.count(fault.kind)
        world.count(`${fault.kind}: ${point}`)
        world.freeze(life, fault.forMs)
        let isOnItsWay = false
        const goOn = () => {
          if (isOnItsWay) return
          isOnItsWay = true
          arrive()
          world.thaw(life)
        }
        this.frozen.set(life, { by: fault.by, run, goOn, pauseMs: world.random.pick([0, 100]) })
        world.after(fault.forMs, goOn)
        return true
      }
    }
    return false
  }
}

const NONE: readonly Fault[] = []

async function attempt<T>(act: () => T | Promise<T>): Promise<T> {
  return act()
}

/** A log over the network. */
export const logOver = (network: Network, log: EventLog): EventLog => ({
  id: log.id,
  async append(stream, expected, events, { after = [] }: AppendOptions = {}): Promise<Appended> {
    if (after.some(Boolean)) await Promise.all(after)
    const types = events.map(({ event }) => event.type)
    const data = events.map(({ event }) => event.data as { run_id?: string; block?: number })
    return network.call({
      server: 'log',
      name: `append ${stream} ${expected} ${types}`,
      isWrite: true,
      points: data.some(({ block }) => block !== undefined) ? [...types, BLOCK_CHARGED] : types,
      run: data[0]?.run_id,
      act: () => log.append(stream, expected, events),
    })
  },
  readStream: (...args) =>
    network.call({
      server: 'log',
      name: `read ${args[0]}`,
      isWrite: false,
      act: () => log.readStream(...args),
    }),
  readAll: (...args) =>
    network.call({ server: 'log', name: 'readAll', isWrite: false, act: () => log.readAll(...args) }),
  head: () => network.call({ server: 'log', name: 'head', isWrite: false, act: () => log.head() }),
  lastEvent: () =>
    network.call({ server: 'log', name: 'lastEvent', isWrite: false, act: () => log.lastEvent() }),
  knows: (at) => network.call({ server: 'log', name: 'knows', isWrite: false, act: () => log.knows(at) }),
  subscribe: (after, options) => network.late(log.subscribe(after, options)),
  close: async () => {},
})

type Method = (...args: unknown[]) => unknown

/** Any other store, given the names of its writing methods. Other members, such as a nested store, stay unchanged. */
export function storeOver<T extends object>(
  network: Network,
  server: Server,
  name: string,
  store: T,
  writes: readonly (keyof T & string)[],
  local: readonly (keyof T & string)[] = [],
): T {
  const methods = new Map<string | symbol, Method>()
  const methodOf = (key: string | symbol, value: Method) => {
    if ((local as readonly string[]).includes(String(key))) return value.bind(store)
    const isWrite = (writes as readonly string[]).includes(String(key))
    const point = `${name}.${String(key)}`
    const points = [point]
    return (...args: unknown[]) =>
      network.call({
        server,
        name: `${point} ${brief(args)}`,
        isWrite,
        points,
        act: () => value.apply(store, args),
      })
  }
  return new Proxy(store, {
    get(target, key) {
      const value = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      const method = methods.get(key) ?? methodOf(key, value as Method)
      methods.set(key, method)
      return method
    },
  })
}

/**
 * Read models over the network. Checkpoints requested together are one call: a projector requests all of them. A commit
 * is sent after the one before it.
 */
export function readModelsOver(network: Network, readModels: ReadModels): ReadModels {
  const writes = ['begin', 'commit', 'publish'] as const
  const over = storeOver(network, 'redis', 'read-models', readModels, writes, ['close'])
  let together: { readonly models: Model[]; readonly checkpoints: Promise<(Checkpoint | null)[]> } | undefined
  const send = async (models: readonly Model[]) => {
    await Promise.resolve()
    together = undefined
    return network.call({
      server: 'redis',
      name: `read-models.checkpoint ${models.length}`,
      isWrite: false,
      act: () => Promise.all(models.map((model) => readModels.checkpoint(model))),
    })
  }
  const checkpoint = async (model: Model) => {
    if (!together) {
      const models: Model[] = []
      together = { models, checkpoints: send(models) }
    }
    const { models, checkpoints } = together
    const i = models.push(model) - 1
    return (await checkpoints)[i] ?? null
  }
  const commit: ReadModels['commit'] = async (changes, before) =>
    before && !(await before) ? false : over.commit(changes)
  const replaced: Partial<ReadModels> = { checkpoint, commit }
  return new Proxy(over, { get: (target, key) => Reflect.get(key in replaced ? replaced : target, key) })
}

/** Artifacts over the network: the ref and hash of an artifact are known before it is stored. */
export function artifactsOver(network: Network, artifacts: Artifacts): Artifacts {
  const over = storeOver(
    network,
    'objects',
    'artifacts',
    artifacts,
    ['putFile', 'remove', 'sweep'],
    ['close'],
  )
  return {
    put(run, name, body, expiresAt) {
      const point = `artifacts.put ${name}`
      const done = network.call({
        server: 'objects',
        name: point,
        isWrite: true,
        points: [point],
        run,
        act: () => artifacts.put(run, name, body, expiresAt).done,
      })
      const bytes = Buffer.from(body as string)
      return { ...storedAs(run, name, bytes.length, hash('sha256', bytes)), done }
    },
    putFile: (...args) => over.putFile(...args),
    get: (ref) => over.get(ref),
    open: (...args) => over.open(...args),
    remove: (ref) => over.remove(ref),
    sweep: (now, signal) => over.sweep(now, signal),
    close: async () => {},
  }
}

/** The arguments of a call in the trace: names and numbers. */
const brief = (args: readonly unknown[]): string =>
  args
    .map((arg) =>
      typeof arg === 'string' || typeof arg === 'number' ? arg : Array.isArray(arg) ? arg.length : '',
    )
    .join(' ')
