/**
 * A program for tests: a person signs in at a local page. It prints the outcome as one line of JSON.
 *
 * @module
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BrowserHost } from '../../../src/browser/host/host.ts'
import { createLogger } from '../../../src/logger.ts'

const server = createServer((request, response) => {
  if (request.url === '/in') response.writeHead(302, { location: '/home', 'set-cookie': 'session=1' }).end()
  else
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<form action=/in method=post><input autofocus>')
})
await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const settings = { chromiumPath: process.env.CHROMIUM_PATH || null, most: 1 }
const host = new BrowserHost({ ...settings, origins: { site: origin } }, createLogger('warn'))
const focused = Promise.withResolvers<void>()
const handle = await host.signIn({
  site: { name: 'site', origin: 'https://www.site.example' },
  login: { url: '/login', signedIn: { cookies: ['session'] } },
  viewport: { width: 400, height: 300, touch: false, scale: 1 },
  exit: null,
  onEvent: (event) => event.type === 'focus' && event.focus?.editable && focused.resolve(),
})
const { jpeg } = await handle.frame({ fresh: true })
await focused.promise
const enter = { type: 'key', key: 'Enter', code: 'Enter', location: 0, repeat: false, modifiers: 0 }
for (const action of ['down', 'up']) await handle.send({ ...enter, action }).catch(() => {})
const { state, validUntil } = await handle.outcome
const cookies = JSON.parse(state).cookies.map(({ name }: { name: string }) => name)
console.log(JSON.stringify({ jpeg: [...jpeg.slice(0, 2)], cookies, validUntil }))
await host.stop()
server.closeAllConnections()
server.close()
