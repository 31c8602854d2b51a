/** Operator calls: accounts, credits and entitlements, each once per Idempotency-Key. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash, createHmac } from 'node:crypto'
import { type AccountId, derivedAccountId } from '../../src/domain/ids.ts'
import type { Endpoint } from '../../src/http/endpoint.ts'
import { Once } from '../../src/http/idempotency.ts'
import { accountEndpoints } from '../../src/http/routes/account.ts'
import { keyEndpoints } from '../../src/http/routes/keys.ts'
import { operatorEndpoints } from '../../src/http/routes/operator.ts'
import { taskEndpoints } from '../../src/http/routes/tasks.ts'
import { UNTIMED } from '../../src/http/time-limit.ts'
import { problemOf } from './problem-of.ts'
import { type Client, OPERATOR_KEY, type Service, startService } from './service.ts'

let service: Service
let client: Client
beforeAll(async () => {
  service = await startService({
    endpoints: (deps) => [
      ...operatorEndpoints(deps, new Once(deps)),
      ...keyEndpoints(deps, new Once(deps)),
      ...accountEndpoints(deps),
      ...taskEndpoints(deps),
    ],
  })
  client = await service.openAccount(100)
})
afterAll(() => service.close())

type Opened = { account_id: AccountId; name: string; balance: number; api_key: string | null }
const post = (path: string, body: object, idempotencyKey?: string) =>
  service.post(
    `/admin/${path}`,
    OPERATOR_KEY,
    body,
    idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
  )
const openedBy = async (answer: Response | Promise<Response>, status = 201) => {
  expect((await answer).status).toBe(status)
  return (await (await answer).json()) as Opened
}
const typesOf = async (account: string) =>
  (await service.events()).filter((e) => e.meta.account_id === account).map((e) => e.type)
const balanceOf = async (account: AccountId) => (await service.deps.accounts.state(account)).balance
const PATHS = ['accounts', 'grant-credits', 'set-entitlements']

/** Makes a call twice here and twice in another process, which has its own queue, all concurrently. */
function fromTwoProcesses(path: string, idempotencyKey: string, body: Record<string, unknown>) {
  const at = (endpoints: readonly Endpoint[]) => endpoints.find((endpoint) => endpoint.path === path)!
  const here = at(service.endpoints)
  const there = at(operatorEndpoints(service.deps, new Once(service.deps)))
  const call = () => ({
    request: new Request('http://localhost/', { headers: { 'idempotency-key': idempotencyKey } }),
    requestId: 'req_test',
    time: UNTIMED,
    params: {},
    principal: { kind: 'operator' } as const,
    query: {},
    input: body,
    idempotencyKey,
    key: undefined as never,
    body: async () => body,
    count: async () => {},
    roleRefusal: () => undefined,
    cause: { correlationId: 'req_test', causationId: 'req_test', now: Date.now() },
  })
  return Promise.all([here, there, here, there].map(async (each) => each.handle(call())))
}

describe('access', () => {
  test('only the operator key is accepted', async () => {
    for (const path of PATHS) {
      expect(await problemOf(service.post(`/admin/${path}`, client.key, {}))).toBe('403 key-scope')
      expect(await problemOf(service.post(`/admin/${path}`, null, {}))).toBe('401 missing-key')
    }
  })

  test('an invalid Idempotency-Key is 400', async () => {
    for (const key of ['', 'x'.repeat(256), 'ä']) {
      expect(await problemOf(post('accounts', { name: 'a' }, key))).toBe('400 bad-idempotency-key')
    }
  })
})

