/** A gateway for the people of one process keeps the contract. */

import { LocalGateway } from '../../src/login/remote/gateway.ts'
import { openSqliteSignInStore } from '../../src/login/sqlite/sign-in-store.ts'
import { fakeBrowser } from '../login/remote/fake-browser.ts'
import { signerOf } from '../login/remote/parts.ts'
import { gatewayContract } from './gateway.ts'

gatewayContract('a gateway of the same process', async (more) => {
  const signIns = openSqliteSignInStore(':memory:')
  const { browser, pages } = fakeBrowser()
  const gateway = new LocalGateway(signerOf(browser, signIns, 2, more))
  return {
    gateway,
    other: gateway,
    pages,
    signIns,
    async close() {
      await gateway.stop()
      await signIns.shut()
    },
  }
})
