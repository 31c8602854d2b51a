/** The S3 store when its server or the network fails: acknowledged writes are durable, and no read is truncated. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { existsSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aRun, read, sweepAll } from '../../rigs/contract/artifacts.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { checkS3Bucket } from '../../src/artifacts/s3/artifacts.ts'
import { PATIENCE } from '../../src/artifacts/s3/client.ts'
import { ConfigError } from '../../src/config.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { openIn, testBucket } from './s3.ts'

const MIB = 1024 * 1024
const DAY = 86_400_000
const base = temporaryFolder()
const direct = await testBucket(base)
const proxy = await startFaultyProxy(direct)
afterAll(() => proxy.close())

const failures: unknown[] = []
/** A store as in a separate process. */
const opened = (bucket = proxy.bucket) =>
  openIn(bucket, { onFailure: (error) => failures.push(error), partBytes: 5 * MIB, patience: PATIENCE })
/** The same with long timeouts, for tests in which nothing hangs: the machine may be busy. */
const patient = (bucket = proxy.bucket) => openIn(bucket, { onFailure: (error) => failures.push(error) })
/** The bucket with an empty prefix. */
const emptyBucket = () => ({
  ...proxy.bucket,
  prefix: `${proxy.bucket.prefix}${randomBytes(4).toString('hex')}/`,
})
const aFile = (body: Uint8Array) => {
  const path = join(base, randomBytes(8).toString('hex'))
  writeFileSync(path, body)
  return path
}
const requestsLike = (pattern: RegExp) => proxy.requests.filter((line) => pattern.test(line))
const isArtifact = (path: string) => path.includes('/artifacts/')

beforeEach(() => {
  failures.length = 0
  proxy.requests.length = 0
  proxy.fault = () => undefined
})

/** Stores an artifact through the proxy and returns its ref, for use by another process. */
async function stored(body: Uint8Array, expiresIn = DAY): Promise<string> {
  const store = patient()
  const { ref, done } = store.artifacts.put(aRun(), 'result', body, store.now + expiresIn)
  await done
  return ref
}

describe('a write', () => {
  test.each([
    ['is dropped', 'drop'],
    ['meets a 503', { status: 503, code: 'SlowDown' }],
    ['meets a 500', { status: 500 }],
    ['loses its answer', 'lose-answer'],
  ] as const)('that %s twice is retried until it is stored', async (_, fault) => {
    proxy.fault = ({ method, before }) => (method === 'PUT' && before < 2 ? fault : undefined)
    const body = randomBytes(1000)
    const ref = await stored(body)
    expect(failures.length).toBeGreaterThanOrEqual(2)
    expect(Buffer.compare((await patient().artifacts.get(ref)) ?? Buffer.of(), body)).toBe(0)
  })

  test('that is never answered fails with StoreUnavailable within two seconds, and is not readable', async () => {
    proxy.fault = ({ method, path }) => (method === 'PUT' && isArtifact(path) ? 'hang' : undefined)
    const store = opened()
    const started = performance.now()
    const { ref, done } = store.artifacts.put(aRun(), 'input', 'x', store.now + DAY)
    await expect(done).rejects.toThrow(StoreUnavailable)
    expect(performance.now() - started).toBeLessThan(2000)
    expect(requestsLike(/^PUT .*artifacts/).length).toBeGreaterThan(1)
    proxy.fault = () => undefined
    expect(await store.artifacts.get(ref)).toBeUndefined()
  }, 60_000)

  test('that is refused permanently fails at once and is not retried', async () => {
    proxy.fault = () => ({ status: 403, code: 'AccessDenied' })
    const store = opened()
    const { done } = store.artifacts.put(aRun(), 'input', 'x', store.now + DAY)
    await expect(done).rejects.toThrow(/403 \(AccessDenied\)/)
    await expect(done).rejects.toThrow(StoreUnavailable)
    expect(requestsLike(/^PUT .*artifacts/)).toHaveLength(1)
  })
})

