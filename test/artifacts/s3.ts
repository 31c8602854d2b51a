/**
 * A bucket for tests: on an S3 server that is started for them, or at S3_TEST_URL with credentials from the
 * environment. Each test file uses its own prefix, so the bucket may hold other objects.
 *
 * @module
 */
import { afterAll } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenedArtifacts } from '../../rigs/contract/artifacts.ts'
import { startChild } from '../../rigs/support/child.ts'
import { S3Artifacts, type S3ArtifactsOptions } from '../../src/artifacts/s3/artifacts.ts'
import { readS3Bucket, type S3Bucket } from '../../src/artifacts/s3/settings.ts'

/** Whether the tests use an external server, which supports more than s3rver. */
export const isForeign = process.env.S3_TEST_URL !== undefined

/** The URL of a bucket with a new prefix and credentials. The server is stopped after the test file. */
export async function testBucketUrl(base: string): Promise<string> {
  const prefix = `t${randomBytes(6).toString('hex')}`
  const url = process.env.S3_TEST_URL
  if (url !== undefined) return `${url}/${prefix}`
  const directory = join(base, 's3')
  mkdirSync(directory, { recursive: true })
  const child = startChild(new URL('./s3-server.ts', import.meta.url), [directory])
  afterAll(async () => {
    child.process.kill('SIGKILL')
    await child.ended
  }, 60_000)
  const { value: port } = await child.lines.next()
  return `http://S3RVER:S3RVER@127.0.0.1:${port}/gleaner/${prefix}`
}

export const testBucket = async (base: string): Promise<S3Bucket> =>
  readS3Bucket(await testBucketUrl(base), process.env)

/** The test server is a separate process on a machine that may be busy. */
const LONG = { tryMs: 15_000, limitMs: 25_000 }

/** Opens artifacts in a bucket, with a clock that the test sets. */
export function openIn(bucket: S3Bucket, options: Partial<S3ArtifactsOptions> = {}): OpenedArtifacts {
  const store: OpenedArtifacts = {
    now: Date.now(),
    artifacts: new S3Artifacts({
      bucket,
      now: () => store.now,
      patience: LONG,
      // The tests' clocks stand still while the server's clock runs.
      leastAgeMs: -86_400_000,
      sweepEveryMs: 0,
      ...options,
    }),
    close: () => store.artifacts.close(),
    reopen: async () => {
      await store.close()
      return openIn(bucket, options)
    },
  }
  return store
}
