/** Large files pass through the S3 store with flat memory. */
import { expect, test } from 'bun:test'
import { startChild } from '../support/child.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { testBucketUrl } from './s3.ts'

const MIB = 1024 * 1024
const base = temporaryFolder()
const url = await testBucketUrl(base)

test('a file of 200 MiB is never in memory as a whole, on its way in and out', async () => {
  const child = startChild(new URL('./large-file.ts', import.meta.url), [url, base, '200'])
  const { value } = await child.lines.next()
  expect(await child.ended).toBe(0)
  const { grew, bytes, sha256, came } = JSON.parse(value)
  expect({ bytes, came }).toEqual({ bytes: 200 * MIB, came: sha256 })
  // Parts, their copies on the way to the network, and what the garbage collector has not taken back yet.
  expect(grew).toBeLessThan(160 * MIB)
}, 120_000)
