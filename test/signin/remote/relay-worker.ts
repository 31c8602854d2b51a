/**
 * A worker with one slot and a page that shows nothing. It prints `ready` when it listens, and `in` when a person is
 * let in. The test kills it.
 *
 * Arguments: the address of Redis, the key of the vault.
 *
 * @module
 */
import { FakePage } from './fake-browser.ts'
import { hostAt } from './relay-nodes.ts'

const [url = '', vaultKey = ''] = process.argv.slice(2)
const browser = () => ({
  async signIn({ onEvent }: { onEvent: ConstructorParameters<typeof FakePage>[0] }) {
    process.stdout.write('in\n')
    return new FakePage(onEvent)
  },
})
await hostAt(url, { vaultKey }, { browser, room: 1 })
process.stdout.write('ready\n')
