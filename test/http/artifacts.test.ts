/** Downloads of a run's files: whole files, ranges, conditional requests, and expiry. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Client, type Service, startService } from './service.ts'

const BODY = Array.from({ length: 100_000 }, (_, i) => String.fromCharCode(97 + (i % 26))).join('')
let service: Service
let client: Client
let origin: string
let run: string
beforeAll(async () => {
  service = await startService()
  client = await service.openAccount()
  origin = service.listen()
  const answer = await service.post('/v1/sample/album', client.key, { pictures: 1 })
  run = answer.headers.get('run-id')!
  await service.finish(run, {
    items: [],
    files: [
      { name: 'export.zip', contentType: 'application/zip', body: BODY },
      { name: 'späß "1" 100%.csv', contentType: 'text/csv', body: 'a,b\r\n' },
      { name: 'empty', contentType: 'text/plain', body: '' },
    ],
  })
})
afterAll(() => service.close())

const download = (headers: Record<string, string> = {}, name = 'export.zip', method = 'GET') =>
  fetch(`${origin}/v1/runs/${run}/artifacts/${name}`, {
    method,
    headers: { authorization: `Bearer ${client.key}`, ...headers },
  })

type Artifact = { name: string; content_type: string; bytes: number; sha256: string; url: string }
const artifacts = async () => {
  const answer = await service.send(`/v1/runs/${run}`, { key: client.key })
  return ((await answer.json()) as { artifacts: Artifact[] }).artifacts
}

describe('a file', () => {
  test('is served at the address that the run lists, with the listed bytes, type and hash', async () => {
    const [zip] = await artifacts()
    expect(zip).toMatchObject({ name: 'export.zip', content_type: 'application/zip', bytes: BODY.length })
    const answer = await fetch(origin + zip!.url, { headers: { authorization: `Bearer ${client.key}` } })
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-length': String(BODY.length),
      'accept-ranges': 'bytes',
      etag: `"${zip!.sha256}"`,
      'content-disposition': expect.stringContaining('filename="export.zip"'),
      'x-content-type-options': 'nosniff',
    })
    expect(await answer.text()).toBe(BODY)
  })

  test('HEAD is answered with the length and no body', async () => {
    const answer = await download({}, 'export.zip', 'HEAD')
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(BODY.length)])
    expect(await answer.text()).toBe('')
  })

  test('a file with special characters in its name is served at its address and keeps its name', async () => {
    const csv = (await artifacts())[1]!
    const answer = await fetch(origin + csv.url, { headers: { authorization: `Bearer ${client.key}` } })
    expect(await answer.text()).toBe('a,b\r\n')
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="sp__ _1_ 100_.csv"; filename*=UTF-8''sp%C3%A4%C3%9F%20%221%22%20100%25.csv`,
    )
  })

  test('unknown names and path traversal are 404', async () => {
    for (const name of ['none', '..%2f..%2fetc%2fpasswd', 'result', 'input', '%00', '%zz']) {
      expect([name, (await download({}, name)).status]).toEqual([name, 404])
    }
  })
})

describe('ranges', () => {
  test.each([
    ['bytes=0-0', 0, 1],
    ['bytes=10-19', 10, 20],
    ['bytes=99990-', 99_990, 100_000],
    ['bytes=-5', 99_995, 100_000],
    ['bytes=-1000000', 0, 100_000],
    ['bytes=5-99999999', 5, 100_000],
    ['bytes=5-99999999999999999999', 5, 100_000],
    ['bytes=-99999999999999999999', 0, 100_000],
  ])('%s is 206 with exactly that range', async (range, start, end) => {
    const answer = await download({ range })
    expect(answer.status).toBe(206)
    expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/100000`)
    expect(answer.headers.get('content-length')).toBe(String(end - start))
    expect(await answer.text()).toBe(BODY.slice(start, end))
  })

  test.each([
    'bytes=100000-',
    'bytes=100000-100001',
    'bytes=99999999999999999999-',
    // Reversed as well: if the whole file were sent, Bun would replace it by a 416 without a body.
    'bytes=100001-100000',
    'bytes=-0',
  ])('%s is 416', async (range) => {
    const answer = await download({ range })
    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */100000'])
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
  })

  test.each(['bytes=5-4', 'bytes=a-b', 'lines=1-2', 'bytes=-', 'bytes=0-1,3-4', ''])(
    'a malformed or multiple range (%p) gets the whole file',
    async (range) => {
      const answer = await download({ range })
      expect([answer.status, (await answer.text()).length]).toEqual([200, 100_000])
    },
  )

  test('a range of an empty file is 416, and the whole file is 200', async () => {
    expect((await download({ range: 'bytes=0-' }, 'empty')).status).toBe(416)
    const answer = await download({}, 'empty')
    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '0', ''])
  })
})

describe('conditions', () => {
  test('If-None-Match with the ETag of the file is 304 without a body', async () => {
    const etag = (await download()).headers.get('etag')!
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await download({ 'if-none-match': tag })
      expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([304, etag, ''])
    }
    expect((await download({ 'if-none-match': '"x"' })).status).toBe(200)
  })

  test('If-Range with the ETag of the file gets the range, and with anything else the whole file', async () => {
    const etag = (await download()).headers.get('etag')!
    expect((await download({ range: 'bytes=0-9', 'if-range': etag })).status).toBe(206)
    for (const other of ['"x"', `W/${etag}`, 'Sat, 21 Nov 2026 10:00:00 GMT']) {
      expect((await download({ range: 'bytes=0-9', 'if-range': other })).status).toBe(200)
    }
  })
})

test('a file is 404 after its retention', async () => {
  service.clock.offset = 31 * 86_400_000
  try {
    expect((await download()).status).toBe(404)
  } finally {
    service.clock.offset = 0
  }
})
