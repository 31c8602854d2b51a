/** Linking an identity in a real Chromium, whose content security policy restricts where forms lead. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser } from 'rebrowser-playwright'
import { type House, PASSWORD, startHouse } from '../../test/console/house.ts'
import { openBrowser } from '../support/hosted-person.ts'

setDefaultTimeout(60_000)

let browser: Browser
let house: House
let pages: { stop(now: boolean): Promise<void> }
let provider: { readonly port?: number | undefined; stop(now: boolean): Promise<void> }
let origin: string

/** A provider that has a sign-in page and nothing behind it. */
function answer({ url }: Request): Response {
  const { origin: issuer, pathname } = new URL(url)
  if (pathname === '/auth') return new Response('Who are you?')
  return Response.json({
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
  })
}

beforeAll(async () => {
  const probe = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const port = probe.port ?? 0
  await probe.stop(true)
  origin = `http://127.0.0.1:${port}`
  provider = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
  const oidc = {
    OIDC_ISSUER: `http://127.0.0.1:${provider.port}`,
    OIDC_CLIENT_ID: 'gleaner',
    OIDC_NAME: 'Example',
  }
  house = await startHouse({ env: { PUBLIC_URL: origin, ...oidc } })
  pages = Bun.serve({ port, hostname: '127.0.0.1', fetch: house.service.app.fetch, idleTimeout: 120 })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await pages.stop(true)
  await provider.stop(true)
  await house.close()
})

test('the button that links an identity leads to the provider', async () => {
  const page = await browser.newPage()
  await page.goto(await house.rooms.links.make({ kind: 'setup' }))
  await page.fill('#name', 'Ann')
  await page.fill('#email', 'ann@example.org')
  await page.fill('#password', PASSWORD)
  await page.click('button:has-text("Set up")')
  await page.waitForSelector('h2:has-text("First steps")')
  await page.goto(`${origin}/console/me`)
  await page.click('button:has-text("Link Example")')
  await page.waitForSelector('a:has-text("Continue to Example")')
  await page.click('a:has-text("Continue to Example")')
  await page.waitForURL(`http://127.0.0.1:${provider.port}/auth?**`)
  expect(await page.textContent('body')).toBe('Who are you?')
})
