/**
 * No request of a page reaches a host outside its source, whatever the page does; tested live, through its proxy. An
 * encrypted page is never led to an unencrypted address.
 *
 * @module
 */
import { beforeAll, describe, expect, test } from 'bun:test'
import { createSocket } from 'node:dgram'
import { until } from '../../rigs/servers/processes.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import { LOGIN, SessionEvents, VIEWPORT } from '../signin/browser/person.ts'
import { failure, type Pages, site, startWeb } from './web.ts'

const origins: Record<string, string> = {}
const { web, browsers, on, onShared } = startWeb({ origins })

/** Ways in which a page tries to send a request. Each calls `done` when the attempt has ended. */
const ATTEMPTS: Readonly<Record<string, string>> = {
  'an iframe': `const f = document.createElement('iframe'); f.src = URL_; f.onload = done; document.body.append(f)`,
  'a script': `const s = document.createElement('script'); s.src = URL_; s.onload = s.onerror = done; document.body.append(s)`,
  'a style': `const l = document.createElement('link'); l.rel = 'stylesheet'; l.href = URL_; l.onload = l.onerror = done; document.body.append(l)`,
  'an image': `const i = new Image(); i.src = URL_; i.onload = i.onerror = done`,
  'a fetch': `fetch(URL_, { mode: 'no-cors' }).then(done, done)`,
  'an XHR': `const x = new XMLHttpRequest(); x.open('POST', URL_); x.onloadend = done; x.send('1')`,
  'a beacon': `navigator.sendBeacon(URL_, 'x'); fetch(URL_).then(done, done)`,
  'an event source': `const e = new EventSource(URL_); e.onerror = done`,
  'a WebSocket': `const w = new WebSocket(URL_.replace('http', 'ws')); w.onerror = w.onopen = done`,
  'a worker of the page': `const w = new Worker('/worker.js?' + encodeURIComponent(URL_)); w.onmessage = w.onerror = done`,
  'a shared worker': `const w = new SharedWorker('/shared.js?' + encodeURIComponent(URL_)); w.port.onmessage = done; w.onerror = done`,
  'a redirect at the second hop': `fetch('/hop?' + encodeURIComponent(URL_)).then(done, done)`,
  'a form in a frame': `const f = document.createElement('iframe'); f.name = 'f'; f.onload = done; document.body.append(f);
    const m = document.createElement('form'); m.action = URL_; m.method = 'POST'; m.target = 'f'; document.body.append(m); m.submit()`,
  'a popup': `open(URL_); setTimeout(done, 300)`,
}
const FOREIGN = [
  'http://evil.example/x',
  'http://www.site.example.evil.example/x',
  'http://evilwww.site.example/x',
  'http://cdn.example/x',
  'http://www.site.example:8080/x',
  'http://127.0.0.1/x',
  'http://[::1]/x',
  'http://2130706433/x',
  'http://localhost/x',
  'http://169.254.169.254/latest/meta-data/',
]

const hop: (typeof web.pages)[string] = (response, { url }) =>
  response.writeHead(302, { location: `/hop2?${url?.split('?')[1]}` }).end()
const hop2: (typeof web.pages)[string] = (response, { url }) =>
  response.writeHead(307, { location: decodeURIComponent(url?.split('?')[1] ?? '') }).end()
const inWorker =
  (say: string): (typeof web.pages)[string] =>
  (response, { url }) =>
    response
      .writeHead(200, { 'content-type': 'text/javascript' })
      .end(`const at = ${JSON.stringify(decodeURIComponent(url?.split('?')[1] ?? ''))}
      ${say}`)
const PAGES = {
  'www.site.example/': '<h1>Here</h1>',
  'www.site.example/hop': hop,
  'www.site.example/hop2': hop2,
  'www.site.example/worker.js': inWorker(
    'fetch(at, { mode: "no-cors" }).then(() => 1, () => 0).then(postMessage)',
  ),
  'www.site.example/shared.js': inWorker(
    'onconnect = ({ ports }) => fetch(at, { mode: "no-cors" }).then(() => 1, () => 0).then((x) => ports[0].postMessage(x))',
  ),
  '*/x': 'x',
}
const attempt = (script: string, url: string) =>
  `new Promise((done) => { const URL_ = ${JSON.stringify(url)}; ${script} }).then(() => 'tried')`

describe.skipIf(!hasBrowser)('requests of a page', () => {
  test.each(Object.entries(ATTEMPTS))('reach no foreign host by %s', async (_, script) => {
    await onShared(PAGES, async (page) => {
      await page.goto('/')
      // In parallel, since one after the other takes long.
      const tries = FOREIGN.map((url) => attempt(script, url))
      expect(await page.evaluate(`Promise.all([${tries}])`)).toEqual(FOREIGN.map(() => 'tried'))
    })
    expect(web.requests.filter((name) => !name.startsWith('www.site.example/'))).toEqual([])
  })

  test('send no datagram to any address by WebRTC', async () => {
    const received: string[] = []
    const socket = createSocket('udp4', (bytes) => void received.push(bytes.toString('hex')))
    await new Promise<void>((go) => socket.bind(0, '127.0.0.1', go))
    const { port } = socket.address()
    await onShared(PAGES, async (page) => {
      await page.goto('/')
      const gathered = await page.evaluate(`(async () => {
        const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${port}' }] })
        peer.createDataChannel('x')
        await peer.setLocalDescription(await peer.createOffer())
        while (peer.iceGatheringState !== 'complete') await new Promise((go) => setTimeout(go, 50))
        peer.close()
        return 'complete'
      })()`)
      expect(gathered).toBe('complete')
    })
    socket.close()
    expect(received).toEqual([])
  })

  test('reach the hosts of the source in all these ways', async () => {
    // Images are not loaded, and popups are always refused.
    const ways = Object.entries(ATTEMPTS).filter(([name]) => name !== 'an image' && name !== 'a popup')
    await onShared(PAGES, async (page) => {
      await page.goto('/')
      for (const [, script] of ways) await page.evaluate(attempt(script, 'http://b.cdn.example/x'))
      // No request is pending any more when the next test begins.
      await page.goto('/')
    })
    expect(web.requests.filter((name) => name === 'b.cdn.example/x').length).toBeGreaterThanOrEqual(
      ways.length,
    )
  })
})

