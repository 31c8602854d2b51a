/**
 * Requests to the whole API, without a socket: no answer is a 5xx, every problem is as documented, refused requests are
 * not charged, and no answer shows data of another account.
 *
 * @module
 */
import { isValid } from '../../src/catalogue/check.ts'
import { exampleOf } from '../../src/catalogue/example.ts'
import type { Endpoint } from '../../src/http/endpoint.ts'
import { ProblemSchema } from '../../src/http/openapi/schemas.ts'
import { type Client, OPERATOR_KEY, type Service, startService } from '../../test/http/service.ts'
import { jsonMutated, textMutated } from './mutate.ts'
import type { Random } from './random.ts'
import type { Opened } from './surface.ts'
import { nested, oddText, oddValue } from './values.ts'

/** Part of all data of the other account, and of no request. */
const SECRET = 'belongs-to-the-other-account'

export type World = {
  readonly service: Service
  readonly own: Client
  readonly other: Client
  /** values of path parameters, of both accounts */
  readonly ids: Readonly<Record<string, readonly string[]>>
}

/** A service with two accounts that both have runs, keys and a webhook. */
export async function openWorld(): Promise<World> {
  const service = await startService({
    env: { SYNC_WAIT_S: '0', WEBHOOK_ALLOW_HOSTS: '127.0.0.1', LOG_LEVEL: 'silent' },
  })
  const [own, other] = [await service.openAccount(100_000), await service.openAccount()]
  const ids: Record<string, string[]> & { run_id: string[]; webhook_id: string[] } = {
    run_id: [],
    webhook_id: [],
    name: ['f.txt'],
    token: ['x'.repeat(43)],
    source: ['sample'],
    task_key: ['sample.search'],
  }
  for (const [client, word] of [
    [own, 'own'],
    [other, SECRET],
  ] as const) {
    for (let i = 0; i < 3; i++) {
      const begun = await service.post(
        '/v1/sample/search',
        client.key,
        { query: word },
        { 'idempotency-key': `${word}-${i}` },
      )
      const { run_id } = (await begun.json()) as { run_id: string }
      const files = [{ name: 'f.txt', contentType: 'text/plain', body: word }]
      await service.finish(run_id, { items: [{ id: word, title: word, tags: [], price: 1 }], files })
      ids.run_id.push(run_id)
    }
    const created = await service.post('/v1/webhooks', client.key, {
      url: 'http://127.0.0.1:9/',
      description: word,
    })
    ids.webhook_id.push(((await created.json()) as { webhook_id: string }).webhook_id)
    await service.post('/admin/create-key', client.key, { name: word, scopes: ['runs'] })
  }
  await service.shown()
  if ([...ids.run_id, ...ids.webhook_id].some((id) => typeof id !== 'string'))
    throw new Error('the runs or webhooks were not created')
  return { service, own, other, ids }
}

/** Endpoints that open connections, on which no case may depend. */
const LEFT_OUT = ['/v1/webhooks/:webhook_id/test', '/login/:token/start']
/** The account's current balance, which a refused request must not change. */
const balanceOf = async ({ service }: World, { accountId }: Client) =>
  (await service.deps.accounts.state(accountId)).balance

export async function openHttp(): Promise<Opened> {
  const world = await openWorld()
  const { service } = world
  const endpoints = service.endpoints.filter(({ path }) => !LEFT_OUT.includes(path))
  return {
    one: (random) => callOnce(random, world, random.pick(endpoints)),
    close: () => service.close(),
  }
}

async function callOnce(random: Random, world: World, endpoint: Endpoint): Promise<string> {
  const { own, other, service } = world
  const key = random.chance(0.8) ? own.key : random.pick([null, OPERATOR_KEY, textMutated(random, own.key)])
  const request = requestOf(random, world, endpoint, key)
  if (!request) return 'no request'
  const isOperator = request.headers.get('authorization')?.includes(OPERATOR_KEY) ?? false
  const before = [await balanceOf(world, own), await balanceOf(world, other)]
  const answer = await service.app.fetch(request)
  await checkAnswer(answer, request, isOperator)
  const after = [await balanceOf(world, own), await balanceOf(world, other)]
  const mayCost = isOperator || answer.status < 400
  if (!mayCost && before.join() !== after.join())
    throw new Error(`${request.method} ${request.url}: ${answer.status} changed a balance`)
  if (!isOperator && before[1] !== after[1]) throw new Error(`${request.url}: another account was charged`)
  return String(answer.status)
}

/** @throws when an answer breaks a guarantee. @param seesAll whether it may show data of any account */
export async function checkAnswer(answer: Response, request: Request, seesAll = false): Promise<void> {
  const { status, headers } = answer
  const exchange = `${request.method} ${request.url} -> ${status}`
  const type = headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream')) return answer.body?.cancel()
  const text = await answer.text()
  if (status >= 500) throw new Error(`${exchange}: ${text}`)
  if (!headers.get('x-request-id')?.startsWith('req_')) throw new Error(`${exchange}: it has no request id`)
  if (!seesAll && text.includes(SECRET)) throw new Error(`${exchange}: it shows data of another account`)
  if (type.startsWith('application/problem+json')) checkProblem(exchange, status, text)
  else if (type.startsWith('application/json')) JSON.parse(text || 'null')
  else if (status >= 400 && !type.startsWith('text/html') && text !== '')
    throw new Error(`${exchange}: ${type} ${text}`)
}

