/** A gateway that is asked by whoever: what is made up costs a look, and brings nothing down. */
import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { StoreUnavailable } from '../../../src/log/event-log.ts'
import { RelayGateway } from '../../../src/login/remote/relay/gateway.ts'
import type { SignInTransport } from '../../../src/login/remote/relay/transport.ts'
import { quiet } from '../../worker/quiet.ts'

/** Nobody is there; what is read can be made up. */
function nobody() {
  let replies: (message: Buffer) => void = () => {}
  const unread = () => {}
  const transport: SignInTransport = {
    offer: async () => true,
    claim: async () => undefined,
    renew: async () => [],
    end: async () => {},
    withdraw: async () => undefined,
    look: async () => undefined,
    call: async () => undefined,
    reply: async () => {},
    tell: async () => {},
    show: async () => {},
    picture: async () => undefined,
    reader: () => ({
      calls: () => unread,
      replies(_gateway, hear) {
        replies = hear
        return unread
      },
      events: () => unread,
      news: () => unread,
      close: () => {},
    }),
  }
  return { transport, reply: (message: Buffer) => replies(message) }
}
const deps = {
  signIns: { find: async () => undefined, close: async () => {} },
  logger: quiet,
  now: Date.now,
}

test('ids that are made up are looked for, and no key is made for them', async () => {
  let keys = 0
  const derived = () => {
    keys++
    return []
  }
  const gateway = new RelayGateway({ ...deps, transport: nobody().transport, keyring: { derived } })
  for (let i = 0; i < 10; i++) expect(await gateway.view(randomBytes(32).toString('hex'))).toBeUndefined()
  expect(keys).toBe(0)
})

test('a reply that nobody waits for is let go, whatever is in it', async () => {
  const { transport, reply } = nobody()
  const derived = () => {
    throw new StoreUnavailable('too many open files')
  }
  const gateway = new RelayGateway({ ...deps, transport, keyring: { derived } })
  gateway.start()
  for (const bytes of [Buffer.alloc(0), Buffer.from('x'), randomBytes(200)])
    expect(() => reply(bytes)).not.toThrow()
  await gateway.stop()
})
