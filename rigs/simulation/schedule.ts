/**
 * One run of the simulation: nodes and clients work under faults, then everything heals, then the judge checks the
 * invariants.
 *
 * @module
 */
import { projectionsOf } from '../../projections/all.ts'
import type { EventType } from '../../src/domain/events.ts'
import { type AccountId, accountStream } from '../../src/domain/ids.ts'
import type { EventLog } from '../../src/log/event-log.ts'
import { append, envelop } from '../../src/log/execute.ts'
import type { Handled, Projection, Row } from '../../src/read/read-models.ts'
import { Client, Tenant } from './clients.ts'
import { type Fault, faultsOf } from './faults.ts'
import { type Answer, ask } from './http.ts'
import { deliveriesAreWhole, judge, type Weather, type Written } from './judge.ts'
import { judgeCanary } from './judge-canary.ts'
import { judgePeople } from './judge-people.ts'
import { judgeRuns } from './judge-runs.ts'
import { judgeSources } from './judge-sources.ts'
import { Network, type Phase } from './network.ts'
import { LEASE_S, Node, OPERATOR_KEY, RUN_LIMIT_S } from './node.ts'
import { Operator } from './operator.ts'
import type { Executed } from './plugin-process.ts'
import { POINTS } from './points.ts'
import { Seeded } from './random.ts'
import { Receivers } from './receivers.ts'
import { emptyRedis, openServers, type Servers } from './stores.ts'
import { Visitor } from './visitors.ts'
import { BEGINNING, type Life, World } from './world.ts'

/** How long clients work under faults, in milliseconds. Short runs find most, and more of them fit in a minute. */
const WORK_MS = [1500, 1500, 3000, 6000] as const
/** How many runs a process of plugins executes at once. */
const RUNS_PER_PROCESS = [1, 2, 6, 6] as const
/** Faults that cost no worker its lease. */
const HARMLESS: readonly Fault['kind'][] = ['process killed', 'client cut off', 'endpoint down']
const LEASE_MS = LEASE_S * 1000
/** The least number of runs of an account that are executed concurrently. */
export const LEAST_AT_ONCE = 3
/** A charge without its run is closed after 30 seconds. */
const SETTLE_MS = 36_000
/** Leftovers of a crash in the vault are swept once they are an hour old, by an hourly sweep. */
const HOUR_MS = 2 * 3_600_000
const SWEEP_MS = 2000
/** Lists show everything within a second. */
const LIST_MS = 1000
/** Within this time the loss of all rows is detected on a quiet log, and the rows are rebuilt. */
const REBUILT_MS = 4000
/** Redis is emptied once more within this time after healing, in milliseconds. */
const EMPTIED_LATE_MS = 10_000

export type Outcome = {
  readonly seed: number
  readonly faults: readonly Fault[]
  /** a hash of the trace: equal hashes mean equal runs */
  readonly hash: string
  readonly wrong: readonly string[]
  readonly counts: ReadonlyMap<string, number>
  readonly trace: readonly string[] | undefined
  /** number of events in the final log, and steps of the simulation */
  readonly written: number
  readonly steps: number
}

export type ScheduleOptions = {
  /** default: the faults of the seed */
  readonly faults?: readonly Fault[]
  readonly withTrace?: boolean
}

/** The part of a run that a seed determines in advance. */
export type Plan = {
  readonly nodes: number
  /** how long clients work, in milliseconds */
  readonly workMs: number
  /** how many runs a process of plugins executes at once */
  readonly runsPerProcess: number
  readonly faults: readonly Fault[]
}

export function planOf(seed: number): Plan {
  const random = new Seeded(seed ^ 0x5eed)
  const nodes = random.pick([1, 2, 2, 3])
  const workMs = random.pick(WORK_MS)
  const faults = faultsOf(random, { nodes, workMs, leaseMs: LEASE_MS, points: POINTS })
  return { nodes, workMs, runsPerProcess: random.pick(RUNS_PER_PROCESS), faults }
}

