/** Health checks, request ids, and metrics. */
import { afterEach, describe, expect, test } from 'bun:test'
import { endpointsOf } from '../../src/http/api.ts'
import type { Deps } from '../../src/http/deps.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { OPERATOR_KEY, type Service, startService } from './service.ts'

const services: Service[] = []
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()))
})
async function start(deps?: (deps: Deps) => Partial<Deps>): Promise<Service> {
  const service = await startService({
    endpoints: endpointsOf,
    ...(deps ? { deps } : {}),
  })
  services.push(service)
  return service
}
const ready = async (service: Service) => {
  const answer = await service.send('/readyz')
  return [answer.status, await answer.json()]
}
const ALL = { log: 'ok', 'read-models': 'ok', projections: 'ok' }

describe('health', () => {
  test('healthz is 200 without a key', async () => {
    const service = await start()
    const answer = await service.send('/healthz')
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }])
    expect(answer.headers.get('x-request-id')).toStartWith('req_')
  })

  test('probes, documents and the root ignore a query', async () => {
    const service = await start()
    for (const path of ['/', '/healthz', '/readyz', '/docs', '/openapi.json', '/asyncapi.json']) {
      const { status } = await service.send(`${path}?utm_source=mail&utm_source=x&=%zz`)
      expect([path, status]).toEqual([path, path === '/' ? 302 : 200])
    }
  })

  test('readyz is 200 with all stores, and 503 during shutdown', async () => {
    const service = await start()
    expect(await ready(service)).toEqual([200, { status: 'ready', checks: ALL }])
    service.state.shuttingDown = true
    expect(await ready(service)).toEqual([503, { status: 'not-ready', checks: ALL }])
    expect((await service.send('/healthz')).status).toBe(200)
  })

  test('readyz is 503 without the log, and 200 degraded without read models or with late projections', async () => {
    const gone = () => Promise.reject(new StoreUnavailable('10.1.2.3 refused'))
    const cases: [(deps: Deps) => Partial<Deps>, number, string, object][] = [
      [({ log }) => ({ log: proxy(log, { head: gone }) }), 503, 'not-ready', { ...ALL, log: 'missing' }],
      [({ log }) => ({ log: proxy(log, { writable: gone }) }), 503, 'not-ready', { ...ALL, log: 'missing' }],
      [
        ({ readModels }) => ({ readModels: proxy(readModels, { checkpoint: gone }) }),
        200,
        'degraded',
        { ...ALL, 'read-models': 'missing' },
      ],
      [
        ({ artifacts }) => ({ artifacts: proxy(artifacts, { check: gone }) }),
        200,
        'degraded',
        { ...ALL, artifacts: 'missing' },
      ],
      [
        () => ({ waitUntilProjected: async () => false }),
        200,
        'degraded',
        { ...ALL, projections: 'missing' },
      ],
    ]
    for (const [deps, code, status, checks] of cases) {
      const service = await start(deps)
      const [answered, body] = await ready(service)
      expect([answered, body]).toEqual([code, { status, checks }])
      // The answer is public, so it does not reveal the cause.
      expect(JSON.stringify(body)).not.toContain('10.1.2.3')
      expect((await service.send('/healthz')).status).toBe(200)
    }
  })
})

test('request ids are random: they reveal neither the number of requests nor the process', async () => {
  const service = await start()
  const ids: string[] = []
  for (let i = 0; i < 40; i++) ids.push((await service.send('/healthz')).headers.get('x-request-id')!)
  for (const id of ids) expect(id).toMatch(/^req_[\w-]{22,}$/)
  const bodies = ids.map((id) => id.slice('req_'.length))
  // Random ids share neither prefix nor suffix. Ids of a counter would share a prefix and be in order.
  expect(new Set(bodies.map((body) => body.slice(0, 8))).size).toBe(ids.length)
  expect(new Set(bodies.map((body) => body.slice(-8))).size).toBe(ids.length)
  expect(bodies.toSorted()).not.toEqual(bodies)
})

test('the root redirects to the console, also with a path in PUBLIC_URL', async () => {
  const service = await start()
  const answer = await service.send('/')
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/console'])
  const below = await startService({
    env: { PUBLIC_URL: 'https://example.com/gleaner' },
    endpoints: endpointsOf,
  })
  services.push(below)
  expect((await below.send('/')).headers.get('location')).toBe('/gleaner/console')
})

describe('metrics', () => {
  test('require the operator key', async () => {
    const service = await start()
    const { key } = await service.openAccount()
    expect((await service.send('/metrics')).status).toBe(401)
    expect((await service.send('/metrics', { key })).status).toBe(403)
    const answer = await service.send('/metrics', { key: OPERATOR_KEY })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  })

  test('count requests by method, declared route and status, so ids create no series', async () => {
    const service = await start()
    const { key } = await service.openAccount()
    for (let i = 0; i < 3; i++) await service.send(`/v1/runs/run_${i}`, { key })
    await service.send('/v1/account', { key })
    await service.send('/nowhere/at/all', { key })
    const text = await (await service.send('/metrics', { key: OPERATOR_KEY })).text()
    const requests = 'gleaner_http_requests_total'
    expect(text).toContain(`${requests}{method="GET",route="/v1/runs/:run_id",status="404"} 3`)
    expect(text).toContain(`${requests}{method="GET",route="/v1/account",status="200"} 1`)
    expect(text).toContain(`${requests}{method="GET",route="none",status="404"} 1`)
    expect(text).toContain('gleaner_http_request_duration_seconds_count{method="GET",route="/v1/account"} 1')
    expect(text).not.toContain('nowhere')
    expect(text).not.toContain(key)
  })

  test('count a run once that its client cancelled before a worker claimed it', async () => {
    const service = await start()
    const { key } = await service.openAccount()
    const kickoff = await service.post('/v1/sample/search', key, { query: 'otter' })
    for (let i = 0; i < 2; i++) await service.post(`${kickoff.headers.get('location')}/cancel`, key, {})
    const text = await (await service.send('/metrics', { key: OPERATOR_KEY })).text()
    const end = 'source="sample",task="sample.search",end="cancelled",code=""'
    expect(text).toContain(`gleaner_runs_ended_total{${end}} 1`)
  })
})

/** An object with some methods replaced. */
const proxy = <T extends object>(target: T, methods: Partial<Record<keyof T, unknown>>): T =>
  new Proxy(target, {
    get(at, name) {
      const value = name in methods ? methods[name as keyof T] : Reflect.get(at, name, at)
      return typeof value === 'function' ? value.bind(at) : value
    },
  })
