/** Downloads of files stored in S3, as seen by a client: with their length, in full and by range. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import type { RunId } from '../../src/domain/ids.ts'
import { type Client, type Service, startService } from '../http/service.ts'
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts'
import { openIn, testBucket } from './s3.ts'

const base = temporaryFolder()
const bucket = await testBucket(base)
const BODY = Array.from({ length: 400_000 }, (_, i) => `line ${i}`.padEnd(9)).join('\n')
let service: Service
let client: Client
let proxy: FaultyProxy
let url: string
beforeAll(async () => {
  proxy = await startFaultyProxy(bucket)
  const { artifacts } = openIn(proxy.bucket)
  service = await startService({ deps: () => ({ artifacts }) })
  client = await service.openAccount()
  const answer = await service.post('/v1/sample/album', client.key, { pictures: 1 })
  const run = answer.headers.get('run-id') as RunId
  const file = { name: 'export.zip', contentType: 'application/zip', body: BODY }
  await service.finish(run, { items: [], files: [file] })
  const path = join(base, 'export.zip')
  writeFileSync(path, BODY)
  await artifacts.putFile(run, 'file', path, Date.now() + 86_400_000)
  url = `${service.listen()}/v1/runs/${run}/artifacts/export.zip`
})
afterAll(async () => {
  await service.close()
  await proxy.close()
})

const download = (init: { method?: string; headers?: Record<string, string> } = {}) =>
  fetch(url, { ...init, headers: { authorization: `Bearer ${client.key}`, ...init.headers } })

test('a large file is downloaded in full, with its length', async () => {
  const answer = await download()
  expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(BODY.length)])
  expect(answer.headers.get('transfer-encoding')).toBeNull()
  expect((await answer.text()) === BODY).toBe(true)
})

test.each([
  [0, 0],
  [10, 19],
  [100_000, 3_000_000],
  [BODY.length - 5, BODY.length - 1],
])('a range request for bytes %d to %d is answered with their length', async (start, end) => {
  const answer = await download({ headers: { range: `bytes=${start}-${end}` } })
  expect(answer.status).toBe(206)
  expect(answer.headers.get('content-length')).toBe(String(end - start + 1))
  expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end}/${BODY.length}`)
  expect((await answer.text()) === BODY.slice(start, end + 1)).toBe(true)
})

test('HEAD answers with the length and makes a single GET to the store', async () => {
  proxy.requests.length = 0
  const answer = await download({ method: 'HEAD' })
  expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(BODY.length)])
  expect(await answer.text()).toBe('')
  expect(proxy.requests.filter((line) => line.startsWith('GET'))).toHaveLength(1)
})

test('a store that fails in the middle never causes a truncated success', async () => {
  proxy.fault = ({ headers }) =>
    Number(/bytes=(\d+)/.exec(headers.range ?? '')?.[1]) > 1_000_000 ? { status: 403 } : undefined
  try {
    const brought = await download().then(async (answer) =>
      answer.ok ? (await answer.text()).length : 'refused',
    )
    expect(brought).toBe('refused')
  } finally {
    proxy.fault = () => undefined
  }
})