describe.skipIf(!hasBrowser)('a page of a source', () => {
  test('refuses goto to foreign addresses, and follows no document redirect to them', async () => {
    await on({ ...PAGES, 'www.site.example/a': hop2 }, async (page) => {
      for (const url of [
        'file:///etc/passwd',
        'javascript:1',
        'data:text/html,x',
        'http://evil.example/',
        'http://www.site.example:8080/',
        'http://user:secret@www.site.example/',
        'http://b.cdn.example/',
        'http://127.0.0.1/',
        'chrome://version',
      ])
        expect([url, await failure(page.goto(url))]).toEqual([
          url,
          expect.stringMatching(/^TypeError: site may not open this/),
        ])
      expect(web.requests).toEqual([])
      for (const [to, code] of [
        ['http://evil.example/x', 'source-redirected'],
        ['http://b.cdn.example/x', 'source-redirected'],
        ['file:///etc/passwd', 'source-redirected'],
        ['http://consent.site.example/x', 'source-blocked'],
        ['/login', 'source-login-required'],
      ] as const) {
        web.requests.length = 0
        expect([to, await failure(page.goto(`/a?${encodeURIComponent(to)}`))]).toEqual([to, code])
        expect(web.requests).toEqual(['www.site.example/a'])
      }
    })
  })

  test.each([
    ["location.href = 'http://evil.example/x'", 'source-redirected'],
    ["history.pushState({}, '', '/login')", 'source-login-required'],
    ["document.querySelector('form').submit()", 'source-blocked'],
  ])('is ended by a script that navigates away: %s', async (script, code) => {
    const form = '<form action="http://consent.site.example/" method=post></form>'
    await on({ ...PAGES, 'www.site.example/': form }, async (page) => {
      await page.goto('/')
      const waiting = page.wait('#never')
      const answer = page.answers(/never/).next()
      await page.evaluate(`void setTimeout(() => { ${script} })`)
      expect(await failure(waiting)).toBe(code)
      expect(await failure(answer)).toBe(code)
      expect(await failure(page.url())).toBe(code)
    })
    expect(web.requests).toEqual(['www.site.example/'])
  })

  test('whose script navigates to an interstitial before it has loaded ends goto', async () => {
    const home = '<script>location.href = "/login"</script><script src=/slow.js></script>'
    const slow: (typeof web.pages)[string] = (response) => {
      setTimeout(() => response.writeHead(200, { 'content-type': 'text/javascript' }).end(), 200)
    }
    const pages = { 'www.site.example/': home, 'www.site.example/slow.js': slow }
    await on(pages, async (page) => {
      expect(await failure(page.goto('/'))).toBe('source-login-required')
    })
    expect(web.requests).not.toContain('www.site.example/login')
  })

  test('keeps working when a frame in it navigates to a foreign host, which gets no request', async () => {
    const pages = {
      ...PAGES,
      'www.site.example/': '<iframe src=/frame></iframe><h1>Here</h1>',
      'www.site.example/frame': '<script>location.href = "http://evil.example/x"</script>',
    }
    await on(pages, async (page) => {
      await page.goto('/')
      expect(await page.wait('h1')).toBe(true)
    })
    expect(web.requests).not.toContain('evil.example/x')
  })
})

describe.skipIf(!hasBrowser)('from https to http', () => {
  // On a replaced origin, where pages see the public https address.
  const secure = { ...site, name: 'secure', origin: 'https://www.site.example' }
  const led: Pages = Object.fromEntries(
    ['down', 'login'].map((path) => [
      `*/${path}`,
      (response) => response.writeHead(302, { location: 'http://www.site.example/plain' }).end(),
    ]),
  )
  beforeAll(() => {
    origins.secure = `http://127.0.0.1:${web.port}`
  })
  const paths = () => web.requests.map((name) => name.slice(name.indexOf('/')))

  test('a page follows no redirect and no navigation by a script', async () => {
    const pages = { ...led, '*/': '<h1>Here</h1>' }
    await on(
      pages,
      async (page) => {
        expect(await failure(page.goto('/down'))).toBe('source-redirected')
        expect(paths()).toEqual(['/down'])
        await page.goto('/')
        const waiting = page.wait('#never')
        await page.evaluate("void setTimeout(() => { location.href = 'http://www.site.example/plain' })")
        expect(await failure(waiting)).toBe('source-redirected')
        expect(paths()).toEqual(['/down', '/'])
      },
      { site: secure },
    )
  })

  test('a sign-in follows no redirect, and the person is told', async () => {
    web.pages = led
    web.requests.length = 0
    const events = new SessionEvents()
    const wanted = { site: secure, login: LOGIN, viewport: VIEWPORT, exit: null, onEvent: events.onEvent }
    const signIn = await browsers.signIn(wanted)
    await until(() => events.last('notice')?.code === 'unencrypted')
    expect(paths()).toEqual(['/login'])
    await signIn.close()
  })
})
