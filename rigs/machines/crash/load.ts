/**
 * Clients that make random calls and remember the answers, which must hold forever.
 *
 * @module
 */
import { expect } from 'bun:test'
import { client } from '../../servers/server.ts'

/** One account, with what its clients know of it. */
export type Tenant = {
  readonly name: string
  readonly key: string
  /** runs that were named by an answer, each with its path */
  readonly runs: Map<string, string>
  /** the sent Idempotency-Keys with their calls, and the run once an answer has named it */
  readonly calls: Map<string, { readonly path: string; readonly body: object; run?: string }>
  /** created keys, and whether they were revoked: `maybe` when the revocation was requested and not answered */
  readonly keys: Map<string, { readonly secret: string; revoked: 'no' | 'maybe' | 'yes' }>
}

export const tenant = (name: string, key: string): Tenant => ({
  name,
  key,
  runs: new Map(),
  calls: new Map(),
  keys: new Map(),
})

/** Numbers from 0 to 1 that depend only on the seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const pick = <T>(random: () => number, values: readonly T[]): T =>
  values[Math.floor(random() * values.length)]!

/** The actions of a client, weighted by how often they are listed. */
const ACTIONS = [
  kickOff,
  kickOff,
  kickOff,
  kickOff,
  kickOffOnce,
  kickOffOnce,
  kickOffOnce,
  repeatOnce,
  poll,
  poll,
  cancel,
  list,
  changeKeys,
] as const

type Client = { readonly of: Tenant; readonly call: ReturnType<typeof client>; readonly random: () => number }

/**
 * Runs one client until the server is gone or `signal` is aborted.
 *
 * @returns the first wrong answer; undefined if there was none
 */
export async function work(
  address: string,
  of: Tenant,
  random: () => number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const self: Client = { of, call: client(address, of.key), random }
  while (!signal.aborted) {
    try {
      const wrong = await pick(random, ACTIONS)(self)
      if (wrong !== undefined) return `${of.name}: ${wrong}`
    } catch (error) {
      // The server was killed during the call, as intended. Other errors are rethrown.
      if (signal.aborted || isLostConnection(error)) return undefined
      throw error
    }
    await new Promise((go) => setTimeout(go, random() * 20))
  }
  return undefined
}

/**
 * Runs one client on several nodes until `signal` is aborted. Nodes and stores may be unavailable for a while: the
 * effect of a call with a lost connection or 503 is unknown, and never wrong.
 *
 * @param address of any node; undefined if none is available
 * @returns the first wrong answer; undefined if there was none
 */
export async function workOnAny(
  address: () => string | undefined,
  of: Tenant,
  random: () => number,
  signal: AbortSignal,
): Promise<string | undefined> {
  while (!signal.aborted) {
    const now = address()
    if (now !== undefined) {
      const self: Client = { of, call: unlessAway(client(now, of.key)), random }
      try {
        const wrong = await pick(random, ACTIONS)(self)
        if (wrong !== undefined) return `${of.name}: ${wrong}`
      } catch (error) {
        if (!(error instanceof Away) && !isLostConnection(error)) throw error
      }
    }
    await new Promise((go) => setTimeout(go, random() * 20))
  }
  return undefined
}

/** Repeats a call while it is answered with 503: stores may be slow after a storm of faults. */
const untilThere =
  (call: ReturnType<typeof client>): ReturnType<typeof client> =>
  async <T>(...args: Parameters<typeof call>) => {
    for (;;) {
      const reply = await call<T>(...args)
      if (reply.status !== 503) return reply
      await new Promise((go) => setTimeout(go, 100))
    }
  }

/** The service answered 503. */
class Away extends Error {}

const unlessAway =
  (call: ReturnType<typeof client>): ReturnType<typeof client> =>
  async <T>(...args: Parameters<typeof call>) => {
    const reply = await call<T>(...args)
    if (reply.status === 503) throw new Away('503')
    return reply
  }

const isLostConnection = (error: unknown): boolean =>
  error instanceof SyntaxError || /connect|socket|closed|reset|refused|fetch/i.test(String(error))

