/**
 * A page that is encrypted is led to none that is not; on a replaced origin, where pages believe to be on the public site.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Browsers } from '../../src/browser/browsers.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import { until } from '../start/processes.ts'
import { LOGIN, Told, VIEWPORT } from './signin-person.ts'
import { executable, failure, site } from './web.ts'

setDefaultTimeout(60_000)

const secure = { ...site, origin: 'https://www.site.example' }
const asked: string[] = []
const server = createServer(({ url = '' }, response) => {
  if (url !== '/favicon.ico') asked.push(url)
  if (url === '/down' || url === '/login')
    return response.writeHead(302, { location: 'http://www.site.example/plain' }).end()
  response.writeHead(200, { 'content-type': 'text/html' })
  return response.end('<h1>Here</h1>')
})
let browsers: Browsers
beforeAll(async () => {
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  browsers = new Browsers({
    executable: () => executable,
    origins: { site: origin },
    proxyUrl: null,
    most: 2,
    onFailure: () => {},
  })
})
afterAll(async () => {
  await browsers.stop()
  server.closeAllConnections()
  server.close()
})

describe.skipIf(!hasBrowser)('from https to http', () => {
  test('no redirect is followed', async () => {
    asked.length = 0
    const page = await browsers.open({ site: secure })
    expect(await failure(page.goto('/down'))).toBe('source-redirected')
    expect(asked).toEqual(['/down'])
    await page.close()
  })

  test('no script leads a page', async () => {
    asked.length = 0
    const page = await browsers.open({ site: secure })
    await page.goto('/')
    const waiting = page.wait('#never')
    await page.evaluate("void setTimeout(() => { location.href = 'http://www.site.example/plain' })")
    expect(await failure(waiting)).toBe('source-redirected')
    expect(asked).toEqual(['/'])
    await page.close()
  })

  test('nobody who signs in is led, and they are told', async () => {
    asked.length = 0
    const told = new Told()
    const signIn = await browsers.signIn({
      site: secure,
      login: LOGIN,
      viewport: VIEWPORT,
      onEvent: told.onEvent,
    })
    await until(() => told.last('notice')?.code === 'unencrypted')
    expect(asked).toEqual(['/login'])
    signIn.close()
    await signIn.closed
  })
})
