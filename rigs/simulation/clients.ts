/**
 * Clients of accounts: they make random calls and remember the answers, which must hold for ever.
 *
 * @module
 */
import { type Answer, ask, type Call, CutOff } from './http.ts'
import type { Network } from './network.ts'
import type { Node } from './node.ts'
import { ENDS, type Script } from './plugin-run.ts'
import type { Seeded } from './random.ts'
import type { Receivers } from './receivers.ts'
import type { World } from './world.ts'

/** A call of a task, and what its client knows about it. */
export type Kickoff = {
  readonly path: string
  readonly script: Script
  readonly idempotencyKey: string | undefined
  /** set once an answer named it */
  run?: string
}

/** An endpoint that its owner requested. `state`: by the latest answer; `unknown` after a lost answer. */
export type Endpoint = {
  readonly url: string
  readonly types: readonly string[]
  id?: string
  state: 'unknown' | 'enabled' | 'deleted'
  /** its deletion was requested: other concurrent answers are no longer reliable */
  isDeleting?: boolean
}

/** An account, as its clients know it. */
export class Tenant {
  readonly kickoffs: Kickoff[] = []
  readonly endpoints: Endpoint[] = []
  /** keys that an answer showed; `maybe`: their revocation was requested and not answered */
  readonly keys = new Map<string, { readonly secret: string; revoked: 'no' | 'maybe' | 'yes' }>()
  /** runs whose cancellation was confirmed */
  readonly cancelled = new Set<string>()
  /** the events that a subscriber of the feed received, in order */
  readonly feed: { readonly id: string; readonly type: string; readonly account: string }[] = []
  feedAfter = ''
  /** kickoffs without an Idempotency-Key that were not answered: each may have created a run */
  lostKickoffs = 0

  constructor(
    readonly id: string,
    readonly key: string,
    /** credits at its opening */
    readonly credits: number,
  ) {}
}

/** A client received an answer that must never be given. */
export class Wrong extends Error {}

export class Client {
  private readonly random: Seeded
  private readonly world: World
  private count = 0

  constructor(
    private readonly network: Network,
    private readonly nodes: readonly Node[],
    private readonly receivers: Receivers,
    private readonly of: Tenant,
    private readonly name: string,
    private readonly all: readonly Tenant[],
  ) {
    this.world = network.world
    this.random = this.world.random.fork()
  }

  /** Works until `isOver`. */
  async work(isOver: () => boolean): Promise<void> {
    const actions = [
      ...Array.from({ length: 5 }, () => () => this.kickOff()),
      ...Array.from({ length: 3 }, () => () => this.kickOffOnce()),
      ...Array.from({ length: 2 }, () => () => this.repeat()),
      ...Array.from({ length: 3 }, () => () => this.poll()),
      () => this.cancel(),
      () => this.cancel(),
      () => this.list(),
      () => this.askForOthers(),
      // One subscriber per account reads its feed.
      ...(this.name === 'a' ? [() => this.follow()] : []),
      () => this.changeKeys(),
      () => this.changeEndpoints(),
      () => this.changeEndpoints(),
    ]
    while (!isOver()) {
      await this.world.sleep(this.random.whole(20, 900))
      await this.attempt(this.random.pick(actions))
    }
  }

