/**
 * One round through the S3 store, on whatever runtime this runs: put, get, a range, a file in parts, what a client
 * sees of it, expiry. Says `done` on stdout at its end.
 *
 * Arguments: the bucket's address with credentials, a folder for files.
 *
 * @module
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkS3Bucket, openS3Artifacts } from '../../src/artifacts/s3/artifacts.ts'
import { readS3Bucket } from '../../src/artifacts/s3/settings.ts'
import { sized } from '../../src/artifacts/sized.ts'
import { newRunId } from '../../src/domain/ids.ts'

const [url = '', folder = ''] = process.argv.slice(2)
const MIB = 1024 * 1024
const bucket = readS3Bucket(url, {})
let now = Date.now()
const open = () =>
  openS3Artifacts({ bucket, now: () => now, partBytes: 5 * MIB, leastAgeMs: -60_000, sweepEveryMs: 0 })
const aRun = () => newRunId(Date.now(), randomBytes(10))
const bytesOf = async (stream: ReadableStream<Uint8Array>) =>
  new Uint8Array(await new Response(stream).arrayBuffer())
const same = (a: Uint8Array | undefined, b: Uint8Array) => assert.equal(a && Buffer.compare(a, b), 0)

assert.equal(await checkS3Bucket(bucket), true)

const [writer, reader] = [open(), open()]
for (const size of [0, 10, 300_000, 5 * MIB]) {
  const body = randomBytes(size)
  const { ref, bytes, done } = writer.put(aRun(), 'result', body, now + 60_000)
  await done
  assert.equal(bytes, size)
  same(await reader.get(ref), body)
  const part = await open().open(ref, { start: 5, end: 299_999 })
  assert.ok(part)
  same(await bytesOf(part.body), body.subarray(5, 300_000))
}

const body = randomBytes(17 * MIB + 1)
const path = join(folder, 'round')
writeFileSync(path, body)
const stored = await writer.putFile(aRun(), 'file', path, now + 60_000)
assert.equal(existsSync(path), false)
const opened = await reader.open(stored.ref)
assert.ok(opened)
assert.equal(opened.bytes, body.length)
same(await bytesOf(await sized(opened)), body)

// Readers that leave in the middle.
for (let i = 0; i < 30; i++) await (await reader.open(stored.ref))?.body.getReader().read()

now += 60_000
assert.equal(await reader.open(stored.ref), undefined)
let deleted = 0
for (let some = 1; some > 0; deleted += some) some = await writer.sweep(now)
assert.equal(deleted, 5)
await writer.close()
process.stdout.write('done\n')
