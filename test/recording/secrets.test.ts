import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import type { Cassette } from '../../src/plugin/testing.ts'
import { withoutSecrets } from '../../src/recording/secrets.ts'

const cassetteOf = (exchange: Partial<Cassette['exchanges'][number]>, input = {}): Cassette => ({
  task: 'lamps.search',
  input,
  note: 'Captured on 2026-11-29.',
  exchanges: [{ request: 'GET /', ...exchange }],
})

const SECRET = 'a/b+c=="d"&<9é>'
const WRITTEN = {
  plain: SECRET,
  'in an address': encodeURIComponent(SECRET),
  'in a page': 'a/b+c==&quot;d&quot;&amp;&lt;9é&gt;',
  'in a script': JSON.stringify(SECRET).slice(1, -1),
}
const PLACES: Record<string, (text: string) => Cassette> = {
  'the request': (text) => cassetteOf({ request: `GET /at/${text}/x?of=${text}` }),
  'a text that was sent': (text) => cassetteOf({ sent: `me=${text}` }),
  'JSON that was sent': (text) => cassetteOf({ sent: { deep: [{ me: `<${text}>` }] } }),
  'a header': (text) => cassetteOf({ headers: { location: `/to/${text}` } }),
  'a page': (text) => cassetteOf({ body: `<p>${text}</p>` }),
  'a value in JSON': (text) => cassetteOf({ json: { rows: [[text]] } }),
  'a field name in JSON': (text) => cassetteOf({ json: { rows: { [text]: 1 } } }),
  'a binary body': (text) => cassetteOf({ base64: Buffer.from(`\0${text}\xff`).toString('base64') }),
  'the input': (text) => cassetteOf({}, { query: text }),
}

for (const [place, make] of Object.entries(PLACES))
  test.each(Object.entries(WRITTEN))(`a secret is removed from ${place}, %s`, async (_, written) => {
    const clean = await withoutSecrets(make(written), ['other-cookie', SECRET])
    const bodies = clean.exchanges.map(({ base64 = '' }) => Buffer.from(base64, 'base64').toString())
    for (const form of Object.values(WRITTEN)) {
      expect(JSON.stringify(clean)).not.toContain(JSON.stringify(form).slice(1, -1))
      expect(bodies.join()).not.toContain(form)
    }
  })

test('what an earlier redaction has left of a secret is removed too', async () => {
  const cassette = cassetteOf({ body: 'session: REDACTED:8d969eef6ecad3c2' })
  const clean = await withoutSecrets(cassette, ['otter@example.com:8d969eef6ecad3c2'])
  expect(clean.exchanges[0]?.body).toBe('session: REDACTED')
})

test('the longest secret is removed first, so that no part of it stays', async () => {
  const clean = await withoutSecrets(cassetteOf({ body: 'token-1234' }), ['token-', 'token-1234'])
  expect(clean.exchanges[0]?.body).toBe('REDACTED')
})

test('secrets named like a field of the cassette leave it a cassette', async () => {
  const cassette = cassetteOf({ status: 500, headers: { etag: 'x' }, json: { request: 1 }, repeats: true })
  const clean = await withoutSecrets(cassette, ['request', 'exchanges', 'headers', 'status', 'repeats'])
  expect(clean).toEqual({
    ...cassette,
    exchanges: [{ ...cassette.exchanges[0]!, json: { REDACTED: 1 } }],
  })
})

test('short values, and bodies without a secret, stay as they are', async () => {
  const base64 = gzipSync('en 1').toString('base64')
  const cassette = cassetteOf({ base64, json: { lang: 'en', page: 12345, big: 123456 } })
  expect(await withoutSecrets(cassette, ['en', '12345', '', 'not-in-it'])).toEqual(cassette)
})

test('a number that is a secret stays a number', async () => {
  const clean = await withoutSecrets(cassetteOf({ json: { user: 20261129, at: 5 } }), ['20261129'])
  expect(clean.exchanges[0]?.json).toEqual({ user: 0, at: 5 })
})
