/**
 * Two APIs, two workers and a projector as processes on shared stores. They start before the tests of the file that
 * imports this, and end after them.
 *
 * @module
 */
import { afterAll, beforeAll, expect } from 'bun:test'
import { testBucketUrl } from '../../../test/artifacts/s3.ts'
import { endAll } from '../../servers/processes.ts'
import { hasRedis, redisServers, type TestRedis } from '../../servers/redis.ts'
import { client, folder, OPERATOR_KEY } from '../../servers/server.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { type Node, type Stores, startNodes, startStores } from './nodes.ts'

const servers = redisServers()
const s3Url = await testBucketUrl(temporaryFolder())
const SETTINGS = { LEASE_S: '5', WEBHOOK_ALLOW_HOSTS: '127.0.0.1' }

export const data = folder()
/** Two APIs, two workers and the projector. */
export const nodes: Node[] = []
let started: { readonly stores: Stores; readonly redis: TestRedis } | undefined
/** The stores, once the tests run. */
export const shared = () => started!

if (hasRedis) {
  beforeAll(async () => {
    const redis = await servers.start()
    const stores = await startStores(data.path, redis, s3Url)
    started = { stores, redis }
    nodes.push(...(await startNodes(stores, ['api', 'api', 'worker', 'worker', 'projector'], SETTINGS)))
  }, 60_000)
  afterAll(async () => {
    await endAll()
    await started?.stores.close()
    data.remove()
  }, 60_000)
}

/** The address of a node. */
export const addressOf = (i: number): string => nodes[i]?.address ?? ''
/** Clients with a key at both APIs. */
export const withKey = (key: string) => [client(addressOf(0), key), client(addressOf(1), key)] as const

/** Opens an account, with its first key. */
export async function openAccount(limits: object = {}): Promise<{ id: string; key: string }> {
  const operator = client(addressOf(0), OPERATOR_KEY)
  const { body } = await operator('/admin/accounts', { name: 'other', credits: 10_000 })
  const { status } = await operator('/admin/set-entitlements', { account_id: body.account_id, limits })
  expect(status).toBe(200)
  return { id: body.account_id, key: body.api_key }
}
