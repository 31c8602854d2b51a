/** Signatures follow Standard Webhooks 1.0, checked against its test vector and its reference library. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { newSecret, signatureHeaders } from '../../src/webhooks/sign.ts'

describe('a signature', () => {
  test('matches the test vector of the standard', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const headers = signatureHeaders(
      [secret],
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1_614_265_330,
      '{"test": 2432232314}',
    )
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  test('of any body verifies in the reference library with each of the secrets and no other', () => {
    const now = Math.floor(Date.now() / 1000)
    fc.assert(
      fc.property(fc.json(), (body) => {
        const [a, b, other] = [newSecret(), newSecret(), newSecret()]
        const headers = signatureHeaders([a, b], 'evt', now, body)
        for (const secret of [a, b]) expect(() => new Webhook(secret).verify(body, headers)).not.toThrow()
        expect(() => new Webhook(other).verify(body, headers)).toThrow()
        expect(() => new Webhook(a).verify(`${body} `, headers)).toThrow()
      }),
      { numRuns: 50 },
    )
  })
})
