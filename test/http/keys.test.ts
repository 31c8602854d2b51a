/** Key calls: list, create, revoke, with an account's own keys and with the operator's. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Once } from '../../src/http/idempotency.ts'
import { accountEndpoints } from '../../src/http/routes/account.ts'
import { keyEndpoints } from '../../src/http/routes/keys.ts'
import { taskEndpoints } from '../../src/http/routes/tasks.ts'
import type { KeyRecord } from '../../src/keys/keys.ts'
import { type Client, OPERATOR_KEY, type Service, startService } from './service.ts'

let service: Service
let client: Client
beforeAll(async () => {
  service = await startService({
    endpoints: (deps) => [
      ...keyEndpoints(deps, new Once(deps)),
      ...accountEndpoints(deps),
      ...taskEndpoints(deps),
    ],
  })
  client = await service.openAccount()
})
afterAll(() => service.close())

type NewKey = KeyRecord & { api_key: string }
const list = async (key: string, query = ''): Promise<KeyRecord[]> => {
  const answer = await service.send(`/admin/list-keys${query}`, { key })
  expect(answer.status).toBe(200)
  return ((await answer.json()) as { keys: KeyRecord[] }).keys
}
const create = async (key: string, body?: object): Promise<NewKey> => {
  const answer = body
    ? await service.post('/admin/create-key', key, body)
    : await service.send('/admin/create-key', { method: 'POST', key })
  expect(answer.status).toBe(201)
  return (await answer.json()) as NewKey
}
const revoke = (key: string, body: object) => service.post('/admin/revoke-key', key, body)
const codeOf = async (answer: Response | Promise<Response>) => {
  const { status, code } = (await (await answer).json()) as { status: number; code: string }
  return `${status} ${code}`
}
const issuesOf = async (answer: Response | Promise<Response>) => {
  const body = (await (await answer).json()) as { errors?: { pointer: string; code: string }[] }
  return body.errors?.map(({ pointer, code }) => `${pointer} ${code}`)
}
const keyEvents = async () => (await service.events()).filter((e) => e.stream.startsWith('key-')).length

describe('create-key', () => {
  test('without a body creates a key of scope runs and shows it only once', async () => {
    const keyRecord = await create(client.key)
    expect(keyRecord as unknown).toEqual({
      key_id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      name: null,
      prefix: keyRecord.api_key.slice(0, 8),
      scopes: ['runs'],
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      last_used_at: null,
      expires_at: null,
      revoked_at: null,
      api_key: expect.stringMatching(/^gln_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/),
    })
    expect((await service.send('/v1/account', { key: keyRecord.api_key })).status).toBe(200)
    expect(await codeOf(service.send('/admin/list-keys', { key: keyRecord.api_key }))).toBe('403 key-scope')
    expect(JSON.stringify(await list(client.key))).not.toContain(keyRecord.api_key)
  })

  test('accepts a name, scopes and an expiry, which is returned in UTC', async () => {
    const body = { name: 'ci 🦦', scopes: ['events', 'admin'], expires_at: '2099-01-31T01:00:00.5+02:00' }
    const keyRecord = await create(client.key, body)
    expect(keyRecord).toMatchObject({ ...body, expires_at: '2099-01-30T23:00:00.500Z' })
    expect(await codeOf(service.send('/v1/account', { key: keyRecord.api_key }))).toBe('403 key-scope')
    expect((await list(keyRecord.api_key)).length).toBeGreaterThan(0)
  })

  test('names each invalid field and creates no key', async () => {
    const before = await keyEvents()
    const cases: [object, string[]][] = [
      [{ nmae: 'x' }, ['/nmae unknown-field']],
      [{ name: '' }, ['/name too-short']],
      [{ name: 'x'.repeat(101) }, ['/name too-long']],
      [{ name: 'a\u0000b' }, ['/name bad-text']],
      [{ name: 7 }, ['/name wrong-type']],
      [{ scopes: [] }, ['/scopes out-of-range']],
      [{ scopes: ['runs', 'root'] }, ['/scopes/1 not-allowed']],
      [{ scopes: ['runs', 'runs'] }, ['/scopes not-allowed']],
      [{ scopes: 'runs' }, ['/scopes wrong-type']],
      [{ expires_at: 'tomorrow' }, ['/expires_at bad-format']],
      [{ expires_at: '2099-02-30T00:00:00Z' }, ['/expires_at bad-format']],
      [{ expires_at: '2001-01-01T00:00:00Z' }, ['/expires_at out-of-range']],
      [{ expires_at: '9999-12-31T23:59:59-12:00' }, ['/expires_at out-of-range']],
      [{ expires_at: 4070908800 }, ['/expires_at wrong-type']],
      [{ JSON: 1, name: 1 }, ['/JSON unknown-field', '/name wrong-type']],
    ]
    for (const [body, issues] of cases) {
      const answer = await service.post('/admin/create-key', client.key, body)
      expect(answer.status).toBe(422)
      expect({ body, issues: await issuesOf(answer) }).toEqual({ body, issues })
    }
    const pollution = await service.send('/admin/create-key', {
      method: 'POST',
      key: client.key,
      headers: { 'content-type': 'application/json' },
      body: '{"__proto__":{"name":"x"}}',
    })
    expect(await issuesOf(pollution)).toEqual(['/__proto__ unknown-field'])
    expect(await keyEvents()).toBe(before)
  })

  test('an expired key is 401 expired-key', async () => {
    const at = Date.now() + service.clock.offset + 5000
    const { api_key } = await create(client.key, { expires_at: new Date(at).toISOString() })
    expect((await service.send('/v1/account', { key: api_key })).status).toBe(200)
    service.clock.offset += 6000
    expect(await codeOf(service.send('/v1/account', { key: api_key }))).toBe('401 expired-key')
    service.clock.offset -= 6000
  })
})

describe('revoke-key', () => {
  test('the key fails on the next request, and a repeat gets the same answer and writes no event', async () => {
    const { api_key, key_id } = await create(client.key)
    expect((await service.send('/v1/account', { key: api_key })).status).toBe(200)
    const first = await revoke(client.key, { key_id })
    expect(first.status).toBe(200)
    const record = (await first.json()) as KeyRecord
    expect(record).toMatchObject({ key_id, revoked_at: expect.any(String) })
    expect(await codeOf(service.send('/v1/account', { key: api_key }))).toBe('401 revoked-key')
    const events = await keyEvents()
    expect((await (await revoke(client.key, { key_id })).json()) as KeyRecord).toEqual(record)
    expect(await keyEvents()).toBe(events)
  })

  test('an unknown key and a key of another account get the same 404', async () => {
    const other = await service.openAccount()
    const [theirs] = await list(other.key)
    const bodies = []
    for (const key_id of [theirs!.key_id, `key_${'0'.repeat(26)}`, 'nonsense', '🦦']) {
      const answer = await revoke(client.key, { key_id })
      expect(answer.status).toBe(404)
      const { request_id: _, ...body } = (await answer.json()) as Record<string, unknown>
      bodies.push(body)
    }
    for (const body of bodies) expect(body).toEqual(bodies[0]!)
    expect((await service.send('/v1/account', { key: other.key })).status).toBe(200)
  })

  test('the last admin key cannot be revoked: 409 last-admin-key', async () => {
    const own = await service.openAccount()
    const [first] = await list(own.key)
    await create(own.key, { scopes: ['runs', 'events'] })
    expect(await codeOf(revoke(own.key, { key_id: first!.key_id }))).toBe('409 last-admin-key')
    const second = await create(own.key, { scopes: ['admin'] })
    expect((await revoke(second.api_key, { key_id: first!.key_id })).status).toBe(200)
    expect(await codeOf(service.send('/admin/list-keys', { key: own.key }))).toBe('401 revoked-key')
    expect(await codeOf(revoke(second.api_key, { key_id: second.key_id }))).toBe('409 last-admin-key')
  })

  test('requires a key_id', async () => {
    expect(await issuesOf(revoke(client.key, {}))).toEqual(['/key_id missing-field'])
    expect(await issuesOf(revoke(client.key, { key_id: 1 }))).toEqual(['/key_id wrong-type'])
    expect(await issuesOf(service.send('/admin/revoke-key', { method: 'POST', key: client.key }))).toEqual([
      '/key_id missing-field',
    ])
  })
})

describe('list-keys', () => {
  test('shows a key right after its creation, newest first, and no key of another account', async () => {
    const own = await service.openAccount()
    for (let i = 0; i < 3; i++) {
      const { api_key: _, ...keyRecord } = await create(own.key, { name: `k${i}` })
      const [newest] = await list(own.key)
      expect(newest).toEqual(keyRecord)
    }
    const names = (await list(own.key)).map((key) => key.name)
    expect(names).toEqual(['k2', 'k1', 'k0', null])
  })

  test('an unknown query parameter is 422', async () => {
    const answer = await service.send('/admin/list-keys?acount_id=x', { key: client.key })
    expect(await issuesOf(answer)).toEqual(['/acount_id unknown-field'])
  })
})

describe('the operator', () => {
  test('acts for the account in account_id, which is required', async () => {
    const own = await service.openAccount()
    const account_id = own.accountId
    const keyRecord = await create(OPERATOR_KEY, { account_id, scopes: ['admin'] })
    const listed = await list(OPERATOR_KEY, `?account_id=${account_id}`)
    expect(listed.map((key) => key.key_id)).toEqual((await list(own.key)).map((key) => key.key_id))
    expect((await revoke(OPERATOR_KEY, { account_id, key_id: keyRecord.key_id })).status).toBe(200)
    expect(await codeOf(service.send('/admin/list-keys', { key: OPERATOR_KEY }))).toBe(
      '422 validation-failed',
    )
    expect(await issuesOf(service.send('/admin/create-key', { method: 'POST', key: OPERATOR_KEY }))).toEqual([
      '/account_id missing-field',
    ])
  })

  test('an unknown account is 404, and so is a key of another account than the named one', async () => {
    const own = await service.openAccount()
    const [first] = await list(own.key)
    for (const account_id of ['nonsense', `acc_${'0'.repeat(26)}`]) {
      expect(await codeOf(service.post('/admin/create-key', OPERATOR_KEY, { account_id }))).toBe(
        '404 not-found',
      )
    }
    const elsewhere = revoke(OPERATOR_KEY, { account_id: client.accountId, key_id: first!.key_id })
    expect(await codeOf(elsewhere)).toBe('404 not-found')
  })

  test('an account key may name its own account and no other', async () => {
    const other = await service.openAccount()
    const own = `?account_id=${client.accountId}`
    expect((await list(client.key, own)).length).toBeGreaterThan(0)
    const foreign = service.send(`/admin/list-keys?account_id=${other.accountId}`, { key: client.key })
    expect(await codeOf(foreign)).toBe('404 not-found')
    const answer = service.post('/admin/create-key', client.key, { account_id: other.accountId })
    expect(await codeOf(answer)).toBe('404 not-found')
  })
})
