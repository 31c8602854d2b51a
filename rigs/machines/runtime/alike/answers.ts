/**
 * Calls that are answered at once get the same answers on Bun and on Deno.
 *
 * @module
 */
import { describe, expect } from 'bun:test'
import { OPERATOR_KEY } from '../../../servers/server.ts'
import { comparableAnswer } from '../seen.ts'
import { alike, type Server } from '../servers.ts'

describe('documents', () => {
  for (const path of ['/healthz', '/readyz', '/openapi.json', '/asyncapi.json', '/docs', '/v1/tasks']) {
    alike(path, async (server) => {
      const answer = await server.see(path)
      expect(answer.status).toBe(200)
      expect(answer.headers['x-request-id']).toBe('req_…')
      expect(answer.body.length).toBeGreaterThan(10)
      return answer
    })
  }

  alike('are answered with 304 when the client has the current ETag', async (server) => {
    const etag = (await server.send('/docs')).headers.get('etag')!
    const again = await server.see('/docs', { headers: { 'if-none-match': etag } })
    expect(again).toMatchObject({ status: 304, body: '', headers: { etag } })
    return again
  })

  alike('HEAD answers as GET without the body', async (server) => {
    const all = await Promise.all(
      ['/docs', '/v1/account', '/v1/tasks/trial.page', '/v1/nothing'].map(async (path) => {
        const [head, get] = [await server.see(path, { method: 'HEAD' }), await server.see(path)]
        expect({ ...head, body: get.body }).toEqual(get)
        expect(head.headers['content-length']).toBe(get.headers['content-length']!)
        return head
      }),
    )
    expect(all.map(({ status, body }) => [status, body])).toEqual([
      [200, ''],
      [200, ''],
      [200, ''],
      [404, ''],
    ])
    return all
  })

  alike('/metrics needs the operator key and lists the same metrics', async (server) => {
    expect((await server.see('/metrics')).status).toBe(403)
    const { status, headers, body } = await server.see('/metrics', { key: OPERATOR_KEY })
    expect([status, headers['content-type']]).toEqual([200, expect.stringContaining('text/plain')])
    const names = [...body.matchAll(/^# TYPE (gleaner_\S+ \S+)$/gm)].map(([, name]) => name)
    expect(names).toContain('gleaner_http_requests_total counter')
    return names.sort()
  })
})

describe('a refused request', () => {
  const json = { 'content-type': 'application/json' }
  const post = (headers: Record<string, string>, body: BodyInit): RequestInit => ({
    method: 'POST',
    headers,
    body,
  })
  const LARGE = `{"text":"${'x'.repeat(1024 * 1024)}"}`
  /** The status and problem code by kind of request. */
  const REFUSED: Record<string, readonly [number, string, string, (RequestInit & { key?: string | null })?]> =
    {
      'no key': [401, 'missing-key', '/v1/account', { key: null }],
      'a wrong key': [401, 'invalid-key', '/v1/account', { key: 'gln_nothing' }],
      'another scheme': [
        401,
        'missing-key',
        '/v1/account',
        { key: null, headers: { authorization: 'Basic eDp5' } },
      ],
      'a key without the scope': [403, 'key-scope', '/v1/runs', { key: OPERATOR_KEY }],
      'an unknown path': [404, 'not-found', '/v1/nothing'],
      'an unknown run': [404, 'not-found', '/v1/runs/run_nothing'],
      'a badly encoded path': [404, 'not-found', '/v1/runs/%zz'],
      'another method': [405, 'method-not-allowed', '/v1/runs', { method: 'DELETE' }],
      'a body that is too large': [413, 'body-too-large', '/v1/faults/count', post(json, LARGE)],
      'a body of another type': [
        415,
        'unsupported-media-type',
        '/v1/faults/count',
        post({ 'content-type': 'text/plain' }, '{}'),
      ],
      'a compressed body': [
        415,
        'unsupported-media-type',
        '/v1/faults/count',
        post({ ...json, 'content-encoding': 'gzip' }, '{}'),
      ],
      'a body that is not JSON': [400, 'malformed-json', '/v1/faults/count', post(json, '{"text":')],
      'a body that is not an object': [400, 'malformed-json', '/v1/faults/count', post(json, '[]')],
      'a body that is not UTF-8': [
        400,
        'malformed-json',
        '/v1/faults/count',
        post(json, new Uint8Array([123, 255, 125])),
      ],
      'an unknown field': [
        422,
        'validation-failed',
        '/v1/trial/page',
        post(json, '{"path":"/list","pth":1}'),
      ],
      'a missing field': [422, 'validation-failed', '/v1/trial/page', post(json, '{}')],
      'an unknown parameter': [422, 'validation-failed', '/v1/runs?sttus=queued'],
      'a wait that is too long': [422, 'validation-failed', '/v1/runs/run_x?wait=61'],
      'a bad position': [422, 'validation-failed', '/v1/events?after=x'],
      'a bad Last-Event-ID': [
        422,
        'validation-failed',
        '/v1/events/stream',
        { headers: { 'last-event-id': 'x' } },
      ],
      'an Idempotency-Key that is too long': [
        400,
        'bad-idempotency-key',
        '/v1/faults/count',
        post({ ...json, 'idempotency-key': 'x'.repeat(256) }, '{}'),
      ],
    }
  for (const [what, [status, code, path, init]] of Object.entries(REFUSED)) {
    alike(`${what}: ${status} ${code}`, async (server) => {
      const answer = await server.see(path, init)
      expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/problem+json' } })
      expect(JSON.parse(answer.body)).toMatchObject({ status, code, request_id: 'req_…' })
      if (status === 405) expect(answer.headers.allow).toBe('GET, HEAD')
      if (status === 401) expect(answer.headers['www-authenticate']).toBe('Bearer')
      return answer
    })
  }
})

describe('keys and accounts', () => {
  alike('a key is created, listed, used, revoked and then refused', async (server) => {
    const creation = await server.post('/admin/create-key', { name: 'ci', scopes: ['runs'] })
    const { api_key: key, key_id } = (await creation.clone().json()) as { api_key: string; key_id: string }
    const used = await server.see('/v1/account', { key })
    const listed = await server.see('/admin/list-keys')
    const revoked = await comparableAnswer(await server.post('/admin/revoke-key', { key_id }))
    const refused = await server.see('/v1/account', { key })
    expect([creation.status, used.status, listed.status, revoked.status, refused.status]).toEqual([
      201, 200, 200, 200, 401,
    ])
    return [await comparableAnswer(creation), used, listed, revoked, refused]
  })

  alike("the operator's calls with an Idempotency-Key take effect once when repeated", async (server) => {
    const open = () =>
      server.operator('/admin/accounts', { name: 'Otter', credits: 5 }, { 'idempotency-key': 'open' })
    const opened = await open()
    const { account_id } = (await opened.clone().json()) as { account_id: string }
    const again = await comparableAnswer(await open())
    const grant = () =>
      server.operator('/admin/grant-credits', { account_id, amount: 7 }, { 'idempotency-key': 'grant' })
    const granted = [await comparableAnswer(await grant()), await comparableAnswer(await grant())]
    const entitled = await comparableAnswer(
      await server.operator('/admin/set-entitlements', { account_id, tasks: ['trial.*'], suspended: true }),
    )
    expect(JSON.parse(again.body).api_key).toBeNull()
    expect(granted.map(({ body }) => JSON.parse(body).balance)).toEqual([12, 12])
    return [await comparableAnswer(opened), again, granted, entitled]
  })
})

describe('limits', () => {
  /** Opens an account with a limit on kickoffs. */
  async function limited(server: Server) {
    const { account_id, api_key } = await server.json(
      server.operator('/admin/accounts', { name: 'limited', credits: 100 }),
    )
    await server.operator('/admin/set-entitlements', {
      account_id,
      limits: { kickoff_per_minute: 2, read_per_minute: 50 },
    })
    return api_key as string
  }

  alike('a kickoff over the limit is 429 with Retry-After, and reads still work', async (server) => {
    const key = await limited(server)
    const kickoffs = []
    for (let i = 0; i < 3; i++) kickoffs.push(await server.post('/v1/faults/count', {}, {}, key))
    const [first, , third] = kickoffs
    expect(kickoffs.map(({ status }) => status)).toEqual([202, 202, 429])
    expect(Number(third?.headers.get('retry-after'))).toBeGreaterThan(0)
    const read = await server.send('/v1/account', { key })
    expect(read.status).toBe(200)
    // The seconds until the reset depend on time.
    const shown = (answer: Response | undefined) => [
      answer?.headers.get('ratelimit-policy'),
      answer?.headers.get('ratelimit')?.replace(/t=\d+/, 't=…'),
    ]
    expect(shown(first)).toEqual(['"kickoff";q=2;w=60', '"kickoff";r=1;t=…'])
    return [shown(first), shown(third), shown(read)]
  })
})
