/** A gateway that anybody can ask: an invented session id costs a look-up, but no derived key. */
import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { RelayGateway } from '../../../src/signin/remote/relay/gateway.ts'
import type { SignInTransport } from '../../../src/signin/remote/relay/transport.ts'
import { quiet } from '../../worker/quiet.ts'

test('an invented session id is not found, and no key is derived for it', async () => {
  let keys = 0
  const derived = () => {
    keys++
    return []
  }
  const gateway = new RelayGateway({
    transport: { has: async () => false } as unknown as SignInTransport,
    signInLinks: { find: async () => undefined, close: async () => {} },
    keyring: { derived },
    logger: quiet,
    now: Date.now,
  })
  for (let i = 0; i < 10; i++) expect(await gateway.view(randomBytes(32).toString('hex'))).toBeUndefined()
  expect(keys).toBe(0)
})
