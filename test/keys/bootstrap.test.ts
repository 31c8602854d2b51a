/** The first start on an empty store. */
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '../../src/config.ts'
import { CANARY_ACCOUNT_ID } from '../../src/domain/health/canary.ts'
import { newAccountId } from '../../src/domain/ids.ts'
import { SCOPES } from '../../src/domain/roles.ts'
import { newApiKey } from '../../src/keys/api-key.ts'
import { type BootstrapOptions, bootstrap, DEFAULT_ACCOUNT } from '../../src/keys/bootstrap.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { Keyring } from '../../src/vault/keyring.ts'
import { causeAt, type Node, openNode } from './stores.ts'

/** Runs a test on new, empty stores. */
async function onEmptyStore(work: (node: Node, folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-bootstrap-'))
  const node = await openNode(folder)
  try {
    await work(node, folder)
  } finally {
    await node.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const secrets = new Keyring({
  vaultKey: Buffer.alloc(32, 7).toString('base64'),
  vaultKeyOld: null,
  dataDir: '/nowhere',
})
const start = (
  { log, accounts, keys, ephemeral, now }: Node,
  key: string | null = null,
  options: Partial<BootstrapOptions> = {},
) => bootstrap({ log, accounts, keys, ephemeral, secrets, key, credits: 1000, now, ...options })
const types = async ({ log }: Node) => (await log.readAll(null, 100)).map((event) => event.type)
const accountOf = (node: Node) => node.accounts.state(DEFAULT_ACCOUNT)

test('an empty store gets the account "default" with its credits and one key with all scopes', () =>
  onEmptyStore(async (node) => {
    const key = await start(node)
    expect(await node.keys.authenticate(key!)).toMatchObject({ accountId: DEFAULT_ACCOUNT, scopes: SCOPES })
    expect(await accountOf(node)).toMatchObject({ status: 'open', name: 'default', balance: 1000 })
    expect(await types(node)).toEqual(['AccountOpened', 'CreditsGranted', 'KeyCreated'])
  }))

test('later starts change nothing and show the same key until it is used', () =>
  onEmptyStore(async (node) => {
    const key = await start(node)
    expect(key).not.toBeNull()
    expect(await start(node)).toBe(key)
    expect(await start(node, newApiKey())).toBeNull()
    await node.keys.authenticate(key!)
    expect(await start(node)).toBeNull()
    expect(await types(node)).toHaveLength(3)
  }))

test('a key whose time of use was lost is not shown again once the log holds anything that a client did', () =>
  onEmptyStore(async (node) => {
    await start(node)
    const request = { accountId: DEFAULT_ACCOUNT, name: 'second', scopes: SCOPES, expiresAt: null }
    await node.keys.create(request, causeAt(node.clock.now))
    expect(await start(node)).toBeNull()
  }))

test('a key is still shown when only the canary has used the service', () =>
  onEmptyStore(async (node) => {
    const key = await start(node)
    const cause = { ...causeAt(node.clock.now), accountId: CANARY_ACCOUNT_ID }
    await node.accounts.handle(
      { type: 'open', accountId: CANARY_ACCOUNT_ID, name: 'canary', credits: 0 },
      cause,
    )
    expect(await start(node)).toBe(key)
  }))

test('a start that cannot read when the key was used shows no key', () =>
  onEmptyStore(async (node) => {
    await start(node)
    const ephemeral = { lastUsed: () => Promise.reject(new StoreUnavailable('away')) }
    expect(await start(node, null, { ephemeral })).toBeNull()
  }))

test("the log and another service's vault key do not reveal the first key", () =>
  onEmptyStore(async (node) => {
    await start(node)
    const other = new Keyring({
      vaultKey: Buffer.alloc(32, 8).toString('base64'),
      vaultKeyOld: null,
      dataDir: '/nowhere',
    })
    expect(await start(node, null, { secrets: other })).toBeNull()
  }))

test("a log that begins with another program's stream gets no key and no event, and the reason is given", () =>
  onEmptyStore(async (node) => {
    const accountId = newAccountId(node.clock.now, new Uint8Array(10))
    const cause = { ...causeAt(node.clock.now), accountId }
    await node.accounts.handle({ type: 'open', accountId, name: 'other', credits: 1 }, cause)
    const reasons: string[] = []
    expect(await start(node, null, { onForeign: (reason) => reasons.push(reason) })).toBeNull()
    expect(reasons).toEqual([expect.stringContaining(`account-${accountId}`)])
    expect(await types(node)).toEqual(['AccountOpened', 'CreditsGranted'])
  }))

test('a first start that was interrupted before its key was created is completed by the next one', () =>
  onEmptyStore(async (node) => {
    const accountId = DEFAULT_ACCOUNT
    const cause = { ...causeAt(node.clock.now), accountId }
    await node.accounts.handle({ type: 'open', accountId, name: 'default', credits: 1000 }, cause)
    const key = await start(node)
    expect(await node.keys.authenticate(key!)).toMatchObject({ accountId })
    expect(await types(node)).toEqual(['AccountOpened', 'CreditsGranted', 'KeyCreated'])
  }))

test('BOOTSTRAP_KEY becomes the first key and is not shown', () =>
  onEmptyStore(async (node) => {
    const key = newApiKey()
    expect(await start(node, key)).toBeNull()
    expect(await node.keys.authenticate(key)).toMatchObject({ accountId: DEFAULT_ACCOUNT, scopes: SCOPES })
  }))

test('a malformed BOOTSTRAP_KEY fails the start, is not shown, and writes nothing', () =>
  onEmptyStore(async (node) => {
    const key = newApiKey()
    for (const wrong of ['secret-word', `${key.slice(0, -6)}AAAAAA`, `${key}x`]) {
      const error = await start(node, wrong).catch((caught: unknown) => caught)
      expect(error).toBeInstanceOf(ConfigError)
      expect((error as Error).message).toContain('BOOTSTRAP_KEY')
      expect((error as Error).message).not.toContain(wrong)
    }
    expect(await types(node)).toEqual([])
  }))

test('a store that already holds a key is left alone', () =>
  onEmptyStore(async (node) => {
    const { apiKey } = await node.keys.create(
      { accountId: DEFAULT_ACCOUNT, name: null, scopes: SCOPES, expiresAt: null },
      causeAt(node.clock.now),
    )
    expect(await start(node)).toBeNull()
    expect(await node.keys.authenticate(apiKey)).toMatchObject({ kind: 'key' })
    expect(await types(node)).toEqual(['KeyCreated'])
  }))

test('two processes that start concurrently open one account with one working key', () =>
  onEmptyStore(async (node, folder) => {
    const other = await openNode(folder)
    try {
      const [key, same] = await Promise.all([start(node), start(other)])
      expect(same).toBe(key!)
      expect(await node.keys.authenticate(key!)).toMatchObject({ accountId: DEFAULT_ACCOUNT })
      expect(await accountOf(node)).toMatchObject({ balance: 1000 })
      const alive = (await node.keys.list(DEFAULT_ACCOUNT)).filter((key) => key.revoked_at === null)
      expect(alive).toHaveLength(1)
    } finally {
      await other.close()
    }
  }))
