/** The gateway within one process fulfils the contract. */

import { openSqliteTickets } from '../../src/ephemeral/sqlite/tickets.ts'
import { SignInLinks } from '../../src/signin/links.ts'
import { LocalGateway } from '../../src/signin/remote/gateway.ts'
import { fakeBrowser } from '../../test/signin/remote/fake-browser.ts'
import { localSessionsOf } from '../../test/signin/remote/parts.ts'
import { gatewayContract } from './gateway.ts'

gatewayContract('a gateway of the same process', async (more) => {
  const tickets = openSqliteTickets(':memory:')
  const signInLinks = new SignInLinks(tickets)
  const { browser, pages } = fakeBrowser()
  const gateway = new LocalGateway(localSessionsOf(browser, signInLinks, 2, more))
  return {
    gateway,
    other: gateway,
    pages,
    signInLinks,
    async close() {
      await gateway.stop()
      await tickets.close()
    },
  }
})