/** Runs a seed. @throws for a defect of the simulation */
export async function simulate(seed: number, options: ScheduleOptions = {}): Promise<Outcome> {
  const plan = planOf(seed)
  const { faults = plan.faults, withTrace } = options
  const world = new World(seed, withTrace)
  const unhandled = (error: unknown) => world.wrong.push(`unhandled: ${(error as Error)?.stack ?? error}`)
  process.on('unhandledRejection', unhandled)
  try {
    await new Run(world, { ...plan, faults }).perform()
  } catch (error) {
    world.wrong.push(String((error as Error).stack))
  } finally {
    process.off('unhandledRejection', unhandled)
    world.end()
  }
  const { wrong, counts, trace, events: steps } = world
  const written = counts.get('written') ?? 0
  return { seed, faults, hash: world.digest(), wrong: [...new Set(wrong)], counts, trace, written, steps }
}

class Run {
  private readonly servers: Servers
  private readonly network: Network
  private readonly receivers: Receivers
  private readonly nodes: Node[] = []
  private readonly tenants: Tenant[] = []
  private readonly clients: Client[] = []
  private readonly visitors: Visitor[] = []
  private readonly operator: Operator
  private readonly executed: Executed[] = []
  /** by the id of an event, in milliseconds since 1970 */
  private readonly writtenAt = new Map<string, number>()
  private phase: Phase = 'before'

  constructor(
    private readonly world: World,
    private readonly plan: Plan,
  ) {
    const { faults } = plan
    this.servers = openServers(() => Math.floor(BEGINNING + world.time))
    this.servers.log.onAppend((events) => {
      for (const { id } of events) this.writtenAt.set(id, BEGINNING + world.time)
    })
    const kill = (life: Life, forMs: number) =>
      this.nodes.find(({ machine }) => machine === life.machine)?.kill(life, forMs)
    this.network = new Network(world, faults, kill, () => this.phase)
    this.receivers = new Receivers(this.network)
    this.operator = new Operator(this.network, this.nodes, this.tenants)
  }

  async perform(): Promise<void> {
    const { world, plan, network, servers, receivers, executed } = this
    const deps = { world, network, servers, receivers, executed, runsPerProcess: plan.runsPerProcess }
    for (let index = 0; index < plan.nodes; index++) this.nodes.push(new Node(deps, index))
    await this.until('the nodes start', 5000, () => this.nodes.every(({ isUp }) => isUp))
    await this.openAccounts()
    const begun = world.time
    this.phase = 'failing'
    this.planFaults()
    const isOver = () => world.time - begun >= plan.workMs
    const work = Promise.all(
      [...this.clients, ...this.visitors, this.operator].map((one) => one.work(isOver)),
    )
    let isDone = false
    void work.then(() => {
      isDone = true
    })
    await world.run(begun + plan.workMs)
    this.heal()
    // A frozen process answers after it resumes.
    await this.until('the clients get their answers', 36_000, () => isDone)
    await this.end()
    this.phase = 'judged'
    await this.check()
  }

  private async openAccounts(): Promise<void> {
    for (const credits of [400, 40]) {
      const { body } = await this.answer('/admin/accounts', { name: 'one', credits })
      await this.setLevel(body.account_id, credits / 2)
      const tenant = new Tenant(body.account_id, body.api_key, credits)
      this.tenants.push(tenant)
      for (const name of ['a', 'b'])
        this.clients.push(new Client(this.network, this.nodes, this.receivers, tenant, name, this.tenants))
    }
    const friends: Visitor[] = []
    const visitor = (name: string, founder?: string) =>
      new Visitor(this.network, this.nodes, `${name}@people.example`, friends, founder)
    friends.push(visitor('ben'), visitor('cid'))
    this.visitors.push(visitor('ann', 'Ann'), visitor('ann', 'another Ann'), ...friends)
    for (const client of this.clients) await this.settled(client.attempt(() => client.changeEndpoints()))
  }

  /** An owner of an account sets its level; the nodes learn of it by the log. */
  private async setLevel(account_id: AccountId, level: number): Promise<void> {
    const { log } = this.servers
    const stream = accountStream(account_id)
    const event = { type: 'CreditsLevelSet', data: { account_id, level } } as const
    const cause = { accountId: account_id, correlationId: 'level', causationId: 'level' }
    const { length } = await log.readStream(stream)
    await append(log, stream, length - 1, envelop([event], { ...cause, now: BEGINNING }))
  }

