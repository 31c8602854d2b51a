/**
 * A person drives a page in a real browser: all kinds of input arrive as they would from a window, and nothing that a
 * page asks for or opens takes control away from the person.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import type { ServerResponse } from 'node:http'
import { until } from '../../../rigs/servers/processes.ts'
import { hasBrowser } from '../../../src/plugin/testing.ts'
import { FORM, LOGIN, sizeOf, stack } from './person.ts'
import { PAGE, PHONE, startSignIns } from './web.ts'

const { web, on, inShared } = startSignIns()

describe.skipIf(!hasBrowser)('a person who signs in', () => {
  test('types, corrects, moves with Tab, and submits with Enter', async () => {
    const posted: string[] = []
    const { events, person } = await inShared({
      [PAGE]: FORM,
      'www.site.example/in': (response, request) => {
        posted.push(`${request.method}`)
        response.end('<title>in</title>')
      },
    })
    await events.label('Name')
    expect(events.last('focus')?.focus).toEqual({
      editable: true,
      kind: 'text',
      label: 'Name',
      multiline: false,
    })
    person.type('Ab.1é')
    await events.title('Ab.1é||')
    person.key('Backspace')
    person.key('Home')
    person.key('Delete')
    person.type('ä')
    await events.title('äb.1||')
    person.key('Tab')
    await events.label('Secret')
    expect(events.last('focus')?.focus?.kind).toBe('password')
    person.type('s')
    person.key('Tab', 8)
    await events.label('Name')
    // Select all, with Ctrl and with Command.
    person.key('a', 2, 'KeyA')
    person.type('x')
    await events.title('x|s|')
    person.type('y')
    person.key('a', 4, 'KeyA')
    person.type('z')
    await events.title('z|s|')
    person.key('Enter', 0, 'Enter')
    await events.title('in')
    expect(posted).toEqual(['POST'])
  })

  test('pastes, and composes with an input method', async () => {
    const { events, person } = await inShared({ [PAGE]: FORM })
    await events.label('Name')
    person.text('pasted 😀\n')
    await events.title('pasted 😀||')
    person.key('Tab')
    person.key('Tab')
    await events.label('Note')
    expect(events.last('focus')?.focus?.multiline).toBe(true)
    person.compose('に')
    person.compose('にほ')
    await events.title('pasted 😀||にほ')
    person.text('日本')
    person.key('Enter')
    person.text('b\nc')
    await until(() => /日本\s+b\s+c$/.test(events.last('address')?.title ?? ''))
  })

  test('clicks, double-clicks and turns the wheel', async () => {
    const { signIn, events, person } = await inShared({
      [PAGE]: `${stack('<button onclick="document.title = detail()">b</button>')}
        <p style="top:3000px">low</p><script>
        const detail = () => event.detail + (event.isTrusted ? '' : '!')
        onscroll = () => { document.title = 'scrolled' }</script>`,
    })
    person.click(50, 25)
    await events.title('1')
    person.click(50, 25, 2)
    await events.title('2')
    person.wheel(400, 300, 250)
    await events.title('scrolled')
    await until(async () => (await signIn.frame(true)).scroll.y === 250)
  })

  test('drags a slider, and selects text by dragging', async () => {
    const { signIn, events } = await inShared({
      [PAGE]: `<body style="margin:0"><input type=range value=0 style="display:block;margin:0;width:400px;height:50px">
        <p style="font:30px monospace;margin:0">some words</p><script>
        oninput = (event) => { document.title = Number(event.target.value) > 40 ? 'moved' : '' }
        document.onselectionchange = () => { document.title = getSelection() }</script>`,
    })
    const mouse = { type: 'pointer', pointerType: 'mouse', pointerId: 1, modifiers: 0 } as const
    const drag = (y: number) => {
      signIn.send({ ...mouse, action: 'down', x: 1, y, button: 0, buttons: 1, clicks: 1 })
      for (const x of [100, 300])
        signIn.send({ ...mouse, action: 'move', x, y, button: -1, buttons: 1, clicks: 0 })
      signIn.send({ ...mouse, action: 'up', x: 300, y, button: 0, buttons: 0, clicks: 1 })
    }
    drag(25)
    await events.title('moved')
    drag(65)
    await events.title('some words')
  })

  test('taps and scrolls with a finger', async () => {
    const { events, person } = await on(
      {
        [PAGE]: `${stack('<button>b</button>')}<p style="top:3000px">low</p><script>
          document.querySelector('button').onclick = (event) => { document.title = event.pointerType + navigator.maxTouchPoints }
          onscroll = () => { if (scrollY > 50) document.title = 'scrolled' }</script>`,
      },
      LOGIN,
      PHONE,
    )
    person.touch('down', 50, 25)
    person.touch('up', 50, 25)
    await events.title('touch1')
    person.touch('down', 200, 500)
    for (let y = 490; y > 200; y -= 10) person.touch('move', 200, y)
    person.touch('up', 200, 200)
    await events.title('scrolled')
  })

  test('is told which field has the focus, also in frames of other hosts and in shadow roots', async () => {
    const frame = (path: string) => `<iframe src=${path} style="width:300px;height:100px"></iframe>`
    const { events, person } = await inShared({
      [PAGE]: `${stack(`<div>${frame('http://other.site.example/frame')}</div>`)}<my-field style="top:200px"></my-field><script>
        document.querySelector('my-field').attachShadow({ mode: 'open' }).innerHTML = '<input aria-label=Inside type=email>'
        </script>`,
      'other.site.example/frame':
        '<body style="margin:0"><input type=tel placeholder=Framed autocomplete=off>',
    })
    person.click(30, 15)
    await events.label('Framed')
    expect(events.last('focus')?.focus?.kind).toBe('tel')
    person.click(30, 215)
    await events.label('Inside')
    expect(events.last('focus')?.focus?.kind).toBe('email')
  })

  test('goes back, reloads, and sees the current address', async () => {
    const { signIn, events, person } = await on({
      [PAGE]: stack('<a href="/next?x=1#y">next</a>'),
      'www.site.example/next': '<title>next</title>',
    })
    expect(events.last('address')?.url).toBe('http://www.site.example/login')
    person.click(50, 25)
    await events.title('next')
    expect(events.last('address')?.url).toBe('http://www.site.example/next?x=1#y')
    const count = web.requests.length
    signIn.send({ type: 'reload' })
    await until(
      () =>
        web.requests.length > count &&
        events.last('loading')?.loading === false &&
        events.last('address')?.title === 'next',
    )
    signIn.send({ type: 'back' })
    await until(() => events.last('address')?.url === 'http://www.site.example/login')
    await until(() => events.last('loading')?.loading === false)
    // Without an earlier page, this does nothing.
    signIn.send({ type: 'back' })
    person.click(50, 25)
    await events.title('next')
  })
})

const FILE = (response: ServerResponse) =>
  void response
    .writeHead(200, { 'content-type': 'application/zip', 'content-disposition': 'attachment' })
    .end('x')

const FORM_TO_MAIL =
  '<form action="mailto:a@site.example"><button style="width:100%;height:100%">b</button></form>'
/** Four pages, since notices with the same text within a second are reported once. */
const ANNOYANCES = [
  [
    ['alert', 'dialog', '<button onclick="alert(1)">b</button>'],
    ['an empty window', 'popup', '<button onclick="window.open()">b</button>'],
    ['a window of another site', 'left-hosts', '<a target=_blank href="http://evil.example/">b</a>'],
    ['a download', 'download', '<a href=/file>b</a>'],
    ['a file', 'file', '<input type=file>'],
    ['a printer', 'print', '<button onclick="print()">b</button>'],
    ['a mail program', 'protocol', '<a href="mailto:a@site.example">b</a>'],
    ['a date from a calendar', 'picker', '<input type=date>'],
  ],
  [
    ['confirm', 'dialog', '<button onclick="confirm(1)">b</button>'],
    ['a window of another program', 'popup', '<button onclick="window.open(\'weird://x\')">b</button>'],
    ['another program by a redirect', 'protocol', '<a href=/program>b</a>'],
    ['a colour', 'picker', '<input type=color>'],
    ['another site', 'left-hosts', '<a href="http://evil.example/">b</a>'],
  ],
  [
    ['prompt', 'dialog', '<button onclick="prompt(1)">b</button>'],
    [
      'the whole screen',
      'full-screen',
      '<button onclick="document.documentElement.requestFullscreen()">b</button>',
    ],
    ['another program', 'protocol', '<button onclick="location.href = \'weird://x\'">b</button>'],
    ['another site by a redirect', 'left-hosts', '<a href=/away>b</a>'],
  ],
  [
    ['an address without a name', 'left-hosts', '<a href="http://127.0.0.1:1/">b</a>'],
    ['a mail program by a form', 'protocol', FORM_TO_MAIL],
  ],
] as const
const ALIVE =
  '<button onclick="document.title = \'alive \' + (this.clicks = (this.clicks ?? 0) + 1)">a</button>'

