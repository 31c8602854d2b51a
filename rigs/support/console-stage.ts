/**
 * The console behind a real port, and a real Chromium to use it with.
 *
 * @module
 */
import type { Browser, BrowserContextOptions, Page } from 'rebrowser-playwright'
import type { PageDeps } from '../../src/console/visitor.ts'
import { PASSWORD, startHouse } from '../../test/console/house.ts'
import { openBrowser } from './hosted-person.ts'

/** The cookies of a browser in which somebody is signed in. */
export type SignedInState = Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['storageState']>>
export type ConsoleStage = Awaited<ReturnType<typeof openConsole>>

/** @param env settings of the service @param node this process of the service */
export async function openConsole(env: Readonly<Record<string, string>> = {}, node?: PageDeps['node']) {
  const probe = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const port = probe.port ?? 0
  await probe.stop(true)
  const origin = `http://127.0.0.1:${port}`
  const house = await startHouse({ env: { PUBLIC_URL: origin, ...env } }, node)
  const { fetch } = house.service.app
  const server = Bun.serve({ port, hostname: '127.0.0.1', fetch, idleTimeout: 120 })
  const browser = await openBrowser()
  const complaints: string[] = []
  const closePages = async () => {
    for (const context of browser.contexts()) await context.close()
  }

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    page.on('pageerror', (error) => complaints.push(error.message))
    // A refused form is answered with an error status, which the browser logs.
    page.on('console', (line) => {
      if (line.type() === 'error' && !/status of 4\d\d/.test(line.text())) complaints.push(line.text())
    })
    return page
  }

  return {
    house,
    origin,
    open,
    closePages,
    /** errors of scripts on all pages so far */
    complaints,
    /** Sets the instance up as Ann. @returns the state of the browser */
    async setUp(): Promise<SignedInState> {
      const page = await open()
      await page.goto(await house.rooms.links.make({ kind: 'setup' }))
      await page.fill('#name', 'Ann')
      await page.fill('#email', 'ann@example.org')
      await page.fill('#password', PASSWORD)
      await page.click('button:has-text("Set up")')
      await page.waitForSelector('h2:has-text("First steps")')
      return page.context().storageState()
    },
    async close(): Promise<void> {
      await browser.close()
      await server.stop(true)
      await house.close()
    },
  }
}