  /** Schedules the faults that have a time. Times count from the start of the clients. */
  private planFaults(): void {
    const { world, nodes } = this
    const begun = world.time
    const at = (ms: number, act: () => void) => world.after(Math.max(0, ms - (world.time - begun)), act)
    for (const fault of this.plan.faults) {
      if (!('at' in fault)) continue
      const node = 'node' in fault ? nodes[fault.node % nodes.length] : undefined
      at(fault.at, () => {
        if (this.phase !== 'failing') return
        if (fault.kind === 'redis emptied') emptyRedis(this.servers)
        else if (fault.kind === 'crash') node?.kill(node.life, fault.forMs)
        else if (fault.kind === 'restart') node?.restart(fault.forMs)
        else if (fault.kind === 'freeze' && node) world.freeze(node.life, fault.forMs)
        else if (fault.kind === 'clock jump' && node) {
          node.machine.clockMs += fault.byMs
          at(fault.at + fault.forMs, () => {
            node.machine.clockMs -= fault.byMs
          })
        } else return
        world.count(fault.kind)
        world.note(fault.kind)
      })
    }
  }

  private empty(): void {
    emptyRedis(this.servers)
    this.world.note('redis emptied')
  }

  /** Stops all faults. */
  private heal(): void {
    this.phase = 'healed'
    this.world.note('healed')
  }

  /** Runs end, refunds follow, lists and subscribers catch up. */
  private async end(): Promise<void> {
    const { world } = this
    // A frozen process resumes by itself. The others close a charge without its run before that.
    await this.until('the nodes start again', 36_000, () =>
      this.nodes.every(({ isUp, life }) => isUp && !life.heldSteps),
    )
    await this.listsAreRight()
    const isEmptied = this.plan.faults.some(({ kind }) => kind === 'redis emptied')
    // When hardly any new event reveals the loss, and endpoints have yet to accept the events that they refused.
    if (isEmptied) world.after(world.random.whole(0, EMPTIED_LATE_MS), () => this.empty())
    // Runs end within their limit and one lease, waiting runs after earlier ones; the reconciler runs once a second.
    const rounds = Math.max(1, Math.ceil(this.openRuns() / LEAST_AT_ONCE))
    const endMs = rounds * RUN_LIMIT_S * 1000 + LEASE_MS + 2500 + (isEmptied ? REBUILT_MS : 0)
    await this.until('all runs end', endMs, () => this.openRuns() === 0)
    await this.until('all charges are settled', SETTLE_MS, () => this.unsettled() === 0)
    await this.until('all events are delivered', SETTLE_MS, () => {
      const log = this.log()
      const { received } = this.receivers
      return this.tenants.every((tenant) => deliveriesAreWhole(tenant, log, received).length === 0)
    })
    await this.quiet()
    // Unfinished work is swept after an hour.
    world.time += HOUR_MS
    await world.run(world.time + 2 * SWEEP_MS)
    await this.quiet()
    // Also when no event at all reveals the loss.
    if (isEmptied) {
      this.empty()
      await world.run(world.time + REBUILT_MS)
      await this.quiet()
    }
    for (const client of this.clients.filter((_, i) => i % 2 === 0)) {
      for (let isCaughtUp = false; !isCaughtUp; )
        await this.settled(
          client.attempt(async () => {
            isCaughtUp = await client.follow()
          }),
        )
    }
  }

  /** A second after healing, lists contain everything that was answered before. */
  private async listsAreRight(): Promise<void> {
    const { world, tenants } = this
    const answered = tenants.map(({ kickoffs }) => kickoffs.flatMap(({ run }) => run ?? []))
    await world.run(world.time + LIST_MS)
    for (const [i, tenant] of tenants.entries()) {
      const listed = new Set((await this.all(tenant, '/v1/runs', 'runs')).map(({ run_id }) => run_id))
      const missing = answered[i]?.filter((run) => !listed.has(run)) ?? []
      if (missing.length > 0)
        world.wrong.push(`a second after healing, the list of ${tenant.id} lacks ${missing}`)
    }
  }

  /** Waits until nothing was written for as long as lists may lag. */
  private async quiet(): Promise<void> {
    const { world, servers } = this
    for (let length = -1; length !== servers.log.all.length; ) {
      length = servers.log.all.length
      await world.run(world.time + LIST_MS)
    }
  }