describe.skipIf(!hasBrowser)('a page of a sign-in', () => {
  test.each(ANNOYANCES.map((wants) => [wants.map(([what]) => what).join(', '), wants] as const))(
    'that wants %s gets none of it, the person is told, and the page keeps working',
    async (_, wants) => {
      const { signIn, events, person } = await on({
        [PAGE]: stack(ALIVE, ...wants.map(([, , element]) => element)),
        'www.site.example/file': FILE,
        'www.site.example/away': (response) =>
          response.writeHead(302, { location: 'http://evil.example/' }).end(),
        'www.site.example/program': (response) => response.writeHead(302, { location: 'app://x' }).end(),
      })
      for (const [index, [what]] of wants.entries()) {
        person.click(50, 75 + 50 * index)
        await until(() => events.notices().length > index)
        expect([what, events.notices()]).toEqual([what, wants.slice(0, index + 1).map(([, each]) => each)])
        person.click(50, 25)
        await events.title(`alive ${index + 1}`)
      }
      expect(events.last('address')?.url).toBe('http://www.site.example/login')
      expect(sizeOf(await signIn.frame(true))).toEqual([800, 600])
      expect(web.requests.filter((address) => /evil|127/.test(address))).toEqual([])
    },
  )

  test('with a beforeunload handler can be left', async () => {
    const { events, person } = await inShared({
      [PAGE]:
        stack('<a href=/next>next</a>', '<button>x</button>') +
        '<script>onbeforeunload = () => false</script>',
      'www.site.example/next': '<title>next</title>',
    })
    // Without a click, the browser does not call the handler.
    person.click(50, 75)
    person.click(50, 25)
    await events.title('next')
    expect(events.notices()).toEqual(['dialog'])
  })

  test('reaches the hosts of the login, and no other host', async () => {
    const image = (host: string) => `<img src=http://${host}/i>`
    const { events, person } = await inShared({
      [PAGE]: stack('<a href="http://id.example/">id</a>'),
      'id.example/': `<title>id</title>${['id.example', 'a.cdn.example', 'evil.example'].map(image).join('')}`,
    })
    person.click(50, 25)
    await events.title('id')
    await until(() => web.requests.includes('a.cdn.example/i') && web.requests.includes('id.example/i'))
    expect(web.requests.filter((address) => /evil/.test(address))).toEqual([])
  })

  test('that opens dialogs without end causes at most ten notices', async () => {
    const { events, person } = await inShared({
      [PAGE]: stack(
        "<button onclick=\"for (let i = 0; i < 20; i++) alert('x'.repeat(300) + i); document.title = 'done'\">b</button>",
      ),
    })
    person.click(50, 25)
    await events.title('done')
    expect(events.notices().length).toBeLessThanOrEqual(10)
    expect(events.last('notice')?.text.length).toBeLessThan(230)
  })

  test('that cannot be loaded is reported, and can be reloaded', async () => {
    const { signIn, events } = await on({ [PAGE]: (response) => response.destroy() })
    await until(() => events.notices().includes('not-loaded'))
    web.pages = { [PAGE]: '<title>there</title>' }
    signIn.send({ type: 'reload' })
    await events.title('there')
    expect(events.last('address')?.url).toBe('http://www.site.example/login')
  })
})
