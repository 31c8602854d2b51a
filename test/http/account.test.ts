/** The account and its ledger, as shown to its keys. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { LedgerEntryView } from '../../src/http/routes/account.ts'
import { accountEndpoints } from '../../src/http/routes/account.ts'
import { runEndpoints } from '../../src/http/routes/runs.ts'
import { taskEndpoints } from '../../src/http/routes/tasks.ts'
import { problemOf } from './problem-of.ts'
import { type Client, OPERATOR_KEY, type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({
    env: { RATE_KICKOFF: '7', RATE_READ: '8000', RATE_ADMIN: '0', ACCOUNT_CONCURRENCY: '4' },
    endpoints: (deps) => [...accountEndpoints(deps), ...runEndpoints(deps), ...taskEndpoints(deps)],
  })
})
afterAll(() => service.close())

type Page = { entries: LedgerEntryView[]; next_cursor: string | null }
const get = (client: Client, path: string) => service.send(path, { key: client.key })
const pageOf = async (client: Client, query = ''): Promise<Page> => {
  const answer = await get(client, `/v1/account/ledger${query}`)
  expect(answer.status).toBe(200)
  return (await answer.json()) as Page
}
const grant = async ({ accountId }: Client, amount: number, reason?: string) => {
  const cause = { accountId, correlationId: 'test', causationId: 'test', now: Date.now() }
  await service.deps.accounts.handle({ type: 'grant', accountId, amount, reason }, cause)
}
const search = async (client: Client) =>
  (await service.post('/v1/sample/search', client.key, { query: 'otter' })).headers.get('run-id')!

describe('the account', () => {
  test('shows balance, entitlements and effective limits', async () => {
    const client = await service.openAccount(12)
    const { accountId } = client
    const account = {
      account_id: accountId as string,
      name: 'test',
      balance: 12,
      tasks: ['*'],
      limits: { kickoff_per_minute: 7, read_per_minute: 8000, admin_per_minute: 0, concurrent_runs: 4 },
      suspended: false,
    }
    expect(await (await get(client, '/v1/account')).json()).toEqual(account)
    const cause = { accountId, correlationId: 'test', causationId: 'test', now: Date.now() }
    await service.deps.accounts.handle(
      { type: 'entitle', accountId, tasks: ['forum.*'], limits: { concurrent_runs: 0 }, suspended: true },
      cause,
    )
    expect(await (await get(client, '/v1/account')).json()).toEqual({
      ...account,
      tasks: ['forum.*'],
      limits: { ...account.limits, concurrent_runs: 0 },
      suspended: true,
    })
  })

  test('shows a charge in the next request', async () => {
    const client = await service.openAccount(5)
    await search(client)
    expect((await (await get(client, '/v1/account')).json()) as object).toMatchObject({ balance: 4 })
  })

  test('requires a key of scope runs', async () => {
    const { accountId } = await service.openAccount()
    const key = await service.newKey(accountId, ['admin', 'events'])
    for (const path of ['/v1/account', '/v1/account/ledger']) {
      expect(await problemOf(service.send(path, { key }))).toBe('403 key-scope')
      expect(await problemOf(service.send(path, { key: OPERATOR_KEY }))).toBe('403 key-scope')
      expect(await problemOf(service.send(path))).toBe('401 missing-key')
    }
  })
})

describe('the ledger', () => {
  test('lists every entry with its sign, newest first, and the amounts add up to the balance', async () => {
    const client = await service.openAccount(10)
    const kept = await search(client)
    const failed = await search(client)
    await service.finish(kept)
    await service.finish(failed, { status: 'failed', code: 'not-found' })
    await grant(client, 5, 'invoice 17')
    await service.shown()
    const { entries, next_cursor } = await pageOf(client)
    expect(next_cursor).toBeNull()
    const summaries = entries.map(({ kind, amount, balance_after, run_id, reason }) => ({
      kind,
      amount,
      balance_after,
      run_id,
      reason,
    }))
    expect(summaries).toEqual([
      { kind: 'granted', amount: 5, balance_after: 14, run_id: null, reason: 'invoice 17' },
      { kind: 'refunded', amount: 1, balance_after: 9, run_id: failed, reason: 'failed' },
      { kind: 'charged', amount: -1, balance_after: 8, run_id: failed, reason: 'sample.search' },
      { kind: 'charged', amount: -1, balance_after: 9, run_id: kept, reason: 'sample.search' },
      { kind: 'granted', amount: 10, balance_after: 10, run_id: null, reason: 'opening' },
    ])
    const { balance } = (await (await get(client, '/v1/account')).json()) as { balance: number }
    expect(entries.reduce((sum, entry) => sum + entry.amount, 0)).toBe(balance)
    for (const { at } of entries) expect(new Date(at).toISOString()).toBe(at)
  })

  test('pages return every entry once while new entries are added', async () => {
    const client = await service.openAccount(1)
    for (let i = 2; i <= 23; i++) await grant(client, i)
    await service.shown()
    const ledger: LedgerEntryView[] = []
    let cursor: string | null = null
    do {
      const page: Page = await pageOf(client, `?limit=5${cursor ? `&cursor=${cursor}` : ''}`)
      expect(page.entries.length).toBeLessThanOrEqual(5)
      ledger.push(...page.entries)
      cursor = page.next_cursor
      await grant(client, 1000)
      await service.shown()
    } while (cursor)
    expect(ledger.map((entry) => entry.amount)).toEqual(Array.from({ length: 23 }, (_, i) => 23 - i))
    expect(new Set(ledger.map((entry) => entry.entry_id)).size).toBe(23)
  })

  test('the last page has no cursor, even if it is full', async () => {
    const client = await service.openAccount(1)
    await grant(client, 1)
    await service.shown()
    expect((await pageOf(client, '?limit=2')).next_cursor).toBeNull()
    expect((await pageOf(client, '?limit=1')).next_cursor).toBeString()
  })

  test('a truncated or invented cursor and a cursor of another account are 422', async () => {
    const [a, b] = [await service.openAccount(1), await service.openAccount(1)]
    for (const client of [a, b]) await grant(client, 1)
    await service.shown()
    const cursor = (await pageOf(a, '?limit=1')).next_cursor!
    await pageOf(a, `?limit=9&cursor=${cursor}`)
    for (const wrong of [cursor.slice(0, -2), `${cursor}x`, 'x', '', '1', '%00']) {
      const path = `/v1/account/ledger?cursor=${wrong}`
      expect(await problemOf(get(a, path))).toStartWith('422 validation-failed, /cursor')
    }
    const foreign = get(b, `/v1/account/ledger?cursor=${cursor}`)
    expect(await problemOf(foreign)).toBe('422 validation-failed, /cursor bad-format')
  })

  test('a limit outside 1 to 500 or in another notation is 422', async () => {
    const client = await service.openAccount(1)
    for (const limit of ['0', '501', '-1', '1.5', 'NaN', '', '1e2', '0x10', '05']) {
      const answer = get(client, `/v1/account/ledger?limit=${limit}`)
      expect(await problemOf(answer)).toStartWith('422 validation-failed, /limit')
    }
  })
})