  /** Performs an action; broken connections are ignored. */
  async attempt(act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act()
      return true
    } catch (error) {
      if (error instanceof CutOff) return false
      this.world.wrong.push(
        error instanceof Wrong
          ? `${this.of.id}: ${error.message}`
          : `a client failed: ${(error as Error).stack}`,
      )
      return true
    }
  }

  /** Sends a call to any node that is up. @throws {CutOff} also if the service answers that it cannot do it now */
  async call(path: string, call: Call = {}): Promise<Answer> {
    const up = this.nodes.filter(({ isUp }) => isUp)
    if (up.length === 0) throw new CutOff()
    const answer = await ask(this.network, this.random.pick(up), path, { key: this.of.key, ...call })
    if (answer.status === 503) throw new CutOff()
    if (answer.status >= 500) throw new Wrong(`${path} was answered ${answer.status} ${answer.body?.code}`)
    return answer
  }

  private script(): { path: string; script: Script } {
    const { random } = this
    const end = random.chance(0.25) ? random.pick(ENDS) : 'succeeds'
    const script = {
      items: random.whole(0, 5),
      ms: random.pick([0, 5, 50, 400, 1500, 4000]),
      ...(end === 'succeeds' ? {} : { end }),
    }
    if (random.chance(0.3))
      return { path: '/v1/made/blocks', script: { ...script, blocks: random.whole(0, 3) } }
    return { path: '/v1/made/quick', script }
  }

  private async kickOff(): Promise<void> {
    const kickoff = { ...this.script(), idempotencyKey: undefined }
    this.of.lostKickoffs++
    await this.send(kickoff)
    this.of.lostKickoffs--
  }

  private async kickOffOnce(): Promise<void> {
    const kickoff = { ...this.script(), idempotencyKey: `${this.name}-${this.count++}` }
    this.of.kickoffs.push(kickoff)
    // Sent twice concurrently by a client that does not know whether the first call arrived.
    if (this.random.chance(0.2)) await Promise.all([this.send(kickoff), this.send(kickoff)])
    else await this.send(kickoff)
  }

  private async repeat(): Promise<void> {
    const once = this.of.kickoffs.filter(({ idempotencyKey }) => idempotencyKey !== undefined)
    if (once.length > 0) await this.send(this.random.pick(once))
  }

  /** Sends a kickoff, or repeats it. */
  async send(kickoff: Kickoff): Promise<void> {
    const { path, script, idempotencyKey } = kickoff
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
    const { status, body } = await this.call(path, { body: script, headers })
    if (status === 403 && body.code === 'insufficient-credits') return
    if (status === 409 && body.code === 'idempotency-in-progress') return
    if (status !== 202) throw new Wrong(`${path} was answered ${status} ${JSON.stringify(body)}`)
    if (idempotencyKey === undefined) this.of.kickoffs.push(kickoff)
    if (kickoff.run !== undefined && kickoff.run !== body.run_id)
      throw new Wrong(`the Idempotency-Key ${idempotencyKey} made ${kickoff.run} and then ${body.run_id}`)
    kickoff.run = body.run_id
  }

  private anyRun(): string | undefined {
    return this.random.pick(this.of.kickoffs.slice(-8))?.run
  }

  private async poll(): Promise<void> {
    const run = this.anyRun()
    if (run === undefined) return
    const { status, body } = await this.call(`/v1/runs/${run}`)
    if (status !== 200) throw new Wrong(`${run}, which was admitted before, was answered ${status}`)
    const { charged, refunded } = body.credits
    if (refunded > charged) throw new Wrong(`${run} was refunded ${refunded} of ${charged} credits`)
  }

  private async cancel(): Promise<void> {
    const run = this.anyRun()
    if (run === undefined) return
    const { status, body } = await this.call(`/v1/runs/${run}/cancel`, { body: {} })
    if (status === 202) this.of.cancelled.add(run)
    else if (body.code !== 'run-finished')
      throw new Wrong(`the cancellation of ${run} was answered ${status}`)
  }

  /** Resources of other accounts must be 404 for this one. */
  private async askForOthers(): Promise<void> {
    const other = this.random.pick(this.all.filter((tenant) => tenant !== this.of))
    const run = this.random.pick(other?.kickoffs.slice(-8) ?? [])?.run
    const endpoint = this.random.pick(other?.endpoints ?? [])?.id
    const paths = [
      ...(run === undefined ? [] : [`/v1/runs/${run}`, `/v1/runs/${run}/items`, `/v1/runs/${run}/events`]),
      ...(endpoint === undefined ? [] : [`/v1/webhooks/${endpoint}`, `/v1/webhooks/${endpoint}/deliveries`]),
    ]
    const path = this.random.pick(paths)
    if (path === undefined) return
    const { status } = await this.call(path)
    if (status !== 404 && status !== 429) throw new Wrong(`${path} of another account was answered ${status}`)
  }

  private async list(): Promise<void> {
    const { status, body } = await this.call('/v1/runs?limit=50')
    if (status !== 200) throw new Wrong(`a list was answered ${status}`)
    const runs = new Set(this.of.kickoffs.flatMap(({ run }) => run ?? []))
    const account = await this.call('/v1/account')
    if (account.body.account_id !== this.of.id)
      throw new Wrong(`the account was answered as ${account.body.account_id}`)
    // The list also has runs of lost answers; the judge knows their account.
    for (const { run_id } of body.runs)
      if (!runs.has(run_id)) this.world.count('a run of a lost answer listed')
  }

  /** Reads the next events of the feed. */
  async follow(): Promise<boolean> {
    const { of } = this
    const { status, body } = await this.call(`/v1/events?limit=100${of.feedAfter}`)
    if (status !== 200) throw new Wrong(`the feed was answered ${status} ${JSON.stringify(body)}`)
    const after = `&after=${body.next_after}`
    for (const { id, type, source } of body.events)
      of.feed.push({ id, type, account: source.replace('/accounts/', '') })
    of.feedAfter = after
    return body.caught_up
  }

  private async changeKeys(): Promise<void> {
    const { keys } = this.of
    const [id, key] = this.random.pick([...keys]) ?? []
    if (id && key?.revoked === 'no' && this.random.chance(0.5)) {
      key.revoked = 'maybe'
      const { status } = await this.call('/admin/revoke-key', { body: { key_id: id } })
      if (status !== 200) throw new Wrong(`the revocation of ${id} was answered ${status}`)
      key.revoked = 'yes'
    } else if (key) {
      const wasRevoked = key.revoked
      const { status } = await this.call('/v1/account', { key: key.secret })
      if (wasRevoked === 'yes' && status !== 401) throw new Wrong(`a revoked key was answered ${status}`)
      if (wasRevoked === 'no' && key.revoked === 'no' && status !== 200)
        throw new Wrong(`a key was answered ${status}`)
    } else {
      const { status, body } = await this.call('/admin/create-key', { body: {} })
      if (status !== 201) throw new Wrong(`a new key was answered ${status}`)
      keys.set(body.key_id, { secret: body.api_key, revoked: 'no' })
    }
  }

  async changeEndpoints(): Promise<void> {
    const { endpoints } = this.of
    if (endpoints.length === 0 || (endpoints.length < 4 && this.random.chance(0.3)))
      return this.createEndpoint()
    const endpoint = this.random.pick(endpoints)
    if (endpoint.id === undefined || endpoint.state === 'deleted') return
    const path = `/v1/webhooks/${endpoint.id}`
    const acts = [
      () => this.deleteEndpoint(path, endpoint),
      () => this.pauseEndpoint(path, endpoint),
      () => this.rotateSecret(path, endpoint),
      async () => void (await this.call(path, { method: 'PATCH', body: { description: this.name } })),
      async () => {
        const { status } = await this.call(`${path}/deliveries?limit=5`)
        if (status !== 200 && endpoint.state === 'enabled')
          throw new Wrong(`deliveries were answered ${status}`)
      },
    ]
    await this.random.pick(acts)()
  }

  private async deleteEndpoint(path: string, endpoint: Endpoint): Promise<void> {
    endpoint.state = 'unknown'
    endpoint.isDeleting = true
    const { status } = await this.call(path, { method: 'DELETE' })
    if (status !== 204 && status !== 404) throw new Wrong(`a deletion was answered ${status}`)
    endpoint.state = 'deleted'
  }

  /** Disables an endpoint for a while; afterwards it continues where it stopped. */
  private async pauseEndpoint(path: string, endpoint: Endpoint): Promise<void> {
    if (endpoint.state !== 'enabled') return
    endpoint.state = 'unknown'
    await this.call(path, { method: 'PATCH', body: { state: 'disabled' } })
    await this.world.sleep(this.random.whole(10, 1500))
    const { status, body } = await this.call(path, { method: 'PATCH', body: { state: 'enabled' } })
    if (status === 200 && body.state === 'enabled' && !endpoint.isDeleting) endpoint.state = 'enabled'
  }

  private async rotateSecret(path: string, endpoint: Endpoint): Promise<void> {
    const before = this.receivers.secrets.get(endpoint.url)
    // Until the answer arrives it is unknown which secret signs.
    this.receivers.secrets.delete(endpoint.url)
    const { status, body } = await this.call(`${path}/rotate-secret`, { body: {} })
    if (status === 200) this.receivers.secrets.set(endpoint.url, [body.secret, ...(before ?? [])])
  }

  private async createEndpoint(): Promise<void> {
    const { endpoints } = this.of
    const url = `http://127.0.0.1:9/${this.of.id}/${this.name}-${endpoints.length}`
    const types = ['RunSucceeded', 'RunFailed', 'RunErrored', 'RunCancelled', 'RunExpired']
    const endpoint: Endpoint = { url, types, state: 'unknown' }
    endpoints.push(endpoint)
    const { status, body } = await this.call('/v1/webhooks', { body: { url, types } })
    if (status !== 201) throw new Wrong(`a new endpoint was answered ${status} ${JSON.stringify(body)}`)
    endpoint.id = body.webhook_id
    endpoint.state = 'enabled'
    this.receivers.secrets.set(url, [body.secret])
  }
}
