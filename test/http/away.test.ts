/** The service without read models and ephemeral store: everything that needs only the log works. */
import { afterEach, describe, expect, test } from 'bun:test'
import { leaving } from '../../rigs/support/away.ts'
import { OPERATOR_KEY, type Service, startService } from './service.ts'

let service: Service
let isAway = false
afterEach(async () => {
  isAway = false
  await service.close()
})

async function start(env: Readonly<Record<string, string>> = {}) {
  const warned: string[] = []
  service = await startService({
    env,
    stores: ({ readModels, ephemeral, tickets }) => ({
      readModels: leaving(readModels, () => isAway),
      ephemeral: leaving(ephemeral, () => isAway),
      tickets: leaving(tickets, () => isAway),
    }),
    deps: ({ logger }) => ({
      logger: Object.assign(Object.create(logger), {
        warn: (_: object, message: string) => warned.push(message),
      }),
    }),
  })
  return { ...(await service.openAccount(10)), warned }
}

const search = (key: string, more?: Record<string, string>) =>
  service.post('/v1/sample/search', key, { query: 'x' }, more)
const json = async (answer: Response) => (await answer.json()) as Record<string, unknown>

describe('while read models and ephemeral store are unavailable', () => {
  test('runs are started, read, cancelled and refunded, and the account and its events are shown', async () => {
    const { key } = await start({ RATE_KICKOFF: '1', RATE_READ: '1', RATE_ADMIN: '1' })
    isAway = true
    const kickoff = await search(key, { 'idempotency-key': 'k' })
    expect(kickoff.status).toBe(202)
    const { run_id } = await json(kickoff)
    const repeat = await search(key, { 'idempotency-key': 'k' })
    expect([repeat.status, (await json(repeat)).run_id]).toEqual([202, run_id])
    expect((await service.send(`/v1/runs/${run_id}`, { key })).status).toBe(200)
    expect(await json(await service.send('/v1/account', { key }))).toMatchObject({ balance: 9 })
    const cancelled = await service.post(`/v1/runs/${run_id}/cancel`, key, {})
    expect([cancelled.status, (await json(cancelled)).run_status]).toEqual([202, 'cancelled'])
    expect(await json(await service.send('/v1/account', { key }))).toMatchObject({ balance: 10 })
    const feed = await json(await service.send('/v1/events?types=CreditsCharged,CreditsRefunded', { key }))
    expect(feed.events).toHaveLength(2)
  })

  test('an account that this process has not read yet is read from the log', async () => {
    const { accountId, key } = await start()
    for (let i = 0; i < 3; i++) await search(key)
    await service.shown()
    isAway = true
    const fresh = service.newAccounts()
    expect((await fresh.state(accountId)).balance).toBe(7)
  })

  test('the health of tasks is unknown, and their days are 503', async () => {
    const { key } = await start()
    isAway = true
    const { tasks } = (await json(await service.send('/v1/tasks', { key }))) as {
      tasks: { task_key: string; health: string }[]
    }
    expect(new Set(tasks.map(({ health }) => health))).toEqual(new Set(['unknown']))
    const one = await json(await service.send(`/v1/tasks/${tasks[0]?.task_key}`, { key }))
    expect([one.health, one.health_since, one.drift]).toEqual(['unknown', null, []])
    const days = await service.send(`/v1/tasks/${tasks[0]?.task_key}/health`, { key })
    expect([days.status, (await json(days)).code]).toEqual([503, 'store-unavailable'])
    expect(days.headers.get('retry-after')).not.toBeNull()
  })

  test('keys are created, work, and are revoked', async () => {
    const { key, accountId } = await start()
    isAway = true
    for (const [admin, body] of [
      [key, {}],
      [OPERATOR_KEY, { account_id: accountId }],
    ] as const) {
      const created = await service.post('/admin/create-key', admin, { ...body, scopes: ['runs'] })
      expect(created.status).toBe(201)
      const keyRecord = await json(created)
      expect((await search(String(keyRecord.api_key))).status).toBe(202)
      const revoked = await service.post('/admin/revoke-key', admin, { ...body, key_id: keyRecord.key_id })
      expect(revoked.status).toBe(200)
      expect((await search(String(keyRecord.api_key))).status).toBe(401)
    }
  })

  test('the last admin key can be revoked, because the remaining keys cannot be listed', async () => {
    const { key } = await start()
    const { keys } = (await json(await service.send('/admin/list-keys', { key }))) as {
      keys: { key_id: string }[]
    }
    const key_id = keys[0]?.key_id
    isAway = true
    expect((await service.post('/admin/revoke-key', key, { key_id })).status).toBe(200)
    expect((await service.send('/v1/tasks', { key })).status).toBe(401)
  })

  test('the operator opens an account and gets a working key', async () => {
    await start()
    isAway = true
    const opened = await service.post('/admin/accounts', OPERATOR_KEY, { name: 'new', credits: 5 })
    expect(opened.status).toBe(201)
    const { api_key } = await json(opened)
    expect((await search(String(api_key))).status).toBe(202)
  })

  test('lists of runs and keys and the ledger are 503 store-unavailable', async () => {
    const { key } = await start()
    isAway = true
    for (const path of ['/v1/runs', '/v1/account/ledger', '/admin/list-keys']) {
      const answer = await service.send(path, { key })
      const { code, detail } = await json(answer)
      expect([path, answer.status, code]).toEqual([path, 503, 'store-unavailable'])
      // A read has no effect that its client would have to fear.
      expect(detail).toContain('Nothing was changed')
    }
  })

  test('requests pass without a rate limit; a metric counts them and one log line reports it', async () => {
    const { key, warned } = await start({ RATE_KICKOFF: '2' })
    for (let i = 0; i < 2; i++) expect((await search(key)).status).toBe(202)
    expect((await search(key)).status).toBe(429)
    isAway = true
    for (let i = 0; i < 3; i++) {
      const answer = await search(key)
      expect([answer.status, answer.headers.has('ratelimit')]).toEqual([202, false])
    }
    expect(await service.deps.metrics.text()).toContain('gleaner_requests_uncounted_total{class="kickoff"} 3')
    expect(warned.filter((line) => line.includes('Rate limit'))).toHaveLength(1)
    isAway = false
    expect((await search(key)).status).toBe(429)
  })
})