describe('a read', () => {
  test('that is cut in the middle is retried and is complete', async () => {
    const body = randomBytes(MIB)
    const ref = await stored(body)
    proxy.fault = ({ method, before }) => (method === 'GET' && before < 2 ? { cutAfter: 100_000 } : undefined)
    expect(Buffer.compare((await patient().artifacts.get(ref)) ?? Buffer.of(), body)).toBe(0)
    expect(failures).toHaveLength(2)
  })

  test('that is always cut fails with StoreUnavailable and is never truncated', async () => {
    const ref = await stored(randomBytes(MIB))
    proxy.fault = () => ({ cutAfter: 100_000 })
    await expect(opened().artifacts.get(ref)).rejects.toThrow(StoreUnavailable)
  }, 60_000)

  test('that stalls in the middle is retried', async () => {
    const body = randomBytes(MIB)
    const ref = await stored(body)
    proxy.fault = ({ method, before }) =>
      method === 'GET' && before === 0 ? { cutAfter: 100_000, quiet: true } : undefined
    expect(Buffer.compare((await opened().artifacts.get(ref)) ?? Buffer.of(), body)).toBe(0)
  }, 60_000)

  test('as a stream continues after a cut', async () => {
    const body = randomBytes(2.5 * MIB)
    const ref = await stored(body)
    proxy.fault = ({ method, before }) =>
      method === 'GET' && before === 1 ? { cutAfter: 100_000 } : undefined
    const stream = await patient().artifacts.open(ref)
    expect(Buffer.compare(await read(stream!.body), body)).toBe(0)
    expect(failures).toHaveLength(1)
  })

  test('as a stream fails with an error instead of ending early when the store is gone', async () => {
    const body = randomBytes(2.5 * MIB)
    const ref = await stored(body)
    const { bytes, body: stream } = (await opened().artifacts.open(ref))!
    expect(bytes).toBe(2.5 * MIB)
    proxy.fault = () => 'drop'
    await expect(read(stream)).rejects.toThrow(StoreUnavailable)
  }, 60_000)

  test('of a missing bucket fails and is not mistaken for a missing artifact', async () => {
    const ref = await stored(randomBytes(10))
    proxy.fault = () => ({ status: 404, code: 'NoSuchBucket' })
    await expect(opened().artifacts.get(ref)).rejects.toThrow(/NoSuchBucket/)
    await expect(opened().artifacts.open(ref)).rejects.toThrow(/NoSuchBucket/)
  })

  test('of other bytes than those stored fails', async () => {
    const ref = await stored(randomBytes(10))
    proxy.fault = ({ method }) => (method === 'GET' ? { status: 200, body: 'something else' } : undefined)
    await expect(opened().artifacts.get(ref)).rejects.toThrow(StoreUnavailable)
  })

  test('leaves no connection open, whether its stream is read or not', async () => {
    const ref = await stored(randomBytes(2.5 * MIB))
    const store = opened()
    for (let i = 0; i < 20; i++) {
      const reader = (await store.artifacts.open(ref))!.body.getReader()
      await reader.read()
      if (i % 2 === 0) await reader.read()
      if (i % 3 === 0) await reader.cancel()
    }
    // Only connections kept alive for the next request remain.
    expect(await proxy.connections()).toBeLessThanOrEqual(2)
  })
})

