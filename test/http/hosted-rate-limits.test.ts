/** The rate limits of the hosted page use bounded memory, however many clients call. */
import { expect, test } from 'bun:test'
import { networkOf } from '../../src/http/client-address.ts'
import {
  HostedRateLimits,
  MISSES_PER_MINUTE,
  MOST_ADDRESSES,
} from '../../src/http/routes/hosted-rate-limits.ts'

const nothing = async () => undefined

test('the number of remembered addresses is bounded, and one IPv6 network counts as one address', async () => {
  const limits = new HostedRateLimits(() => 1_000_000)
  for (let i = 0; i < MOST_ADDRESSES * 2; i++)
    await limits.find(String(i), `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, nothing)
  expect(limits.addresses).toBeLessThanOrEqual(MOST_ADDRESSES)
  const one = new HostedRateLimits(() => 1_000_000)
  for (let i = 0; i < MISSES_PER_MINUTE; i++)
    await one.find(String(i), networkOf(`2001:db8::${i.toString(16)}`), nothing)
  expect(one.addresses).toBe(1)
  await expect(one.find('x', networkOf('2001:db8::ffff'), nothing)).rejects.toMatchObject({
    code: 'rate-limited',
  })
  expect(await one.find('x', networkOf('2001:db8:0:1::1'), nothing)).toBeUndefined()
})
