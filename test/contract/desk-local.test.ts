/** A desk for the people of one process keeps the contract. */

import { LocalDesk } from '../../src/login/remote/gateway.ts'
import { openSqliteSignIns } from '../../src/login/sqlite/links.ts'
import { fakeBrowser } from '../login/remote/fake-browser.ts'
import { signerOf } from '../login/remote/parts.ts'
import { deskContract } from './desk.ts'

deskContract('a desk of the same process', async (more) => {
  const signIns = openSqliteSignIns(':memory:')
  const { browser, pages } = fakeBrowser()
  const desk = new LocalDesk(signerOf(browser, signIns, 2, more))
  return {
    desk,
    other: desk,
    pages,
    signIns,
    async close() {
      await desk.stop()
      await signIns.shut()
    },
  }
})
