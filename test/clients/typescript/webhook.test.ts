import { expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { verifyWebhook } from '../../../clients/typescript/src/index.ts'

/** From the specification of Standard Webhooks. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const PAYLOAD = '{"type":"gleaner.RunSucceeded","data":{"text":"Ötter 🦦"}}'

const nowS = () => Math.floor(Date.now() / 1000)
function signed(payload: string | Uint8Array, { secret = SECRET, at = nowS(), id = 'evt_1' } = {}) {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${at}.`).update(payload).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` }
}
const verified = (...args: Parameters<typeof verifyWebhook>) =>
  verifyWebhook(...args).then(
    ({ type }) => type as string,
    ({ code }) => code as string,
  )
const GOOD = 'gleaner.RunSucceeded'
const BAD = 'invalid-webhook'

test('the test vector of Standard Webhooks is accepted', async () => {
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  }
  const long = { toleranceS: nowS() }
  expect(await verifyWebhook('{"test": 2432232314}', headers, SECRET, long)).toEqual({
    test: 2432232314,
  } as never)
  expect(await verified('{"test": 2432232315}', headers, SECRET, long)).toBe(BAD)
})

test('a delivery is accepted as text or bytes, with the headers of fetch, of Node and of frameworks', async () => {
  const headers = signed(PAYLOAD)
  const bytes = new TextEncoder().encode(PAYLOAD)
  const upper = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
  )
  for (const payload of [PAYLOAD, bytes, bytes.buffer, Buffer.from(PAYLOAD)])
    expect(await verified(payload, headers, SECRET)).toBe(GOOD)
  for (const those of [new Headers(headers), upper]) expect(await verified(PAYLOAD, those, SECRET)).toBe(GOOD)
})

test('during a rotation of secrets, any signature may match any of the secrets', async () => {
  const other = `whsec_${btoa('another secret of the endpoint')}`
  const both = signed(PAYLOAD)
  both['webhook-signature'] =
    `v1a,${btoa('x')} v1,not/base64! v1, ${signed(PAYLOAD, { secret: other })['webhook-signature']} ${both['webhook-signature']}`
  for (const secret of [SECRET, other, [other, SECRET]])
    expect(await verified(PAYLOAD, both, secret)).toBe(GOOD)
  expect(await verified(PAYLOAD, signed(PAYLOAD), [other])).toBe(BAD)
})

test('another payload, id, time, secret or version is refused, and so is a missing header', async () => {
  const good = signed(PAYLOAD)
  const wrong = [
    { ...good, 'webhook-id': 'evt_2' },
    { ...good, 'webhook-timestamp': String(nowS() + 1) },
    { ...good, 'webhook-signature': good['webhook-signature'].replace('v1,', 'v2,') },
    { ...good, 'webhook-signature': good['webhook-signature'].slice(0, -2) },
    { ...good, 'webhook-signature': '' },
    // Invalid base64 padding, on which some decoders throw.
    { ...good, 'webhook-signature': 'v1,AAA==' },
    { ...good, 'webhook-signature': 'v1,AAAA=' },
    { ...good, 'webhook-timestamp': '' },
    { ...good, 'webhook-timestamp': 'Infinity' },
    { ...good, 'webhook-id': [good['webhook-id'], 'evt_2'] },
    ...Object.keys(good).map((name) => ({ ...good, [name]: undefined })),
  ]
  for (const headers of wrong)
    expect([headers, await verified(PAYLOAD, headers, SECRET)]).toEqual([headers, BAD])
  expect(await verified(`${PAYLOAD} `, good, SECRET)).toBe(BAD)
  expect(await verified(new Uint8Array([0xff]), signed('\ufffd'), SECRET)).toBe(BAD)
})

test('a delivery is refused when its time is off by more than five minutes, or than toleranceS', async () => {
  for (const [offset, toleranceS, result] of [
    [-290, undefined, GOOD],
    [-310, undefined, BAD],
    [310, undefined, BAD],
    [-310, 400, GOOD],
    [-60, 30, BAD],
  ] as const) {
    const options = toleranceS === undefined ? {} : { toleranceS }
    expect(await verified(PAYLOAD, signed(PAYLOAD, { at: nowS() + offset }), SECRET, options)).toBe(result)
  }
})

test('a missing or invalid secret throws a TypeError', async () => {
  for (const secret of [undefined, '', 'whsec_', 'whsec_?', [SECRET, '']])
    await expect(verifyWebhook(PAYLOAD, signed(PAYLOAD), secret)).rejects.toThrow(TypeError)
})
