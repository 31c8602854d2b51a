/**
 * What Chromium wrote to its connections: heads of requests for one page and of the requests of its script. Chromium
 * itself and Gleaner's own requests are compared with it.
 *
 * @module
 */
import { createServer, type Socket } from 'node:net'

/** Names under `localhost` lead to this machine, and pages from there count as those of a secure site. */
export const SITE = 'http://www.lamps.localhost'
export const API = 'http://api.lamps.localhost'
export const CDN = 'http://cdn.localhost'

/** The requests of the script of `/page` at {@link SITE}. The page sets a cookie. */
export const FETCHES = [
  { url: `${SITE}/own`, method: 'GET' },
  { url: `${SITE}/post`, method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } },
  { url: `${API}/same-site`, method: 'GET' },
  { url: `${API}/post`, method: 'POST', body: 'a', headers: { 'content-type': 'text/plain' } },
  { url: `${CDN}/cross-site`, method: 'GET' },
] as const

const AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'

/** The heads of all requests in their order, measured with Chromium 156.0.8078.108 on Debian 12. */
export const HEADS = [
  `GET /page HTTP/1.1
Host: www.lamps.localhost
Connection: keep-alive
sec-ch-ua: "Not:A-Brand";v="8", "Chromium";v="156"
sec-ch-ua-mobile: ?0
sec-ch-ua-platform: "Linux"
Upgrade-Insecure-Requests: 1
User-Agent: ${AGENT}
Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/jxl,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7
Sec-Fetch-Site: none
Sec-Fetch-Mode: navigate
Sec-Fetch-User: ?1
Sec-Fetch-Dest: document
Accept-Encoding: gzip, deflate, br, zstd
Accept-Language: en-US,en;q=0.9`,
  `GET /own HTTP/1.1
Host: www.lamps.localhost
Connection: keep-alive
sec-ch-ua-platform: "Linux"
User-Agent: ${AGENT}
sec-ch-ua: "Not:A-Brand";v="8", "Chromium";v="156"
sec-ch-ua-mobile: ?0
Accept: */*
Sec-Fetch-Site: same-origin
Sec-Fetch-Mode: cors
Sec-Fetch-Dest: empty
Referer: http://www.lamps.localhost/page
Accept-Encoding: gzip, deflate, br, zstd
Accept-Language: en-US,en;q=0.9
Cookie: a=b`,
  `POST /post HTTP/1.1
Host: www.lamps.localhost
Connection: keep-alive
Content-Length: 2
sec-ch-ua-platform: "Linux"
User-Agent: ${AGENT}
sec-ch-ua: "Not:A-Brand";v="8", "Chromium";v="156"
content-type: application/json
sec-ch-ua-mobile: ?0
Accept: */*
Origin: http://www.lamps.localhost
Sec-Fetch-Site: same-origin
Sec-Fetch-Mode: cors
Sec-Fetch-Dest: empty
Referer: http://www.lamps.localhost/page
Accept-Encoding: gzip, deflate, br, zstd
Accept-Language: en-US,en;q=0.9
Cookie: a=b`,
  `GET /same-site HTTP/1.1
Host: api.lamps.localhost
Connection: keep-alive
sec-ch-ua-platform: "Linux"
User-Agent: ${AGENT}
sec-ch-ua: "Not:A-Brand";v="8", "Chromium";v="156"
sec-ch-ua-mobile: ?0
Accept: */*
Origin: http://www.lamps.localhost
Sec-Fetch-Site: same-site
Sec-Fetch-Mode: cors
Sec-Fetch-Dest: empty
Referer: http://www.lamps.localhost/
Accept-Encoding: gzip, deflate, br, zstd
Accept-Language: en-US,en;q=0.9`,
  `POST /post HTTP/1.1
Host: api.lamps.localhost
Connection: keep-alive
Content-Length: 1
sec-ch-ua-platform: "Linux"
User-Agent: ${AGENT}
sec-ch-ua: "Not:A-Brand";v="8", "Chromium";v="156"
content-type: text/plain
sec-ch-ua-mobile: ?0
Accept: */*
Origin: http://www.lamps.localhost
Sec-Fetch-Site: same-site
Sec-Fetch-Mode: cors
Sec-Fetch-Dest: empty
Referer: http://www.lamps.localhost/
Accept-Encoding: gzip, deflate, br, zstd
Accept-Language: en-US,en;q=0.9`,
  `GET /cross-site HTTP/1.1
Host: cdn.localhost
Connection: keep-alive
sec-ch-ua-platform: "Linux"
User-Agent: ${AGENT}
sec-ch-ua: "Not:A-Brand";v="8", "Chromium";v="156"
sec-ch-ua-mobile: ?0
Accept: */*
Origin: http://www.lamps.localhost
Sec-Fetch-Site: cross-site
Sec-Fetch-Mode: cors
Sec-Fetch-Dest: empty
Referer: http://www.lamps.localhost/
Accept-Encoding: gzip, deflate, br, zstd
Accept-Language: en-US,en;q=0.9`,
]

const PAGE = `<!doctype html><link rel="icon" href="data:,"><script>
void (async () => {
  for (const { url, ...init } of ${JSON.stringify(FETCHES)}) await (await fetch(url, init)).text()
})()
</script>`

/** A server for all names, which writes down each head as it was sent. */
export type RawServer = {
  readonly port: number
  /** resolves to the heads of as many requests as {@link HEADS} has */
  readonly all: Promise<readonly string[]>
  close(): void
}

export async function startRawServer(): Promise<RawServer> {
  const heads: string[] = []
  const sockets = new Set<Socket>()
  const { promise: all, resolve } = Promise.withResolvers<readonly string[]>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    let unread = ''
    socket.setEncoding('latin1').on('data', (text) => {
      unread += text
      for (let end = unread.indexOf('\r\n\r\n'); end >= 0; end = unread.indexOf('\r\n\r\n')) {
        const head = unread.slice(0, end)
        const whole = end + 4 + Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
        if (unread.length < whole) return
        unread = unread.slice(whole)
        heads.push(head.replaceAll('\r\n', '\n'))
        const body = head.startsWith('GET /page ') ? PAGE : 'ok'
        socket.write(
          `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nAccess-Control-Allow-Origin: *\r\n${body === PAGE ? 'Set-Cookie: a=b\r\n' : ''}Content-Length: ${body.length}\r\n\r\n${body}`,
        )
        if (heads.length === HEADS.length) resolve(heads)
      }
    })
  })
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
  const { port } = server.address() as { readonly port: number }
  return {
    port,
    all,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