  private async check(): Promise<void> {
    const { world, servers, tenants } = this
    const log = this.log()
    for (let i = 0; i < log.length; i++) world.count('written')
    world.wrong.push(...judge(log, tenants, this.receivers.received, this.operator.grants, this.weather()))
    world.wrong.push(...judgeRuns(log, tenants, this.executed, this.weather()))
    world.wrong.push(...judgePeople(log, servers.vault.dump()))
    world.wrong.push(...judgeCanary(log, this.weather()))
    world.wrong.push(...judgeSources(log))
    for (const projection of projectionsOf(servers.log as EventLog)) this.checkRows(projection)
    for (const tenant of tenants) await this.checkLists(tenant, log)
    // Last, because they advance the time and write more events.
    for (const visitor of this.visitors) await this.checkVisitor(visitor)
  }

  private weather(): Weather {
    if (this.plan.faults.length === 0) return 'calm'
    if (this.plan.faults.every(({ kind }) => HARMLESS.includes(kind))) return 'mild'
    const deaths = ['crash', 'crash after a write', 'restart']
    const areDeaths = this.plan.faults.every(({ kind }) => deaths.includes(kind))
    return areDeaths && this.plan.faults.length < this.plan.nodes ? 'breeze' : 'storm'
  }

  /** The log, as the judge reads it. */
  private log(): Written[] {
    return this.servers.log.all.map(({ id, stream, revision, type, event, meta }) => ({
      id,
      stream,
      revision,
      type,
      data: event?.data,
      account: meta.account_id,
      at: meta.at,
      written: this.writtenAt.get(id) ?? Number.NaN,
      cause: meta.$causationId,
      actor: meta.actor,
    }))
  }

  /** A read model is a fold of the log. */
  private checkRows(projection: Projection): void {
    const rows = new Map<string, Row | null>()
    for (const recorded of this.servers.log.all) {
      if (!recorded.event || !projection.types.includes(recorded.event.type)) continue
      const handled = recorded as unknown as Handled<EventType>
      const key = projection.key(handled)
      const row = projection.apply(rows.get(key) ?? undefined, handled)
      if (row === null) rows.delete(key)
      else rows.set(key, row)
    }
    const there = this.servers.readModels.dump()[`${projection.name}.${projection.version}`]?.rows ?? {}
    const text = (all: readonly (readonly [string, unknown])[]) =>
      JSON.stringify([...all].sort(([a], [b]) => (a < b ? -1 : 1)))
    if (text(Object.entries(there)) !== text([...rows]))
      this.world.wrong.push(`the rows of ${projection.name} are not a fold of the log`)
  }

  /** People who were told that they joined can sign in; people who were told that they were erased cannot. */
  private async checkVisitor(visitor: Visitor): Promise<void> {
    const { email, state } = visitor
    if (state !== 'joined' && state !== 'erased') return
    let isIn = false
    for (const password of visitor.passwords.toReversed()) {
      // Attempts are limited per minute.
      this.world.time += 120_000
      isIn ||= await this.settled(visitor.tries(password))
    }
    if (isIn !== (state === 'joined'))
      this.world.wrong.push(
        `${email} was told that they are ${state}, and can${state === 'joined' ? "'t" : ''} sign in`,
      )
  }

