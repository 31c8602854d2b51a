/**
 * The site of the plugin `shop`, on loopback. Its search answers only requests with the cookie, the token and the key
 * of its pages.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { type Site, startSite } from '../../rigs/servers/site.ts'

/** Must not appear in any cassette. */
export const CREDENTIALS = {
  session: 's3ss10n-6f1d2c7b8a9e',
  csrf: 'Zm9yZ2VyeSBpcyBmdXRpbGU5',
  apiKey: `AIza${'Sy7dLampsAreBright_0-Zz'.padEnd(35, 'q')}`,
  mail: 'marigold.fields@sellers.example',
} as const

/** Larger than the part of an image that a recording keeps. */
export const PHOTO = Buffer.alloc(300 * 1024, 7)

const HOME = `<html><head><meta name="csrf-token" content="${CREDENTIALS.csrf}"></head>
<script>window.shop = {"apiKey":"${CREDENTIALS.apiKey}","theme":"dark"}</script></html>`

const PAGES: readonly string[] = [
  `{"wares": [{"id": 7603296357641735445, "title": "Desk lamp", "seller": "Marigold"}], "next": 2}`,
  `{"wares": [{"id": "3", "title": "Floor lamp, é", "seller": null}], "next": 3}`,
  `{"wares": [{"id": "4", "title": "Lamp", "seller": "write to ${CREDENTIALS.mail}"}], "next": null}`,
]

/** Starts a shop. */
export async function startShop(): Promise<Site> {
  const { origin, stop } = await startSite((request, response) => void answer(request, response))
  return { origin: `${origin}/shop`, stop }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop')
  const body = await text(request)
  switch (pathname.replace('/shop', '')) {
    case '/':
      return void response
        .writeHead(200, {
          'content-type': 'text/html',
          'set-cookie': [`sid=${CREDENTIALS.session}; Path=/; HttpOnly`, 'theme=dark'],
          'x-powered-by': 'lamps',
        })
        .end(HOME)
    case '/api/search': {
      const { page, csrf_token } = JSON.parse(body)
      const known = request.headers.cookie?.includes(`sid=${CREDENTIALS.session}`)
      if (!known || csrf_token !== CREDENTIALS.csrf || searchParams.get('key') !== CREDENTIALS.apiKey)
        return void response.writeHead(403).end('who are you?')
      return void response
        .writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'x-total-count': '3' })
        .end(PAGES[page - 1])
    }
    case '/front':
      return void response
        .writeHead(200, { 'content-type': 'text/html', 'set-cookie': `sid=${CREDENTIALS.session}` })
        .end(`<script>fetch('/api/window?key=${CREDENTIALS.apiKey}')</script>`)
    case '/api/window':
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ wares: ['Desk lamp', 'Floor lamp'] }))
    case '/latin':
      return void response
        .writeHead(200, { 'content-type': 'text/html; charset=iso-8859-1' })
        .end(Buffer.from('<p>\xe4\xf6\xfc</p>', 'latin1'))
    case '/moved':
      return void response.writeHead(302, { location: '/shop/latin' }).end()
    case '/photo.jpg':
      return void response.writeHead(200, { 'content-type': 'image/jpeg' }).end(PHOTO)
    case '/drops':
      return void response.destroy()
    default:
      return void response.writeHead(404).end()
  }
}