describe('accounts', () => {
  test('opens an account with credits and a first key that has all scopes', async () => {
    const opened = await openedBy(post('accounts', { name: 'Team Otter', credits: 500 }))
    expect(opened as unknown).toEqual({
      account_id: expect.stringMatching(/^acc_[0-9a-z]{26}$/),
      name: 'Team Otter',
      balance: 500,
      api_key: expect.stringMatching(/^gln_/),
    })
    const key = opened.api_key!
    const account = (await (await service.send('/v1/account', { key })).json()) as object
    expect(account).toMatchObject({ name: 'Team Otter', balance: 500, tasks: ['*'], suspended: false })
    expect((await service.send('/admin/list-keys', { key })).status).toBe(200)
    expect(await typesOf(opened.account_id)).toEqual(['AccountOpened', 'CreditsGranted', 'KeyCreated'])
  })

  test('an account opened without credits has a balance of 0', async () => {
    const { account_id, balance } = await openedBy(post('accounts', { name: 'a' }))
    expect(balance).toBe(0)
    expect(await balanceOf(account_id)).toBe(0)
  })

  test('a repeat gets the same answer without the API key, even after later changes', async () => {
    const body = { name: 'again', credits: 10 }
    const first = await openedBy(post('accounts', body, 'open-1'))
    await post('grant-credits', { account_id: first.account_id, amount: 5 })
    const again = await openedBy(post('accounts', { credits: 10, name: 'again' }, 'open-1'))
    expect(again).toEqual({ ...first, api_key: null })
    expect((await typesOf(first.account_id)).filter((type) => type === 'KeyCreated')).toHaveLength(1)
    expect(await balanceOf(first.account_id)).toBe(15)
  })

  test('another body or another call with the same Idempotency-Key is 422', async () => {
    const { account_id } = await openedBy(post('accounts', { name: 'a' }, 'open-2'))
    for (const body of [{ name: 'b' }, { name: 'a', credits: 1 }]) {
      expect(await problemOf(post('accounts', body, 'open-2'))).toBe('422 idempotency-key-reused')
    }
    const grant = post('grant-credits', { account_id, amount: 1 }, 'open-2')
    expect(await problemOf(grant)).toBe('422 idempotency-key-reused')
    expect(await balanceOf(account_id)).toBe(0)
  })

  test('twenty concurrent calls with one Idempotency-Key open one account and show one API key', async () => {
    const all = Array.from({ length: 20 }, () => post('accounts', { name: 'race', credits: 7 }, 'open-3'))
    const answers = await Promise.all(all.map((answer) => openedBy(answer)))
    expect(new Set(answers.map((answer) => answer.account_id)).size).toBe(1)
    expect(answers.filter((answer) => answer.api_key !== null)).toHaveLength(1)
    const types = await typesOf(answers[0]!.account_id)
    expect(types).toEqual(['AccountOpened', 'CreditsGranted', 'KeyCreated'])
  })

  test('two processes with one Idempotency-Key open one account and show one working API key', async () => {
    const all = await fromTwoProcesses('/admin/accounts', 'open-6', { name: 'race', credits: 7 })
    const answers = await Promise.all(all.map((answer) => openedBy(answer)))
    expect(new Set(answers.map((answer) => answer.account_id)).size).toBe(1)
    const shown = answers.flatMap(({ api_key }) => api_key ?? [])
    expect(shown).toHaveLength(1)
    const listed = await (await service.send('/admin/list-keys', { key: shown[0]! })).json()
    const alive = (listed as { keys: { revoked_at: string | null }[] }).keys.filter((key) => !key.revoked_at)
    expect(alive).toHaveLength(1)
    expect(await balanceOf(answers[0]!.account_id)).toBe(7)
  })

  test('a repeat creates the API key, once, if the first call was interrupted before it', async () => {
    const sha256 = (text: string) => createHash('sha256').update(text).digest()
    // The first call writes this before it creates the key. The account id derives from the Idempotency-Key.
    const id = sha256('operator\nopen-4').toString('hex')
    const fingerprint = createHmac('sha256', 'open-4')
      .update('accounts\n{"credits":3,"name":"cut"}')
      .digest('hex')
    const accountId = derivedAccountId(sha256(`account\n${id}`))
    const cause = { accountId, correlationId: 'x', causationId: 'x', now: Date.now() }
    await service.deps.accounts.handle(
      { type: 'open', accountId, name: 'cut', credits: 3, operation: { id, fingerprint } },
      cause,
    )
    const again = await openedBy(post('accounts', { name: 'cut', credits: 3 }, 'open-4'))
    expect(again).toMatchObject({ account_id: accountId, balance: 3 })
    expect((await service.send('/v1/account', { key: again.api_key })).status).toBe(200)
    expect((await openedBy(post('accounts', { name: 'cut', credits: 3 }, 'open-4'))).api_key).toBeNull()
  })

  test('names each invalid field and opens no account', async () => {
    const before = (await service.events()).length
    const cases: [object, string][] = [
      [{}, '/name missing-field'],
      [{ name: '' }, '/name too-short'],
      [{ name: 'x'.repeat(201) }, '/name too-long'],
      [{ name: 'a', credits: -1 }, '/credits out-of-range'],
      [{ name: 'a', credits: 1.5 }, '/credits wrong-type'],
      [{ name: 'a', credits: 1_000_000_001 }, '/credits out-of-range'],
      [{ name: 'a', credits: '5' }, '/credits wrong-type'],
      [{ name: 'a', credit: 5 }, '/credit unknown-field'],
    ]
    for (const [body, issue] of cases) {
      expect({ body, problem: await problemOf(post('accounts', body, 'open-5')) }).toEqual({
        body,
        problem: `422 validation-failed, ${issue}`,
      })
    }
    expect((await service.events()).length).toBe(before)
  })
})