describe('a large file', () => {
  /** Two parts: only the last part may be smaller than 5 MiB. */
  const body = randomBytes(6 * MIB)

  test('whose upload fails in the middle stays on disk, and its upload is aborted', async () => {
    proxy.fault = ({ query, method }) => {
      // s3rver cannot abort an upload.
      if (method === 'DELETE' && query.has('uploadId')) return { status: 204 }
      return query.get('partNumber') === '2' ? { status: 403, code: 'AccessDenied' } : undefined
    }
    const store = opened()
    const path = aFile(body)
    await expect(store.artifacts.putFile(aRun(), 'file', path, store.now + DAY)).rejects.toThrow(/403/)
    expect(existsSync(path)).toBe(true)
    expect(requestsLike(/^DELETE .*\?uploadId/)).toHaveLength(1)
    expect(requestsLike(/^POST .*\?uploadId/)).toHaveLength(0)
  })

  test.each([
    [
      'a dropped part',
      ({ query, before }: { query: URLSearchParams; before: number }) =>
        query.has('partNumber') && before < 2 ? 'drop' : undefined,
    ],
    [
      'a lost answer to the completion',
      ({ query, method }: { query: URLSearchParams; method: string }) => {
        if (method !== 'POST' || !query.has('uploadId')) return undefined
        // s3rver answers 500 to a repeated completion; S3 answers 404.
        return requestsLike(/^POST .*\?uploadId/).length === 1
          ? 'lose-answer'
          : { status: 404, code: 'NoSuchUpload' }
      },
    ],
    [
      'a completion answered 200 with an error',
      ({ query, method, before }: { query: URLSearchParams; method: string; before: number }) =>
        method === 'POST' && query.has('uploadId') && before === 0
          ? { status: 200, code: 'InternalError' }
          : undefined,
    ],
  ] as const)('survives %s', async (_, fault) => {
    proxy.fault = fault
    const store = opened()
    const { ref, bytes } = await store.artifacts.putFile(aRun(), 'file', aFile(body), store.now + DAY)
    expect(bytes).toBe(body.length)
    expect(failures.length).toBeGreaterThan(0)
    expect(Buffer.compare((await store.artifacts.get(ref)) ?? Buffer.of(), body)).toBe(0)
  })

  test('that changes while it is stored fails and is never completed', async () => {
    for (const change of [
      (path: string) => truncateSync(path, 3 * MIB),
      (path: string) => writeFileSync(path, randomBytes(6 * MIB)),
    ]) {
      const path = aFile(body)
      proxy.requests.length = 0
      proxy.fault = ({ method, query }) => {
        if (method === 'DELETE') return { status: 204 }
        if (query.has('uploads')) change(path)
        return undefined
      }
      const store = opened()
      await expect(store.artifacts.putFile(aRun(), 'file', path, store.now + DAY)).rejects.toThrow(/changed/)
      expect(requestsLike(/^POST .*\?uploadId/)).toHaveLength(0)
    }
  })
})

test('a check succeeds if the store answers, and fails with StoreUnavailable if it does not', async () => {
  await patient().artifacts.check?.()
  expect(requestsLike(/^HEAD/)).toHaveLength(1)
  proxy.fault = () => ({ status: 503, code: 'SlowDown' })
  await expect(opened().artifacts.check?.()).rejects.toThrow(StoreUnavailable)
})