  /** Accounts are shown the state of the log. */
  private async checkLists(tenant: Tenant, log: readonly Written[]): Promise<void> {
    const { wrong } = this.world
    const listed = await this.all(tenant, '/v1/runs', 'runs')
    const runs = log.filter(({ type, account }) => type === 'RunRequested' && account === tenant.id)
    const ids = (all: readonly { readonly run_id: string }[]) =>
      all
        .map(({ run_id }) => run_id)
        .sort()
        .join()
    if (ids(listed) !== ids(runs.map(({ data }) => data)))
      wrong.push(`the list of ${tenant.id} has ${listed.length} of ${runs.length} runs`)
    for (const { run_id, run_status } of listed) {
      const { status, body } = await this.answer(`/v1/runs/${run_id}`, undefined, tenant.key)
      if (status !== 200 || body.run_status !== run_status)
        wrong.push(`${run_id} is ${run_status} in a list and ${status} ${body.run_status} by its id`)
      if (body.run_status === 'succeeded' && body.result === null) wrong.push(`${run_id} has lost its result`)
    }
    const { body: account } = await this.answer('/v1/account', undefined, tenant.key)
    const balance = log.findLast(
      ({ stream, data }) => stream === `account-${tenant.id}` && data.balance_after !== undefined,
    )?.data.balance_after
    if (account.balance !== balance)
      wrong.push(`${tenant.id} is shown ${account.balance} credits but has ${balance}`)
    const entries = await this.all(tenant, '/v1/account/ledger', 'entries')
    const booked = log.filter(({ account, data }) => account === tenant.id && data.amount !== undefined)
    if (entries.length !== booked.length)
      wrong.push(`the ledger of ${tenant.id} has ${entries.length} of ${booked.length} entries`)
    for (const kickoff of tenant.kickoffs)
      if (kickoff.idempotencyKey !== undefined)
        await this.settled((this.clients[0] as Client).attempt(() => this.repeat(tenant, kickoff)))
  }

  /** An answered kickoff gets the same answer for ever, and an unanswered one is answered now. */
  private async repeat(
    tenant: Tenant,
    { path, script, idempotencyKey = '', run }: Tenant['kickoffs'][number],
  ) {
    const headers = { 'idempotency-key': idempotencyKey }
    const { status, body } = await this.answer(path, script, tenant.key, headers)
    if (run === undefined && (status === 202 || body.code === 'insufficient-credits')) return
    if (status !== 202 || body.run_id !== run)
      this.world.wrong.push(
        `${idempotencyKey} was answered ${run}, but ${body.run_id ?? body.code} when repeated`,
      )
  }

  private async all(tenant: Tenant, path: string, field: string) {
    // biome-ignore lint/suspicious/noExplicitAny: rows of any list
    const rows: any[] = []
    for (let cursor = ''; ; ) {
      const { body } = await this.answer(`${path}?limit=100${cursor}`, undefined, tenant.key)
      if (!body[field]) throw new Error(`${path} was answered ${body.code}`)
      rows.push(...body[field])
      if (body.next_cursor === null) return rows
      cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
    }
  }

  /** Sends a request that must be answered, because no fault is active. */
  private answer(
    path: string,
    body?: object,
    key: string = OPERATOR_KEY,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const [node] = this.nodes
    return this.settled(ask(this.network, node as Node, path, { ...(body && { body }), key, headers }))
  }

  /** Runs the world until a promise has settled. */
  private async settled<T>(promise: Promise<T>): Promise<T> {
    let isDone = false
    const settle = () => {
      isDone = true
    }
    promise.then(settle, settle)
    await this.world.run(this.world.time + 30_000, () => isDone)
    if (!isDone) throw new Error('a request was never answered')
    return promise
  }

  /** Runs the world until a condition holds. It is a violation if the condition does not hold in time. */
  private async until(what: string, withinMs: number, holds: () => boolean): Promise<void> {
    const { world } = this
    const end = world.time + withinMs
    while (!holds() && world.time < end) await world.run(Math.min(end, world.time + 100))
    if (!holds()) world.wrong.push(`did not happen within ${withinMs} ms: ${what}`)
  }

  private openRuns(): number {
    const open = new Set<string>()
    for (const { stream, type } of this.servers.log.all) {
      if (type === 'RunRequested') open.add(stream)
      else if (/^Run(Succeeded|Failed|Errored|Cancelled|Expired)$/.test(type)) open.delete(stream)
    }
    return open.size
  }

  /** Credits that are still charged for runs that have ended or were never requested. */
  private unsettled(): number {
    const out = new Map<string, number>()
    for (const { event } of this.servers.log.all) {
      if (!event) continue
      const add = (run: string, credits: number) => out.set(run, (out.get(run) ?? 0) + credits)
      if (event.type === 'CreditsCharged') add(event.data.run_id, event.data.amount)
      else if (event.type === 'CreditsRefunded') add(event.data.run_id, -event.data.amount)
      else if ('refunded' in event.data) add(event.data.run_id, event.data.refunded - event.data.charged)
    }
    return [...out.values()].filter((credits) => credits !== 0).length
  }
}
