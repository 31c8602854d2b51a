/** Authenticating, creating, revoking and listing keys. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { altered } from '../../rigs/support/altered.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { type AccountId, type KeyId, newAccountId, type PersonId } from '../../src/domain/ids.ts'
import { SCOPES, type Scope } from '../../src/domain/roles.ts'
import { newApiKey } from '../../src/keys/api-key.ts'
import { type EventLog, StoreUnavailable } from '../../src/log/event-log.ts'
import { causeAt, type Node, OPERATOR_KEY, openNode } from './stores.ts'

const folder = temporaryFolder()
const reads: string[] = []
const watched = (log: EventLog): EventLog =>
  altered(log, {
    readStream: (...args) => {
      reads.push(args[0])
      return log.readStream(...args)
    },
  })

let node: Node
let other: Node
beforeAll(async () => {
  node = await openNode(folder, { log: watched })
  other = await openNode(folder)
})
afterAll(async () => {
  await other.close()
  await node.close()
})

const newAccount = () => newAccountId(Date.now(), crypto.getRandomValues(new Uint8Array(10)))
async function make(
  accountId: AccountId,
  { scopes = SCOPES, expiresAt = null }: { scopes?: readonly Scope[]; expiresAt?: string | null } = {},
) {
  const creation = await node.keys.create(
    { accountId, name: 'a', scopes, expiresAt },
    causeAt(node.clock.now),
  )
  return { ...creation, keyId: creation.record.key_id as KeyId }
}

describe('authenticate', () => {
  test('a key authenticates as its account with its scopes', async () => {
    const accountId = newAccount()
    const { apiKey, keyId } = await make(accountId, { scopes: ['runs', 'events'] })
    const expected = { kind: 'key', keyId, accountId, scopes: ['runs', 'events'] } as const
    for (let i = 0; i < 3; i++) expect(await node.keys.authenticate(apiKey)).toEqual(expected)
    expect(await other.keys.authenticate(apiKey)).toEqual(expected)
  })

  test('the operator key authenticates as the operator synchronously, and no similar token does', async () => {
    expect(node.keys.authenticate(OPERATOR_KEY)).toEqual({ kind: 'operator' })
    for (const token of [`${OPERATOR_KEY} `, OPERATOR_KEY.slice(1), OPERATOR_KEY.toUpperCase(), '']) {
      expect(await node.keys.authenticate(token)).toBe('invalid-key')
    }
  })

  test('a key with a wrong checksum is refused without a look-up', () => {
    const key = newApiKey()
    reads.length = 0
    for (const token of [`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`, key.slice(0, -1), 'x', '']) {
      expect(node.keys.authenticate(token)).toBe('invalid-key')
    }
    expect(reads).toEqual([])
  })

  test('a key that was never created is invalid, and can be created later', async () => {
    const key = newApiKey()
    expect(await node.keys.authenticate(key)).toBe('invalid-key')
    const accountId = newAccount()
    const request = { accountId, name: null, scopes: SCOPES, expiresAt: null }
    await node.keys.create(request, causeAt(node.clock.now), key)
    expect(await node.keys.authenticate(key)).toMatchObject({ accountId })
  })

  test('a revoked key fails on the very next request, in every process that knew it', async () => {
    const accountId = newAccount()
    const { apiKey, keyId } = await make(accountId)
    for (let i = 0; i < 2; i++) {
      expect(await node.keys.authenticate(apiKey)).toMatchObject({ accountId })
      expect(await other.keys.authenticate(apiKey)).toMatchObject({ accountId })
    }
    await node.keys.revoke(keyId, accountId, causeAt(node.clock.now), { even: true })
    expect(await node.keys.authenticate(apiKey)).toBe('revoked-key')
    expect(await other.keys.authenticate(apiKey)).toBe('revoked-key')
  })

  test('a key fails from the moment that it expires', async () => {
    const at = node.clock.now + 60_000
    const { apiKey } = await make(newAccount(), { expiresAt: new Date(at).toISOString() })
    expect(await node.keys.authenticate(apiKey)).toMatchObject({ kind: 'key' })
    const before = node.clock.now
    node.clock.now = at - 1
    expect(await node.keys.authenticate(apiKey)).toMatchObject({ kind: 'key' })
    node.clock.now = at
    expect(await node.keys.authenticate(apiKey)).toBe('expired-key')
    node.clock.now = before
  })
})

describe('the log', () => {
  test('does not contain a key', async () => {
    const { apiKey } = await make(newAccount())
    const text = JSON.stringify(await node.log.readAll(null, 10_000))
    expect(text).not.toContain(apiKey.slice(8, 40))
  })

  test('has one event for a key that was created or revoked twice', async () => {
    const accountId = newAccount()
    const { apiKey, keyId } = await make(accountId)
    const request = { accountId, name: 'again', scopes: ['runs'], expiresAt: null } as const
    const again = await node.keys.create(request, causeAt(node.clock.now), apiKey)
    expect(again.record).toMatchObject({ key_id: keyId, name: 'a', scopes: [...SCOPES] })
    const cause = causeAt(node.clock.now)
    const first = await node.keys.revoke(keyId, accountId, cause, { even: true })
    node.clock.now += 1000
    const second = await other.keys.revoke(keyId, accountId, causeAt(node.clock.now), { even: true })
    expect(second).toEqual(first)
    const events = (await node.log.readAll(null, 10_000)).filter((e) => e.stream === `key-${keyId}`)
    expect(events.map((e) => e.type)).toEqual(['KeyCreated', 'KeyRevoked'])
  })
})

describe('list', () => {
  test('shows keys that were created or revoked just before, newest first, of this account only', async () => {
    const accountId = newAccount()
    const keys = []
    for (let i = 0; i < 3; i++) keys.push(await make(accountId))
    await make(newAccount())
    await node.keys.revoke(keys[1]!.keyId, accountId, causeAt(node.clock.now))
    const listed = await node.keys.list(accountId)
    expect(listed.map((key) => key.key_id as KeyId)).toEqual(keys.map((key) => key.keyId).reverse())
    expect(listed.map((key) => key.revoked_at !== null)).toEqual([false, true, false])
    expect(listed[2]).toEqual(keys[0]!.record)
  })

  test('shows when a key was last used', async () => {
    const accountId = newAccount()
    const { apiKey } = await make(accountId)
    expect((await node.keys.list(accountId))[0]?.last_used_at).toBeNull()
    await node.keys.authenticate(apiKey)
    expect((await node.keys.list(accountId))[0]?.last_used_at).toBe(new Date(node.clock.now).toISOString())
  })

  test('shows every key of an account with more than one page of keys', async () => {
    const accountId = newAccount()
    const keys = await Promise.all(Array.from({ length: 501 }, () => make(accountId)))
    const listed = await node.keys.list(accountId)
    expect(new Set(listed.map((key) => key.key_id as KeyId))).toEqual(new Set(keys.map((key) => key.keyId)))
    expect(listed).toHaveLength(501)
  })
})

test('listing keys fails while the read model lags, instead of showing a stale list', async () => {
  const lagging = await openNode(folder, { waitUntilProjected: async () => false })
  const accountId = newAccount()
  await make(accountId)
  await expect(lagging.keys.list(accountId)).rejects.toThrow(StoreUnavailable)
  await lagging.close()
})

test('the keys that a person created, directly or with other keys, belong to the person and are revoked together', async () => {
  const accountId = newAccount()
  const person = 'per_00000000000000000000000001' as PersonId
  const request = { accountId, name: null, scopes: SCOPES, expiresAt: null }
  const cause = causeAt(node.clock.now)
  const direct = await node.keys.create(request, { ...cause, actor: `person:${person}` })
  const byKey = { ...cause, actor: `key:${direct.record.key_id}` } as const
  const indirect = await node.keys.create({ ...request, madeBy: person }, byKey)
  const theirs = [direct, indirect]
  const others = [await make(accountId), await node.keys.create(request, byKey)]
  const isTheirs = ({ record }: (typeof theirs)[number]) =>
    node.keys.isMadeBy(record.key_id as KeyId, accountId, person)
  expect(await Promise.all([...theirs, ...others].map(isTheirs))).toEqual([true, true, false, false])
  for (const { apiKey } of theirs)
    expect(await node.keys.authenticate(apiKey)).toMatchObject({ madeBy: person })

  await node.keys.revokeMadeBy(accountId, person, cause)
  for (const { apiKey } of theirs) expect(await other.keys.authenticate(apiKey)).toBe('revoked-key')
  for (const { apiKey } of others) expect(await other.keys.authenticate(apiKey)).toMatchObject({ accountId })
})

describe('revoke', () => {
  test('refuses to revoke the last valid admin key of an account', async () => {
    const accountId = newAccount()
    const cause = causeAt(node.clock.now)
    const admin = await make(accountId)
    await make(accountId, { scopes: ['runs'] })
    const soon = await make(accountId, { expiresAt: new Date(node.clock.now + 1000).toISOString() })
    const before = node.clock.now
    node.clock.now += 2000
    expect(await node.keys.revoke(admin.keyId, accountId, cause)).toBe('last-admin-key')
    expect(await node.keys.authenticate(admin.apiKey)).toMatchObject({ accountId })
    node.clock.now = before
    expect(await node.keys.revoke(soon.keyId, accountId, cause)).toMatchObject({ key_id: soon.keyId })
    const second = await make(accountId)
    expect(await node.keys.revoke(admin.keyId, accountId, cause)).toMatchObject({ key_id: admin.keyId })
    expect(await node.keys.revoke(admin.keyId, accountId, cause)).toMatchObject({ key_id: admin.keyId })
    expect(await node.keys.revoke(second.keyId, accountId, cause)).toBe('last-admin-key')
  })

  test('does not find a key of another account', async () => {
    const { keyId, apiKey } = await make(newAccount())
    const cause = causeAt(node.clock.now)
    expect(await node.keys.revoke(keyId, newAccount(), cause)).toBe('not-found')
    expect(await node.keys.authenticate(apiKey)).toMatchObject({ kind: 'key' })
  })
})
