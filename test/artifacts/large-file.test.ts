/** The S3 store moves large files with constant memory. */
import { expect, test } from 'bun:test'
import { startChild } from '../../rigs/support/child.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { testBucketUrl } from './s3.ts'

const MIB = 1024 * 1024
const base = temporaryFolder()
const url = await testBucketUrl(base)

test('storing and reading a file of 200 MiB never holds the whole file in memory', async () => {
  const child = startChild(new URL('./large-file.ts', import.meta.url), [url, base, '200'])
  const { value } = await child.lines.next()
  expect(await child.ended).toBe(0)
  const { grew, bytes, sha256, came } = JSON.parse(value)
  expect({ bytes, came }).toEqual({ bytes: 200 * MIB, came: sha256 })
  // Parts, their copies on the way to the network, and garbage that is not collected yet.
  expect(grew).toBeLessThan(190 * MIB)
}, 120_000)