function checkProblem(exchange: string, status: number, text: string): void {
  // The answer to HEAD has no body.
  if (text === '') return
  const problem = JSON.parse(text)
  if (!isValid(ProblemSchema, problem)) throw new Error(`${exchange}: not a problem as documented: ${text}`)
  if (problem.status !== status) throw new Error(`${exchange}: it says ${problem.status}`)
  if (problem.detail.trim() === '') throw new Error(`${exchange}: it does not say what is wrong`)
}

/** @returns undefined when no valid request can be made */
function requestOf(
  random: Random,
  world: World,
  endpoint: Endpoint,
  key: string | null,
): Request | undefined {
  const { method, path, body } = endpoint
  const filled = path.replace(/:(\w+)/g, (_, name: string) => parameter(random, world, name))
  const url = `http://localhost${filled}${query(random, endpoint)}`
  const headers = oddHeaders(random, key)
  const sends = method === 'POST' || method === 'PATCH'
  const used = random.chance(0.03) ? random.pick(['PUT', 'DELETE', 'HEAD', 'OPTIONS', 'GET', 'POST']) : method
  const sent = sends && !/GET|HEAD/.test(used) ? bodyOf(random, body) : undefined
  const init = { method: used, headers, body: (sent ?? null) as BodyInit | null }
  try {
    return new Request(url, init)
  } catch {
    // A URL or a method that no client can send.
    return undefined
  }
}

function parameter(random: Random, { ids }: World, name: string): string {
  const values = ids[name] ?? ['x']
  const value = random.chance(0.7) ? random.pick(values) : oddText(random).slice(0, 2000)
  if (random.chance(0.1))
    return random.pick(['%', '%ff', '%00', '%2e%2e%2f', '..', '%C0%AF', '%ED%A0%80', '%zz'])
  return encodeURIComponent((random.chance(0.2) ? textMutated(random, value) : value).toWellFormed())
}

function query(random: Random, { query = {} }: Endpoint): string {
  const names = Object.keys(query)
  if (random.chance(0.4)) return ''
  const pairs = Array.from({ length: 1 + random.below(3) }, () => {
    const name = names.length > 0 && random.chance(0.9) ? random.pick(names) : oddText(random).slice(0, 100)
    // No case may wait.
    if (name === 'wait') return `wait=${random.pick(['0', '-1', '61', 'x', '1e9'])}`
    const value = random.chance(0.5) ? exampleText(query[name]) : oddText(random).slice(0, 1000)
    return random.chance(0.05) ? `${name}%=${value}%` : `${encode(name)}=${encode(value)}`
  })
  return `?${pairs.join('&')}`.replaceAll('#', '%23')
}

const encode = (text: string): string => encodeURIComponent(text.toWellFormed())
const exampleText = (schema: Endpoint['body']): string => (schema ? String(exampleOf(schema)) : '1')

function oddHeaders(random: Random, key: string | null): Headers {
  const headers = new Headers({ 'content-type': 'application/json' })
  const put = (name: string, value: string, how: 'set' | 'append' = 'set') => {
    try {
      headers[how](name, value)
    } catch {
      // Not a valid HTTP header.
    }
  }
  if (key !== null)
    put('authorization', random.chance(0.95) ? `Bearer ${key}` : textMutated(random, `Bearer ${key}`))
  if (random.chance(0.03)) put('authorization', `Bearer ${key}`, 'append')
  if (random.chance(0.1)) put('idempotency-key', oddText(random))
  if (random.chance(0.03)) put('idempotency-key', 'b', 'append')
  if (random.chance(0.1)) {
    const names = [
      'content-type',
      'content-length',
      'content-encoding',
      'accept',
      'last-event-id',
      'range',
      'cookie',
    ]
    put(
      random.pick([...names, 'origin', 'x-forwarded-for', 'if-none-match', 'host', 'expect']),
      oddText(random),
    )
  }
  return headers
}

function bodyOf(random: Random, schema: Endpoint['body']): string | Uint8Array | undefined {
  const kind = random.below(20)
  if (kind === 0) return undefined
  if (kind === 1) return oddText(random)
  if (kind === 2) return JSON.stringify(nested(random, 50 + random.below(3000), 1))
  if (kind === 3) return Uint8Array.from({ length: random.below(50) }, () => random.below(256))
  if (kind === 4) return `{"query":"a","query":"b","__proto__":{"x":1},"n":${'9'.repeat(random.below(400))}}`
  const good = schema ? exampleOf(schema) : { query: 'otter', jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const sent = random.chance(0.15) ? good : jsonMutated(random, random.chance(0.1) ? oddValue(random) : good)
  const text = JSON.stringify(sent) ?? ''
  return random.chance(0.1) ? textMutated(random, text) : text
}
