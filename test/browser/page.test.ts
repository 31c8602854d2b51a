/**
 * What tasks can do with a page, and what a page is prevented from doing.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { delay } from '../../src/async/delay.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import { failure, startWeb } from './web.ts'

const { web, on, onShared } = startWeb()
const HOME = 'www.site.example/'

/** Responses that stay open until the test ends them. */
const heldResponses: ServerResponse[] = []
const hold = (head: string) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/html' })
  response.write(head)
  heldResponses.push(response)
}

describe.skipIf(!hasBrowser)('a page', () => {
  test('looks like an ordinary browser with a window to a site', async () => {
    const environment = await onShared(
      { [HOME]: '<script>var names = Object.getOwnPropertyNames(window)</script>' },
      async (page) => {
        await page.goto('/')
        return page.evaluate(`({
        agent: navigator.userAgent, platform: navigator.platform, driven: navigator.webdriver, languages: navigator.languages.join(),
        fits: outerWidth <= screen.width && outerHeight <= screen.height,
        names: names.filter((name) => /playwright|pw|cdc|driver/i.test(name) && name !== 'webdriver'),
      })`)
      },
    )
    expect(environment).toEqual({
      agent: expect.stringMatching(
        /^Mozilla\/5\.0 \((X11; Linux x86_64|Macintosh; Intel Mac OS X 10_15_7)\) AppleWebKit\/537\.36 \(KHTML, like Gecko\) Chrome\/\d+\.0\.0\.0 Safari\/537\.36$/,
      ),
      // The processor that its user agent names, on every machine.
      platform: process.platform === 'darwin' ? 'MacIntel' : 'Linux x86_64',
      driven: false,
      languages: 'en-US,en',
      fits: true,
      names: [],
    })
  })

  test('a second document is scrolled at once', async () => {
    await on({ [HOME]: '<body style="height:9000px">' }, async (page) => {
      for (const query of ['first', 'second']) {
        await page.goto('/', { query: { query } })
        expect(await page.scroll({ by: 100 })).toBe(true)
      }
    })
  })

  test('waits, clicks, fills, presses and scrolls as a visitor does', async () => {
    const body = `<!doctype html><title>T</title><p class=x hidden>first</p><input value=old><input>
      <button onclick="said = [event.isTrusted, written()]">b</button><div id=box style="height:99px;overflow:auto"><p style="height:999px"></p></div>
      <script>
        const written = () => document.querySelector('input').value
        document.querySelector('input').onkeydown = ({ key }) => { if (key === 'Enter') pressed = written() }
        box.onscroll = () => { if (box.scrollTop === 300) document.body.insertAdjacentHTML('beforeend', '<p class=x>second</p>') }
      </script>`
    await onShared({ [HOME]: body }, async (page) => {
      expect(await page.goto('/', { query: { q: 'a b&c', page: 2, none: undefined } })).toEqual({
        status: 200,
        url: 'http://www.site.example/?q=a+b%26c&page=2',
      })
      expect(await page.wait('.x', { timeoutS: 0.1 })).toBe(false)
      expect(await page.fill('input', 'zwei Wörter')).toBe(true)
      await page.press('Enter')
      expect(await page.evaluate('pressed')).toBe('zwei Wörter')
      expect(await page.fill('input', '')).toBe(true)
      expect(await page.click('button')).toBe(true)
      expect(await page.evaluate('said')).toEqual([true, ''])
      expect(await page.scroll({ selector: '#box', by: 300 })).toBe(true)
      expect(await page.wait('.x')).toBe(true)
      expect(await page.scroll({ selector: '#none' })).toBe(false)
      expect(await page.click('#none', { timeoutS: 0.1 })).toBe(false)
      expect(await page.fill('#none', 'x', { timeoutS: 0.1 })).toBe(false)
      expect(await page.html()).toStartWith('<!DOCTYPE html>\n<html><head><title>T</title>')
    })
  })

  test('does not click a covered element until the cover is gone', async () => {
    const body = `<button onclick="said = 1">b</button><div id=over style="position:fixed;inset:0">cookies</div>`
    await onShared({ [HOME]: body }, async (page) => {
      await page.goto('/')
      expect(await page.click('button', { timeoutS: 0.1 })).toBe(false)
      await page.evaluate('void setTimeout(() => over.remove(), 50)')
      expect(await page.click('button')).toBe(true)
      expect(await page.evaluate('said')).toBe(1)
    })
  })

  test('evaluates expressions beside its scripts: values come back as JSON, errors with their message', async () => {
    await onShared(
      { [HOME]: '<script>var state = { at: new Date(0), id: "7" }; JSON.parse = 0</script>' },
      async (page) => {
        await page.goto('/')
        expect(await page.evaluate('state')).toEqual({ at: '1970-01-01T00:00:00.000Z', id: '7' })
        expect(await page.evaluate('Promise.resolve([undefined, NaN])')).toEqual([null, null])
        expect(await page.evaluate('void 0')).toBeNull()
        expect(await page.evaluate('1 // a comment')).toBe(1)
        expect(await failure(page.evaluate('Promise.reject(new TypeError("no list"))'))).toContain('no list')
        expect(await failure(page.evaluate('1 +'))).toContain('SyntaxError')
        expect(await failure(page.evaluate((() => 1) as never))).toContain('an expression as text')
        for (const pattern of ['/api/', undefined, /api/g])
          expect(() => page.answers(pattern as never)).toThrow(TypeError)
        expect(await failure(page.wait('!'))).toContain('not a valid selector')
      },
    )
  })

  test('loads images, fonts and media only on request', async () => {
    const body = `<link rel=icon href=/icon.png><style>@font-face { font-family: f; src: url(/f.woff2) } h1 { font-family: f; background: url(/b.png) }</style>
      <h1>x</h1><img src=/i.png><video src=/v.mp4 preload=auto></video><audio src=/a.mp3 preload=auto></audio>`
    const pages = { [HOME]: body }
    // Checked while the page is open: Chromium releases a held request when its page closes.
    await on(pages, async (page) => {
      await page.goto('/')
      expect(web.requests).toEqual([HOME])
    })
    await on(pages, (page) => page.goto('/'), { load: ['images', 'fonts'] })
    // Chromium sometimes requests the icon as an image.
    const requests = web.requests.filter((address) => !address.endsWith('icon.png'))
    expect(requests.toSorted()).toEqual([HOME, `${HOME}b.png`, `${HOME}f.woff2`, `${HOME}i.png`])
    await on(
      pages,
      async (page) => {
        await page.goto('/')
        expect(
          await page.evaluate(
            `new Promise((go) => { const v = document.querySelector('video'); v.error ? go('x') : (v.onerror = () => go('x')) })`,
          ),
        ).toBe('x')
      },
      { load: ['media'] },
    )
    expect(web.requests).toContain(`${HOME}v.mp4`)
  })

  test('delivers responses while it is loading, to every matching listener', async () => {
    const pages = {
      [HOME]: hold(
        '<h1>x</h1><script>fetch("/api/1"); fetch("/api/2?x=1", { method: "POST", body: "b" })</script>'.padEnd(
          2048,
        ),
      ),
      [`${HOME}api/1`]: (response: ServerResponse) =>
        response
          .writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-1', 'x-a': '1' })
          .end(Buffer.from([0xe9])),
      [`${HOME}api/2`]: (response: ServerResponse) =>
        response.writeHead(404, { 'content-type': 'application/json' }).end('{"a":1}'),
    }
    await onShared(pages, async (page) => {
      const all = page.answers(/\/api\//)
      const second = page.answers(/api\/2/)
      await page.goto('/', { until: 'commit' })
      const replies = [await all.next(), await all.next()].toSorted((a, b) =>
        (a?.url ?? '').localeCompare(b?.url ?? ''),
      )
      expect(replies.map((reply) => [reply?.status, reply?.url])).toEqual([
        [200, 'http://www.site.example/api/1'],
        [404, 'http://www.site.example/api/2?x=1'],
      ])
      expect([await replies[0]?.text(), replies[0]?.headers.get('x-a')]).toEqual(['é', '1'])
      const reply = await second.next()
      expect([await reply?.json(), await reply?.text(), [...(await reply!.bytes())].length]).toEqual([
        { a: 1 },
        '{"a":1}',
        7,
      ])
      expect(await all.next({ timeoutS: 0.05 })).toBeNull()
      expect(await page.evaluate('document.readyState')).toBe('loading')
    })
    for (const response of heldResponses.splice(0)) response.end()
  })

  test('refuses to read a response that is too large, and keeps working', async () => {
    const pages = {
      [HOME]: '<h1>x</h1>',
      [`${HOME}large`]: (response: ServerResponse) => response.end(Buffer.alloc(17 * 1024 * 1024)),
      [`${HOME}bomb`]: (response: ServerResponse) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(64 * 1024 * 1024))),
      [`${HOME}small`]: 'small',
    }
    await onShared(pages, async (page) => {
      await page.goto('/')
      for (const path of ['large', 'bomb']) {
        const answers = page.answers(new RegExp(path))
        await page.evaluate(`fetch('/${path}').then((r) => r.arrayBuffer()).then((b) => b.byteLength)`)
        const reply = await answers.next()
        expect(['response-too-large', 'source-unavailable']).toContain(await failure(reply!.text()))
      }
      const small = page.answers(/small/)
      await page.evaluate("void fetch('/small')")
      expect(await (await small.next())?.text()).toBe('small')
    })
  })

  test('refuses more than 100 collections of responses', async () => {
    await on({}, async (page) => {
      for (let n = 0; n < 100; n++) page.answers(/never/)
      expect(() => page.answers(/never/)).toThrow('100 times')
    })
  })

  test('times out when its document or a response never arrives', async () => {
    await on({ [HOME]: hold('<h1>x</h1>'.padEnd(2048)) }, async (page) => {
      const answers = page.answers(/never/)
      expect(await failure(page.goto('/', { timeoutS: 0.5 }))).toBe('source-unavailable')
      expect(await answers.next({ timeoutS: 0.05 })).toBeNull()
      expect(await failure(page.goto('/', { timeoutS: 30, until: 'commit' }))).toStartWith('no failure')
    })
    for (const response of heldResponses.splice(0)) response.end()
  })

  test('is cut off with response-too-large when it loads endless data', async () => {
    const endless = (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' })
      const piece = Buffer.alloc(1024 * 1024, 'x')
      const more = () => {
        while (!response.destroyed && response.write(piece));
      }
      response.on('drain', more)
      more()
    }
    await on({ [HOME]: '<h1>x</h1>', [`${HOME}endless`]: endless }, async (page) => {
      await page.goto('/')
      // The data is read and discarded, as a media player does.
      const reading = page.evaluate(
        `fetch('/endless').then(async (r) => { const body = r.body.getReader(); while (!(await body.read()).done); })`,
      )
      expect(await failure(reading)).toBe('response-too-large')
    })
  }, 60_000)

  test('with 100,000 elements can be read, and a value that is too large is refused', async () => {
    const many = (response: ServerResponse) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<body hidden>${'<p>x'.repeat(100_000)}`)
    await onShared({ [HOME]: many }, async (page) => {
      await page.goto('/', { until: 'domcontentloaded' })
      expect((await page.html()).length).toBeGreaterThan(800_000)
      expect(await failure(page.evaluate('"x".repeat(33 * 2 ** 20)'))).toBe('response-too-large')
    })
  })

  test('is not blocked by dialogs, popups, downloads, file choosers or permission requests', async () => {
    const pages = {
      [HOME]: `<script>
          var log = [alert('x') === undefined, confirm('x'), prompt('x')]
          onbeforeunload = () => 'stay?'
        </script><input type=file><a href=/file download>d</a><button onclick="open('/popup')">p</button>`,
      [`${HOME}popup`]: '<script>opener.document.title = "seen"</script>',
      [`${HOME}file`]: (response: ServerResponse) =>
        response
          .writeHead(200, { 'content-type': 'application/zip', 'content-disposition': 'attachment' })
          .end('x'),
      [`${HOME}next`]: 'next',
    }
    await on(pages, async (page) => {
      await page.goto('/')
      expect(await page.evaluate('log')).toEqual([true, false, null])
      expect(await page.click('a')).toBe(true)
      expect(await page.click('input')).toBe(true)
      expect(await page.click('button')).toBe(true)
      const states = `Promise.all(['geolocation', 'notifications', 'camera'].map((name) => navigator.permissions.query({ name }).then((p) => p.state)))`
      expect(await page.evaluate(states)).toEqual(['denied', 'denied', 'denied'])
      expect(await failure(page.goto('/file'))).toBe('source-changed')
      expect(await page.goto('/next')).toEqual({ status: 200, url: 'http://www.site.example/next' })
    })
  })

  test('in an endless loop delays neither its own end nor other pages', async () => {
    await on({ [HOME]: '<h1>x</h1>' }, async (page) => {
      await page.goto('/')
      void page.evaluate('(() => { for (;;); })()').catch(() => {})
      await delay(50)
    })
    await onShared({ [HOME]: '<h1>x</h1>' }, async (page) => {
      await page.goto('/')
      expect(await page.wait('h1')).toBe(true)
    })
  })

  test('that navigates while it is read is read again, or fails with source-unavailable', async () => {
    const pages = { [HOME]: '<h1>one</h1>', [`${HOME}two`]: '<h1>two</h1><p id=p>p</p>' }
    await onShared(pages, async (page) => {
      await page.goto('/')
      await page.evaluate("void setTimeout(() => (location.href = '/two'))")
      expect(await page.wait('#p')).toBe(true)
      expect(await page.html()).toContain('two')
      const moved = page.evaluate("new Promise(() => (location.href = '/'))")
      expect(await failure(moved)).toBe('source-unavailable')
    })
  })
})
