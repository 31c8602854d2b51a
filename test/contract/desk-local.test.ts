/** A desk for the people of one process keeps the contract. */
import { openSqliteSignIns } from '../../src/read/sqlite-sign-ins.ts'
import { LocalDesk } from '../../src/signin/desk.ts'
import { fakeBrowser } from '../signin/fake-browser.ts'
import { signerOf } from '../signin/parts.ts'
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
