/** A desk that is asked or told by whoever: what is made up takes no room and brings nothing down. */
import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { StoreUnavailable } from '../../../src/log/event-log.ts'
import { RelayDesk } from '../../../src/login/remote/relay/desk.ts'
import type { Hearing, SignInWire } from '../../../src/login/remote/relay/transport.ts'
import { quiet } from '../../worker/quiet.ts'

const nobody: SignInWire = {
  offer: async () => true,
  take: async () => undefined,
  keep: async () => {},
  end: async () => {},
  withdraw: async () => undefined,
  standing: async () => undefined,
  send: async () => false,
  listen: async () => async () => {},
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
  const desk = new RelayDesk({ ...deps, wire: nobody, keyring: { derived } })
  for (let i = 0; i < 10; i++) expect(await desk.attend(randomBytes(32).toString('hex'))).toBeUndefined()
  expect(keys).toBe(0)
})

test('a message that comes while the key can’t be read is let go', async () => {
  let hearing: Hearing | undefined
  const wire: SignInWire = {
    ...nobody,
    async listen(_name, given) {
      hearing = given
      return async () => {}
    },
  }
  const derived = () => {
    throw new StoreUnavailable('too many open files')
  }
  const desk = new RelayDesk({ ...deps, wire, keyring: { derived } })
  await desk.start()
  expect(() => hearing?.message(Buffer.from('\0\x02idxyz'))).not.toThrow()
  await desk.stop()
})
