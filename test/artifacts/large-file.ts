/**
 * Moves a large file into the S3 store and streams it back. Prints JSON on stdout: by how many bytes this process grew
 * at its peak, and the hashes of the sent and the received content.
 *
 * Arguments: the bucket's address with credentials, a folder for files, the file's size in MiB.
 *
 * @module
 */
import { createHash, randomBytes } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { S3Artifacts } from '../../src/artifacts/s3/artifacts.ts'
import { readS3Bucket } from '../../src/artifacts/s3/settings.ts'
import { newRunId } from '../../src/domain/ids.ts'

const [url = '', folder = '', size = '0'] = process.argv.slice(2)
const MIB = 1024 * 1024
const path = join(folder, 'large')
const block = randomBytes(MIB)
for (let i = 0; i < Number(size); i++) {
  block.writeUInt32LE(i)
  appendFileSync(path, block)
}

const artifacts = new S3Artifacts({ bucket: readS3Bucket(url, {}), now: Date.now, leastAgeMs: 0 })
const run = newRunId(Date.now(), randomBytes(10))
// Code that the first requests load does not count as growth.
await artifacts.put(run, 'input', randomBytes(MIB), Date.now() + 600_000).done
const before = process.memoryUsage().rss
let peak = before
const timer = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().rss)
}, 20)

const stored = await artifacts.putFile(run, 'file', path, Date.now() + 600_000)
const opened = await artifacts.open(stored.ref)
const hash = createHash('sha256')
let bytes = 0
for await (const chunk of opened?.body ?? []) {
  hash.update(chunk)
  bytes += chunk.byteLength
}
clearInterval(timer)
const { sha256 } = stored
process.stdout.write(`${JSON.stringify({ grew: peak - before, bytes, sha256, came: hash.digest('hex') })}\n`)
