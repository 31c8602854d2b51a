/**
 * A worker that lets one person in, to a page that shows nothing. Says when it listens, and when somebody is in. Ends by
 * being killed.
 *
 * Arguments: the address of Redis, the key of the vault.
 *
 * @module
 */
import { FakePage } from './fake-browser.ts'
import { hostAt } from './relay-nodes.ts'

const [url = '', vaultKey = ''] = process.argv.slice(2)
const browser = {
  async signIn({ onEvent }: { onEvent: ConstructorParameters<typeof FakePage>[0] }) {
    process.stdout.write('in\n')
    return new FakePage(onEvent)
  },
}
await hostAt(url, { vaultKey }, { browser, room: 1 })
process.stdout.write('ready\n')