function call(random: () => number): { path: string; body: object } {
  const sync = random() < 0.2 ? { _run: { async: false } } : {}
  if (random() < 0.2) return { path: '/v1/storm/slow', body: { ms: Math.floor(random() * 1500), ...sync } }
  const end = pick(random, [undefined, undefined, undefined, undefined, 'not-found', 'defect'])
  return {
    path: '/v1/storm/quick',
    body: { items: Math.floor(random() * 20), end, ...sync },
  }
}

async function kickOff({ of, call: send, random }: Client): Promise<string | undefined> {
  const { path, body } = call(random)
  const reply = await send(path, body)
  if (reply.status !== 202 && reply.status !== 200)
    return `${path} was answered ${JSON.stringify(reply.body)}`
  of.runs.set(reply.body.run_id, path)
  return undefined
}

async function kickOffOnce(self: Client): Promise<string | undefined> {
  const key = `once-${Math.floor(self.random() * 1e15)}`
  self.of.calls.set(key, call(self.random))
  return repeat(self, key)
}

async function repeatOnce(self: Client): Promise<string | undefined> {
  const key = pick(self.random, [...self.of.calls.keys()].slice(-50))
  return key === undefined ? undefined : repeat(self, key)
}

/** Sends a call with its Idempotency-Key, again or for the first time. */
async function repeat(self: Client, key: string): Promise<string | undefined> {
  const kickoff = self.of.calls.get(key)!
  const { status, body } = await self.call(kickoff.path, kickoff.body, { 'idempotency-key': key })
  if (status === 409 && body.code === 'idempotency-in-progress') return undefined
  if (status !== 202 && status !== 200) return `${kickoff.path} was answered ${JSON.stringify(body)}`
  if (kickoff.run !== undefined && kickoff.run !== body.run_id)
    return `${key} made ${kickoff.run} and then ${body.run_id}`
  kickoff.run = body.run_id
  self.of.runs.set(body.run_id, kickoff.path)
  return undefined
}

async function poll({ of, call: send, random }: Client): Promise<string | undefined> {
  const id = pick(random, [...of.runs.keys()].slice(-100))
  if (id === undefined) return undefined
  const { status } = await send(`/v1/runs/${id}`)
  return status === 200 ? undefined : `${id} is ${status}`
}

async function cancel({ of, call: send, random }: Client): Promise<string | undefined> {
  const id = pick(random, [...of.runs.keys()].slice(-5))
  if (id === undefined) return undefined
  const { status, body } = await send(`/v1/runs/${id}/cancel`, {})
  return status === 202 || body.code === 'run-finished' ? undefined : `cancel was ${JSON.stringify(body)}`
}

async function list({ call: send }: Client): Promise<string | undefined> {
  const [runs, ledger] = await Promise.all([send('/v1/runs?limit=20'), send('/v1/account/ledger?limit=20')])
  return runs.status === 200 && ledger.status === 200 ? undefined : 'a list was refused'
}

async function changeKeys({ of, call: send, random }: Client): Promise<string | undefined> {
  const [id, key] = pick(random, [...of.keys].slice(-5)) ?? []
  if (id && key && key.revoked === 'no' && random() < 0.5) {
    key.revoked = 'maybe'
    const { status } = await send('/admin/revoke-key', { key_id: id })
    if (status !== 200) return `revoke was ${status}`
    key.revoked = 'yes'
    return undefined
  }
  const { status, body } = await send('/admin/create-key', {})
  if (status !== 201) return `create-key was ${status}`
  of.keys.set(body.key_id, { secret: body.api_key, revoked: 'no' })
  return undefined
}

/** Repeats each call with an Idempotency-Key: answered calls name the same run, the others get one now. */
export async function repeatAll(
  address: string,
  tenants: readonly Tenant[],
  options: { readonly patient?: boolean } = {},
): Promise<void> {
  for (const of of tenants) {
    const call = client(address, of.key)
    const self = { of, call: options.patient ? untilThere(call) : call, random: Math.random }
    for (const key of of.calls.keys()) expect(await repeat(self, key)).toBeUndefined()
    expect([...of.calls.values()].filter(({ run }) => run === undefined)).toEqual([])
    const runs = [...of.calls.values()].map(({ run }) => run)
    expect(new Set(runs).size).toBe(runs.length)
  }
}
