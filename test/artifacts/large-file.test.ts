/** The S3 store holds one part of a large file in memory, however slow the bucket or the reader is. */
import { afterAll, beforeEach, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { aRun } from '../../rigs/contract/artifacts.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { openIn, testBucket } from './s3.ts'

const MIB = 1024 * 1024
/** The smallest part that all stores accept. */
const PART = 5 * MIB
/** The largest piece that a download asks for. */
const PIECE = 2 * MIB
const base = temporaryFolder()
const proxy = await startFaultyProxy(await testBucket(base))
afterAll(() => proxy.close())
beforeEach(() => {
  proxy.fault = () => undefined
})
const content = randomBytes(12 * MIB)
const partOf = (n: number) => content.subarray(n * PART, (n + 1) * PART)
const path = join(base, 'large')

/** Stores the file. */
const store = () =>
  openIn(proxy.bucket, { partBytes: PART, onFailure: () => {} }).artifacts.putFile(
    aRun(),
    'file',
    path,
    Date.now() + 600_000,
  )

test('a part of a file is read when the part before it has been sent', async () => {
  writeFileSync(path, content)
  const file = openSync(path, 'r+')
  const write = (part: number, bytes: Uint8Array) => void writeSync(file, bytes, 0, bytes.length, part * PART)
  proxy.fault = ({ method, query, before }) => {
    // The file was measured. What is read from now on is wrong, except for the first part.
    if (query.has('uploads')) for (const part of [1, 2]) write(part, new Uint8Array(partOf(part).length))
    if (method !== 'PUT') return undefined
    // Each part is sent twice, and only then the next one becomes right.
    if (before === 0) return 'drop'
    const next = Number(query.get('partNumber'))
    write(next, partOf(next))
    return undefined
  }
  // A part that was read ahead would differ from what was measured.
  await expect(store()).resolves.toMatchObject({ bytes: content.length })
  closeSync(file)
})

test('a download asks the bucket for a piece when its reader has read the piece before', async () => {
  writeFileSync(path, content)
  const { ref } = await store()
  let requests = 0
  proxy.fault = ({ headers }) => {
    requests = Math.max(requests, Number(/bytes=\d+-(\d+)/.exec(headers.range ?? '')?.[1] ?? -1) + 1)
    return undefined
  }
  const { artifacts } = openIn(proxy.bucket)
  const opened = await artifacts.open(ref)
  const pieces: Uint8Array[] = []
  let read = 0
  for await (const piece of opened?.body ?? []) {
    pieces.push(piece)
    read += piece.length
    // When this is answered, earlier requests have arrived.
    await artifacts.open(ref.replace(/^[^/]+/, aRun()))
    expect(requests).toBe(read)
    expect(piece.length).toBeLessThanOrEqual(PIECE)
  }
  expect(Buffer.concat(pieces).equals(content)).toBe(true)
})