describe('grant-credits', () => {
  test('adds to the balance and appears in the ledger', async () => {
    const { accountId: account_id, key } = await service.openAccount(100)
    const answer = await post('grant-credits', { account_id, amount: 50, reason: 'invoice 17' })
    expect(answer.status).toBe(200)
    expect((await answer.json()) as object).toEqual({ account_id, balance: 150 })
    await service.shown()
    const ledger = (await (await service.send('/v1/account/ledger', { key })).json()) as { entries: object[] }
    expect(ledger.entries[0]).toMatchObject({ kind: 'granted', amount: 50, reason: 'invoice 17' })
  })

  test('fifty concurrent calls with one Idempotency-Key grant once, and a later repeat answers the same', async () => {
    const { accountId: account_id } = await service.openAccount(0)
    const body = { account_id, amount: 3 }
    const all = Array.from({ length: 50 }, () => post('grant-credits', body, 'grant-1'))
    const answers = await Promise.all(all.map(async (answer) => (await answer).json()))
    for (const answer of answers) expect(answer).toEqual({ account_id, balance: 3 })
    await post('grant-credits', { account_id, amount: 10 })
    const later = await (await post('grant-credits', body, 'grant-1')).json()
    expect(later).toEqual({ account_id, balance: 3 })
    expect(await balanceOf(account_id)).toBe(13)
    expect(await problemOf(post('grant-credits', { account_id, amount: 4 }, 'grant-1'))).toBe(
      '422 idempotency-key-reused',
    )
  })

  test('two processes with one Idempotency-Key grant once', async () => {
    const { accountId: account_id } = await service.openAccount(0)
    const answers = await fromTwoProcesses('/admin/grant-credits', 'grant-2', { account_id, amount: 5 })
    for (const answer of answers) expect(await answer.json()).toEqual({ account_id, balance: 5 })
    expect(await balanceOf(account_id)).toBe(5)
  })

  test('an unknown account is 404; amounts outside 1 to 10^9 are 422', async () => {
    for (const account_id of ['nonsense', `acc_${'0'.repeat(26)}`]) {
      expect(await problemOf(post('grant-credits', { account_id, amount: 1 }, 'grant-3'))).toBe(
        '404 not-found',
      )
    }
    const account_id = client.accountId
    for (const amount of [0, -1, 1.5, 1e9 + 1, '5', null]) {
      expect(await problemOf(post('grant-credits', { account_id, amount }))).toStartWith(
        '422 validation-failed, /amount',
      )
    }
    expect((await post('grant-credits', { account_id, amount: 1 }, 'grant-3')).status).toBe(200)
  })
})

