import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkS3Bucket } from '../../src/artifacts/s3/artifacts.ts'
import { sized } from '../../src/artifacts/sized.ts'
import { startFaultyProxy } from '../../test/artifacts/faulty-proxy.ts'
import { openIn, testBucket } from '../../test/artifacts/s3.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { aRun, artifactsContract, read } from './artifacts.ts'
import { storedItemsContract } from './stored-items.ts'

const MIB = 1024 * 1024
const DAY = 86_400_000
const base = temporaryFolder()
const bucket = await testBucket(base)

// A reader holds no file or connection between two pieces: s3-faults.test.ts counts open ones.
artifactsContract('S3', async () => openIn(bucket), base, 100)
storedItemsContract('S3', async () => openIn(bucket))

describe('S3 artifacts', () => {
  test('a working bucket passes the check', async () => {
    expect(await checkS3Bucket(bucket)).toBe(true)
  })

  test('a file of 17 MiB is uploaded in parts, and is read back whole and by range', async () => {
    const store = openIn(bucket, { partBytes: 5 * MIB })
    const body = randomBytes(17 * MIB + 12_345)
    const path = join(base, 'large')
    writeFileSync(path, body)
    const { ref, bytes } = await store.artifacts.putFile(aRun(), 'file', path, store.now + DAY)
    expect(bytes).toBe(body.length)
    const again = await store.reopen()
    const whole = await again.artifacts.open(ref)
    expect(whole?.bytes).toBe(body.length)
    expect(Buffer.compare(await read(await sized(whole!)), body)).toBe(0)
    const [start, end] = [5 * MIB - 3, 11 * MIB + 7]
    const part = await again.artifacts.open(ref, { start, end })
    expect(part?.bytes).toBe(end - start + 1)
    expect(Buffer.compare(await read(part!.body), body.subarray(start, end + 1))).toBe(0)
    again.now = store.now + DAY
    expect(await again.artifacts.open(ref)).toBeUndefined()
    await again.close()
  }, 60_000)

  test('an artifact that was just written or read comes from the cache until it expires', async () => {
    const proxy = await startFaultyProxy(bucket)
    try {
      const [writer, worker] = [openIn(proxy.bucket), openIn(proxy.bucket)]
      const { ref, done } = writer.artifacts.put(aRun(), 'input', '{"query":"x"}', writer.now + DAY)
      await done
      expect(proxy.requests.map((line) => line.slice(0, 3))).toEqual(['PUT'])
      for (let i = 0; i < 3; i++) {
        expect(await writer.artifacts.get(ref)).toBeDefined()
        expect(await worker.artifacts.get(ref)).toBeDefined()
        expect((await worker.artifacts.open(ref, { start: 1, end: 3 }))?.bytes).toBe(3)
      }
      expect(proxy.requests.filter((line) => line.startsWith('GET'))).toHaveLength(1)
      // The cache keeps it no longer than it lives.
      worker.now += DAY
      expect(await worker.artifacts.get(ref)).toBeUndefined()
    } finally {
      await proxy.close()
    }
  })
})