describe('a sweep', () => {
  test('asks only for objects that may have expired, and lists the bucket again only after the interval', async () => {
    const bucket = emptyBucket()
    const { artifacts, now } = openIn(bucket, { leastAgeMs: DAY, sweepEveryMs: 3_600_000 })
    const { ref, done } = artifacts.put(aRun(), 'input', 'x', now + DAY + 120_000)
    await done
    proxy.requests.length = 0
    expect(await artifacts.sweep(now)).toBe(0)
    expect(proxy.requests).toEqual(['GET /?list-type&prefix&max-keys'])
    expect(await artifacts.sweep(now + 3_599_999)).toBe(0)
    expect(proxy.requests).toHaveLength(1)
    // Old enough to have expired, but not expired: only the object's own metadata tells.
    expect(await artifacts.sweep(now + DAY + 60_000)).toBe(0)
    expect(requestsLike(/^HEAD/)).toHaveLength(1)
    expect(await artifacts.sweep(now + 2 * DAY)).toBe(1)
    expect(await opened(bucket).artifacts.get(ref)).toBeUndefined()
  })

  test('deletes a capture after a week, though other objects are kept longer', async () => {
    const { artifacts, now } = openIn(emptyBucket(), { leastAgeMs: 30 * DAY })
    for (const name of ['capture', 'input']) await artifacts.put(aRun(), name, 'x', now + 7 * DAY).done
    proxy.requests.length = 0
    expect(await artifacts.sweep(now + 7 * DAY + 60_000)).toBe(1)
    expect(requestsLike(/^HEAD/)).toHaveLength(1)
  })

  test('continues at the page that failed', async () => {
    const bucket = emptyBucket()
    const store = patient(bucket)
    await Promise.all(
      Array.from({ length: 210 }, () => store.artifacts.put(aRun(), 'input', 'x', store.now - 1).done),
    )
    proxy.fault = ({ query }) =>
      query.has('start-after') ? { status: 403, code: 'AccessDenied' } : undefined
    expect(await store.artifacts.sweep(store.now)).toBe(200)
    await expect(store.artifacts.sweep(store.now)).rejects.toThrow(StoreUnavailable)
    proxy.fault = () => undefined
    expect(await sweepAll(store.artifacts, store.now)).toBe(10)
  }, 60_000)

  test('of a large bucket ends after the current page when it is stopped', async () => {
    const bucket = emptyBucket()
    const store = patient(bucket)
    await Promise.all(
      Array.from({ length: 210 }, () => store.artifacts.put(aRun(), 'input', 'x', store.now + DAY).done),
    )
    proxy.requests.length = 0
    expect(await store.artifacts.sweep(store.now, AbortSignal.abort())).toBe(0)
    expect(requestsLike(/^GET/)).toHaveLength(1)
  }, 60_000)

  test('by several workers concurrently deletes all expired artifacts and no other', async () => {
    const bucket = emptyBucket()
    const store = patient(bucket)
    const lives = store.artifacts.put(aRun(), 'result', 'lives', store.now + DAY)
    const goes = Array.from({ length: 40 }, () => store.artifacts.put(aRun(), 'input', 'goes', store.now + 1))
    await Promise.all([lives, ...goes].map(({ done }) => done))
    const workers = [patient(bucket), patient(bucket), patient(bucket)]
    const counts = await Promise.all(workers.map(({ artifacts }) => sweepAll(artifacts, store.now + 1)))
    expect(counts.reduce((a, b) => a + b)).toBeGreaterThanOrEqual(40)
    const reader = patient(bucket)
    reader.now = store.now
    for (const { ref } of goes) expect(await reader.artifacts.get(ref)).toBeUndefined()
    expect(await reader.artifacts.get(lives.ref)).toBeDefined()
  }, 60_000)
})

describe('the check of a bucket at the start', () => {
  test('accepts a working bucket', async () => {
    expect(await checkS3Bucket(proxy.bucket)).toBe(true)
  })

  test('tolerates an unavailable store', async () => {
    proxy.fault = () => ({ status: 503, code: 'SlowDown' })
    expect(await checkS3Bucket(proxy.bucket)).toBe(false)
    proxy.fault = () => 'drop'
    expect(await checkS3Bucket(proxy.bucket)).toBe(false)
  }, 60_000)

  test('names the wrong setting and shows no secret', async () => {
    const wrongKey = { ...direct, accessKeyId: 'NOBODY', secretAccessKey: 'hush-secret' }
    const checked = checkS3Bucket(wrongKey)
    await expect(checked).rejects.toThrow(ConfigError)
    await expect(checked).rejects.toThrow(/credentials.*InvalidAccessKeyId/)
    await expect(checked).rejects.not.toThrow(/hush-secret/)
    const gone = { ...direct, address: direct.address.replace(/\/[^/]+$/, '/no-such-bucket') }
    await expect(checkS3Bucket(gone)).rejects.toThrow(/does not exist/)
    proxy.fault = () => ({ status: 301, code: 'PermanentRedirect' })
    await expect(checkS3Bucket(proxy.bucket)).rejects.toThrow(/region/)
  })
})
