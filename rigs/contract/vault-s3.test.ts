import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { S3Client } from '../../src/artifacts/s3/client.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import type { VaultObjects } from '../../src/vault/objects.ts'
import { openS3Vault } from '../../src/vault/s3.ts'
import { type FaultyProxy, startFaultyProxy } from '../../test/artifacts/faulty-proxy.ts'
import { openIn, testBucket } from '../../test/artifacts/s3.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { aRun, sweepAll } from './artifacts.ts'
import { aKey, vaultObjectsContract } from './vault-objects.ts'

const bucket = await testBucket(temporaryFolder())
const DAY = 86_400_000

// Small pages, so that lists need several of them.
vaultObjectsContract('S3', async () => openS3Vault({ bucket, pageKeys: 3 }))

/** A vault behind a proxy: the test sees its requests and can answer them with faults. */
async function throughProxy(use: (proxy: FaultyProxy, vault: VaultObjects) => Promise<void>): Promise<void> {
  const proxy = await startFaultyProxy(bucket)
  try {
    await use(proxy, openS3Vault({ bucket: proxy.bucket }))
  } finally {
    await proxy.close()
  }
}

describe('the vault in a bucket', () => {
  test('lies below its own prefix, and a sweep of artifacts does not touch it', async () => {
    const vault = openS3Vault({ bucket })
    const store = openIn(bucket)
    const [key, body] = [aKey(), randomBytes(500)]
    await vault.put(key, body)
    const { ref, done } = store.artifacts.put(aRun(), 'result', 'x', store.now + 1000)
    await done
    store.now += 1000 * DAY
    expect(await sweepAll(store.artifacts, store.now)).toBeGreaterThan(0)
    expect(await store.artifacts.get(ref)).toBeUndefined()
    expect(Buffer.compare((await vault.get(key))!, body)).toBe(0)
    const { body: listed } = await new S3Client(bucket, () => {}).send({
      method: 'GET',
      query: { 'list-type': '2', prefix: `${bucket.prefix}vault/${key}` },
    })
    expect(Buffer.from(listed).toString()).toContain(key)
    await store.close()
  })

  test('create fails on a 412, and is retried without the condition on a 501', () =>
    throughProxy(async (proxy, vault) => {
      const key = aKey()
      proxy.fault = ({ method, headers }) =>
        method === 'PUT' && headers['if-none-match'] === '*'
          ? { status: 412, code: 'PreconditionFailed' }
          : undefined
      expect(await vault.create(key, randomBytes(20))).toBe(false)
      expect(await vault.get(key)).toBeUndefined()
      proxy.fault = ({ headers }) =>
        headers['if-none-match'] === undefined ? undefined : { status: 501, code: 'NotImplemented' }
      expect(await vault.create(key, randomBytes(20))).toBe(true)
      expect(await vault.get(key)).toHaveLength(20)
    }))

  test('replace writes with If-Match and the ETag of the object', () =>
    throughProxy(async (proxy, vault) => {
      const [key, body] = [aKey(), randomBytes(20)]
      await vault.put(key, randomBytes(10))
      let condition: unknown
      proxy.fault = ({ method, headers }) => {
        if (method === 'PUT') condition = headers['if-match']
        return undefined
      }
      expect(await vault.replace(key, body)).toBe(true)
      expect(condition).toMatch(/^"[0-9a-f]{32}"$/)
      expect(Buffer.compare((await vault.get(key))!, body)).toBe(0)
    }))

  test.each([404, 412])('replace writes nothing when the store answers %d to the condition', (status) =>
    throughProxy(async (proxy, vault) => {
      const [key, body] = [aKey(), randomBytes(20)]
      await vault.put(key, body)
      proxy.fault = ({ method }) => (method === 'PUT' ? { status, code: 'Said' } : undefined)
      expect(await vault.replace(key, randomBytes(20))).toBe(false)
      expect(Buffer.compare((await vault.get(key))!, body)).toBe(0)
    }),
  )

  test('replace is retried without the condition when the store answers 501', () =>
    throughProxy(async (proxy, vault) => {
      const [key, body] = [aKey(), randomBytes(20)]
      await vault.put(key, randomBytes(20))
      proxy.fault = ({ headers }) =>
        headers['if-match'] === undefined ? undefined : { status: 501, code: 'NotImplemented' }
      expect(await vault.replace(key, body)).toBe(true)
      expect(Buffer.compare((await vault.get(key))!, body)).toBe(0)
    }))

  test('an unreachable bucket fails with StoreUnavailable', async () => {
    const away = openS3Vault({
      bucket: { ...bucket, address: 'http://127.0.0.1:1/bucket' },
      onFailure: () => {},
    })
    await expect(away.get(aKey())).rejects.toThrow(StoreUnavailable)
    await expect(away.put(aKey(), randomBytes(1))).rejects.toThrow(StoreUnavailable)
    await expect(away.list(aKey())).rejects.toThrow(StoreUnavailable)
  }, 60_000)
})