describe('set-entitlements', () => {
  const entitle = async (body: object, key?: string) => {
    const answer = await post('set-entitlements', body, key)
    expect(answer.status).toBe(200)
    return (await answer.json()) as { limits: Record<string, number> }
  }

  test('changes only the given fields, from the next request on', async () => {
    const { accountId: account_id, key } = await service.openAccount(10)
    const kickoff = () => service.post('/v1/sample/search', key, { query: 'otter' })
    const account = await entitle({ account_id, tasks: ['forum.*', 'sample.shelf'] })
    expect(account).toMatchObject({
      account_id,
      balance: 10,
      tasks: ['forum.*', 'sample.shelf'],
      suspended: false,
    })
    expect(await problemOf(kickoff())).toBe('403 task-not-allowed')
    await entitle({ account_id, limits: { kickoff_per_minute: 1 } })
    expect(await entitle({ account_id, limits: { concurrent_runs: 3 } })).toMatchObject({
      tasks: ['forum.*', 'sample.shelf'],
      limits: { kickoff_per_minute: 1, read_per_minute: 0, admin_per_minute: 0, concurrent_runs: 3 },
    })
    await entitle({ account_id, tasks: ['*'], limits: { kickoff_per_minute: 0 } })
    expect((await kickoff()).status).toBe(202)
    await entitle({ account_id, suspended: true })
    expect(await problemOf(kickoff())).toBe('403 account-suspended')
    expect((await service.send('/v1/account', { key })).status).toBe(200)
    await entitle({ account_id, suspended: false })
    expect((await kickoff()).status).toBe(202)
  })

  test('a repeat gets the first answer and does not set the entitlements again', async () => {
    const { accountId: account_id } = await service.openAccount(10)
    const first = await entitle({ account_id, tasks: ['forum.*'] }, 'set-1')
    await entitle({ account_id, tasks: ['*'] }, 'set-2')
    await post('grant-credits', { account_id, amount: 5 })
    expect(await entitle({ account_id, tasks: ['forum.*'] }, 'set-1')).toEqual(first)
    expect(first).toMatchObject({ balance: 10, tasks: ['forum.*'] })
    expect((await service.deps.accounts.state(account_id)).tasks).toEqual(['*'])
    const other = post('set-entitlements', { account_id, tasks: [] }, 'set-1')
    expect(await problemOf(other)).toBe('422 idempotency-key-reused')
  })

  test('null resets a limit to the default of its setting, and the event omits the limit', async () => {
    const own = await startService({ env: { RATE_READ: '900', ACCOUNT_CONCURRENCY: '4' } })
    try {
      const { accountId: account_id, key } = await own.openAccount(10)
      const limitsAfter = async (limits: object) => {
        const answer = await own.post('/admin/set-entitlements', OPERATOR_KEY, { account_id, limits })
        expect(answer.status).toBe(200)
        return ((await answer.json()) as { limits: object }).limits
      }
      expect(await limitsAfter({ read_per_minute: 5, concurrent_runs: 0 })).toMatchObject({
        read_per_minute: 5,
        concurrent_runs: 0,
      })
      const expected = { read_per_minute: 900, concurrent_runs: 0 }
      expect(await limitsAfter({ read_per_minute: null })).toMatchObject(expected)
      const shown = (await (await own.send('/v1/account', { key })).json()) as { limits: object }
      expect(shown.limits).toMatchObject(expected)
      const set = (await own.events()).filter(({ type }) => type === 'EntitlementsSet').at(-1)
      expect(set?.event?.data).toMatchObject({ limits: { concurrent_runs: 0 } })
      expect(set?.event?.data).not.toHaveProperty('limits.read_per_minute')
    } finally {
      await own.close()
    }
  })

  test('names each invalid field', async () => {
    const { account_id } = { account_id: client.accountId }
    const cases: [object, string][] = [
      [{ tasks: ['forum.**'] }, '/tasks/0 bad-format'],
      [{ tasks: ['*', ''] }, '/tasks/1 bad-format'],
      [{ tasks: '*' }, '/tasks wrong-type'],
      [{ limits: null }, '/limits wrong-type'],
      [{ limits: { kickoff: 1 } }, '/limits/kickoff unknown-field'],
      [{ limits: { kickoff_per_minute: -1 } }, '/limits/kickoff_per_minute out-of-range'],
      [{ limits: { concurrent_runs: 0.5 } }, '/limits/concurrent_runs wrong-type'],
      [{ suspended: 'yes' }, '/suspended wrong-type'],
      [{ suspend: true }, '/suspend unknown-field'],
    ]
    for (const [body, issue] of cases) {
      expect({ body, problem: await problemOf(post('set-entitlements', { account_id, ...body })) }).toEqual({
        body,
        problem: `422 validation-failed, ${issue}`,
      })
    }
    expect(await problemOf(post('set-entitlements', { account_id: 'nonsense' }))).toBe('404 not-found')
  })
})
