/** A gateway that is asked by whoever: what is made up costs a look, and no key. */
import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { RelayGateway } from '../../../src/login/remote/relay/gateway.ts'
import type { SignInTransport } from '../../../src/login/remote/relay/transport.ts'
import { quiet } from '../../worker/quiet.ts'

test('ids that are made up are looked for, and no key is made for them', async () => {
  let keys = 0
  const derived = () => {
    keys++
    return []
  }
  const gateway = new RelayGateway({
    transport: { has: async () => false } as unknown as SignInTransport,
    signIns: { find: async () => undefined, close: async () => {} },
    keyring: { derived },
    logger: quiet,
    now: Date.now,
  })
  for (let i = 0; i < 10; i++) expect(await gateway.view(randomBytes(32).toString('hex'))).toBeUndefined()
  expect(keys).toBe(0)
})
