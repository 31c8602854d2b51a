/**
 * Hostile pages: a person can still sign in at them or leave them, and nothing of them persists.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import { until } from '../../../rigs/servers/processes.ts'
import { hasBrowser } from '../../../src/plugin/testing.ts'
import { renderersOf } from '../../browser/processes.ts'
import { site } from '../../browser/web.ts'
import { FORM, LOGIN, stack, VIEWPORT } from './person.ts'
import { PAGE, PHONE, startSignIns } from './web.ts'

const { web, browsers, failures, on, inShared, opened } = startSignIns()

const ALIVE = '<button onclick="document.title = \'alive\'">a</button>'
const NEXT = 'www.site.example/next'

describe.skipIf(!hasBrowser)('a person', () => {
  test.each([
    ['with a mouse', VIEWPORT],
    ['with a finger', PHONE],
  ])('chooses from a list %s and by keys', async (_, viewport) => {
    const options = ['One', 'Two', 'Three'].map((name) => `<option>${name}`).join('')
    const pages = {
      [PAGE]: `<!doctype html><meta name=viewport content="width=device-width"><title>-</title><style>
          * { margin: 0; border: 0; padding: 0; box-sizing: border-box; font: 16px/20px monospace }
          select { appearance: none; width: 200px; height: 40px } option { height: 40px; min-height: 0 }
          </style><select aria-label=List onchange="document.title = value">${options}</select>`,
    }
    const { events, person } = await (viewport.touch ? on(pages, LOGIN, viewport) : inShared(pages))
    const press = (x: number, y: number) => {
      if (!viewport.touch) return person.click(x, y)
      person.touch('down', x, y)
      person.touch('up', x, y)
    }
    press(50, 20)
    await events.label('One')
    // The second option, below the list.
    press(50, 100)
    await events.title('Two')
    await events.label('List')
    person.key(' ')
    await events.label('Two')
    person.key('ArrowDown')
    await events.label('Three')
    person.key('Enter')
    await events.title('Three')
  })

  test('never receives the content of a field, whichever element has the focus', async () => {
    const fields = [
      '<input type=password value=canary>',
      '<textarea>canary</textarea>',
      '<div contenteditable>canary</div>',
      '<div contenteditable id=own aria-labelledby=own>canary</div>',
      '<select><option>canary</select>',
      '<div tabindex=0>canary</div>',
      '<button>last</button>',
    ]
    const { events, person } = await inShared({ [PAGE]: stack(...fields) })
    for (const _ of fields) person.key('Tab')
    await events.label('last')
    expect(JSON.stringify(events.events)).not.toContain('canary')
  })

  test('can focus a password field in a frame of a login host', async () => {
    const { events, person } = await inShared({
      [PAGE]: '<title>t</title><iframe src=http://id.example/frame></iframe>',
      'id.example/frame': `<input autofocus type=password aria-label=Framed
        oninput="parent.postMessage(value.length, '*')">`,
    })
    person.click(50, 30)
    await events.label('Framed')
    expect(events.last('focus')?.focus).toMatchObject({ editable: true, kind: 'password' })
  })

  test('sees no bidi or control characters in labels, titles, notices and addresses', async () => {
    const name = '\u202etxt.\u2066evil\u0007'
    const { events, person } = await inShared({
      [PAGE]: `<title>${name}</title>${stack(`<button aria-label="${name}" onclick="alert('${name}')">b</button>`)}
        <script>history.replaceState(0, '', '/login?' + '\u202e'.repeat(3000))</script>`,
    })
    person.click(50, 25)
    await events.label('txt. evil')
    await until(() => events.notices().includes('dialog'))
    await events.title('txt. evil')
    expect(events.last('notice')?.text).toBe('The site says: txt. evil')
    expect(events.last('address')?.url).toMatch(/^http:\/\/www\.site\.example\/login\?[%\w]{1900,1999}$/)
  })

  test('sees a window that a link or a script opens in place of the page, and can go back', async () => {
    const { signIn, events, person } = await on({
      [PAGE]: stack(
        '<a target=_blank href=/next>x</a>',
        '<button onclick="window.open(\'/next\')">b</button>',
      ),
      [NEXT]: '<title>next</title>',
    })
    for (const y of [25, 75]) {
      person.click(50, y)
      await events.title('next')
      signIn.send({ type: 'back' })
      await until(() => events.last('address')?.url === 'http://www.site.example/login')
      await until(() => events.last('loading')?.loading === false)
    }
    expect(events.notices()).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('a page', () => {
  test.each([
    ['that reloads without end', '<meta http-equiv=refresh content=0>'],
    [
      'that prints at once, frames URLs of other programs, and shadows properties of the document',
      `<script>print()</script><iframe src="weird://x"></iframe><iframe src=/program></iframe>
        <img name=activeElement><form name=title></form>`,
    ],
    [
      'of 50,000 pixels with 2,000 fields',
      `<div style="width:50000px;height:50000px">x</div><form>${'<label>x<input></label>'.repeat(2000)}</form>`,
    ],
  ])('%s takes input, delivers a frame and can be closed', async (_, html) => {
    const { signIn, person } = await opened({
      [PAGE]: `<title>t</title>${html}${stack(ALIVE)}<script>const alive = document.querySelector('button')
        alive.addEventListener('click', () => fetch('/alive'))</script>`,
      'www.site.example/program': (response) => response.writeHead(302, { location: 'mailto:a@b' }).end(),
    })
    // Five clicks a second: a busy page cannot take as many as the test could send.
    let looks = 0
    await until(() => {
      if (looks++ % 20 === 0) person.click(50, 25)
      return web.requests.includes('www.site.example/alive')
    })
    expect((await signIn.frame(true)).width).toBe(800)
    await signIn.close()
    expect(failures).toEqual([])
  })

  test('that opens a hundred windows gets one in its own place, with at most four requests', async () => {
    const { events, person } = await on({
      [PAGE]: stack(
        '<button onclick="let n = 0; for (let i = 0; i < 100; i++) n += !!window.open(\'/next?\' + i)">b</button>',
      ),
      [NEXT]: '<title>next</title>',
    })
    person.click(50, 25)
    await events.title('next')
    expect(web.requests.filter((address) => address === NEXT).length).toBeLessThanOrEqual(4)
  })

  test('with an endless script can be reloaded, and its renderer ends with the sign-in', async () => {
    const LOOP = `<button onclick="const to = new XMLHttpRequest(); to.open('GET', '/loop', false); to.send(); for (;;);">b</button>`
    const looping = 'www.site.example/loop'
    let loads = 0
    const before = renderersOf(process.pid)
    const { signIn, events, person } = await on({
      [PAGE]: (response) =>
        void response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(`<title>${++loads}</title>${stack(LOOP, ALIVE)}`),
      [looping]: '',
    })
    const loops = () => web.requests.filter((address) => address === looping).length
    person.click(50, 25)
    await until(() => loops() === 1)
    person.type('nobody takes this')
    signIn.send({ type: 'reload' })
    await events.title('2')
    person.click(50, 75)
    await events.title('alive')
    person.click(50, 25)
    await until(() => loops() === 2)
    await signIn.close()
    await until(() => renderersOf(process.pid).every((pid) => before.includes(pid)))
  })

  test('with a service worker that answers every request still signs in at the site itself', async () => {
    const login = { url: '/login', signedIn: { cookies: ['session'], url: /home/ } }
    const { signIn, events, person } = await on(
      {
        [PAGE]: `${FORM}<script>navigator.serviceWorker?.register('/worker.js')</script>`,
        'www.site.example/worker.js': (response) =>
          void response
            .writeHead(200, { 'content-type': 'text/javascript' })
            .end(`onfetch = (event) => event.respondWith(new Response('<title>worker</title>'))
              oninstall = () => skipWaiting()
              onactivate = (event) => event.waitUntil(clients.claim())`),
        'www.site.example/in': (response) =>
          response.writeHead(302, { location: '/home', 'set-cookie': 'session=1' }).end(),
        'www.site.example/home': '<title>home</title>',
      },
      login,
    )
    await events.label('Name')
    person.key('Enter')
    const { state } = await signIn.outcome
    expect(JSON.parse(state).cookies).toMatchObject([{ name: 'session', value: '1' }])
  })
})

describe.skipIf(!hasBrowser)('sign-ins', () => {
  test('opened and closed concurrently on redirecting pages, beside pages of runs, cause no failure', async () => {
    web.pages = {
      [PAGE]: '<script>location.replace("/next")</script>',
      [NEXT]: (response) => response.writeHead(302, { location: '/last' }).end(),
      'www.site.example/last': '<title>last</title>',
    }
    let left = 6
    const person = async () => {
      while (left-- > 0) {
        const signIn = await browsers.signIn({
          site,
          login: LOGIN,
          viewport: VIEWPORT,
          exit: null,
          onEvent: () => {},
        })
        await signIn.frame(left % 2 === 0)
        await signIn.close()
      }
    }
    const run = async () => {
      while (left > 0) {
        const page = await browsers.open({ site })
        await page.goto('/last')
        await page.close()
      }
    }
    await Promise.all([person(), person(), run()])
    expect(failures).toEqual([])
  })
})
