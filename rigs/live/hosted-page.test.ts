/**
 * The hosted page as a person sees it, in a real Chromium: how it forwards keys, touches and clicks, what it tells the
 * person, and what they can still do after a failure. The remote page is fake; sign-in.test.ts tests it end to end.
 */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, BrowserContextOptions, Page } from 'rebrowser-playwright'
import type { SignInInput } from '../../src/signin/browser/types.ts'
import { MOST_TEXT } from '../../src/signin/browser/types.ts'
import { until } from '../servers/processes.ts'
import { DESKTOP, HostedPerson, openBrowser, PHONE } from '../support/hosted-person.ts'
import { NAME_FIELD, type Stage, type StagePage, startStage } from '../support/hosted-stage.ts'

setDefaultTimeout(60_000)
const LINK_MS = 15 * 60_000

let browser: Browser
let stage: Stage
const people: HostedPerson[] = []
beforeAll(async () => {
  browser = await openBrowser()
  stage = await startStage(browser)
})
afterAll(async () => {
  await stage.close()
  await browser.close()
})
afterEach(async () => {
  for (const person of people.splice(0)) await person.leave()
})

async function person(...options: Parameters<Stage['person']>) {
  const opened = await stage.person(...options)
  people.push(opened.person)
  return opened
}
/** Keyed by device: people who have already opened a link. */
const inside = new Map<BrowserContextOptions, Promise<Awaited<ReturnType<Stage['person']>>>>()

/** One person for all tests that do not end the session. Reloading their page costs half as much as another page. */
async function samePerson(device = DESKTOP) {
  const known = inside.get(device)
  const opened = known ?? stage.person(device)
  inside.set(device, opened)
  const { person: at, remote } = await opened
  if (!known) return opened
  // Otherwise the page would get pointer events at the position where the previous test left the mouse.
  await at.page.mouse.move(0, 0)
  await at.page.reload()
  await at.isAt('User name')
  await at.screen()
  remote.acceptedInputs.length = 0
  return opened
}
async function visitor(...options: Parameters<Stage['visitor']>) {
  const guest = await stage.visitor(...options)
  people.push(guest)
  return guest
}

/** All inputs that reached the remote page, up to a key that is sent last. */
async function takenOf(page: Page, remote: StagePage): Promise<readonly SignInInput[]> {
  await page.evaluate(() => {
    const last = { key: 'PageDown', code: 'PageDown', bubbles: true, cancelable: true }
    for (const type of ['keydown', 'keyup'])
      document.getElementById('typed')!.dispatchEvent(new KeyboardEvent(type, last))
  })
  const isLast = (input: SignInInput) => input.type === 'key' && input.key === 'PageDown'
  await until(() => remote.acceptedInputs.filter(isLast).length === 2)
  return remote.acceptedInputs.splice(0).filter((input) => !isLast(input))
}

/** Waits until the test can answer requests of the page, which takes effect shortly after a route is set. */
async function answering(page: Page): Promise<void> {
  await page.route(/\/answered-here$/, (route) => route.fulfill({ body: 'yes' }))
  const isHere = () =>
    page.evaluate(async () => (await (await fetch('/answered-here')).text()) === 'yes').catch(() => false)
  await until(isHere)
}

/** Runs in the person's page: shortens the timeout of a connection from 20 s to 0.1 s. */
function shortenTimeout(): void {
  const later = setTimeout
  const sooner = (act: () => void, ms = 0) => later(act, ms === 20_000 ? 100 : ms)
  Object.assign(globalThis, { setTimeout: sooner })
}

const noticesOf = (page: Page) => page.locator('#notices li').allTextContents()
const saysOf = (page: Page) => page.locator('#status').textContent()
const focusOf = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => document.activeElement?.id || document.activeElement?.tagName)

type Pressed = Omit<KeyboardEventInit, 'view'>

/** Dispatches the events of a key. @returns whether the page prevents the browser's default action */
function press(page: Page, pressed: Pressed): Promise<boolean> {
  return page.evaluate((init) => {
    const typed = document.getElementById('typed')!
    return ['keydown', 'keyup']
      .map(
        (type) => !typed.dispatchEvent(new KeyboardEvent(type, { ...init, bubbles: true, cancelable: true })),
      )
      .includes(true)
  }, pressed)
}

describe('keys', () => {
  test('for the remote page are forwarded; zoom, reload, paste and the like stay with the person’s own browser', async () => {
    const { person: at, remote } = await samePerson()
    const { page } = at
    const ctrl = { ctrlKey: true }
    const cases: [string, Pressed][] = [
      ['a letter', { key: 'a', code: 'KeyA' }],
      ['another one', { key: 'ß', code: 'Minus' }],
      ['AltGr as Windows has it', { key: '@', code: 'KeyQ', ...ctrl, altKey: true }],
      ['AltGr with a letter', { key: 'a', code: 'KeyA', ...ctrl, altKey: true, modifierAltGraph: true }],
      ['Option of a Mac', { key: '@', code: 'KeyL', altKey: true }],
      ['of the number block', { key: '7', code: 'Numpad7', location: 3 }],
      ['select all', { key: 'a', code: 'KeyA', ...ctrl }],
      ['select all of a Mac', { key: 'a', code: 'KeyA', metaKey: true }],
      ['Tab', { key: 'Tab', code: 'Tab' }],
      ['Escape', { key: 'Escape', code: 'Escape' }],
      ['a word back', { key: 'Backspace', code: 'Backspace', ...ctrl }],
    ]
    for (const [what, pressed] of cases) {
      expect([what, await press(page, pressed)]).toEqual([what, true])
      expect([what, (await takenOf(page, remote)).map((input) => 'key' in input && input.key)]).toEqual([
        what,
        [pressed.key, pressed.key] as (string | false)[],
      ])
    }
    const left: [string, Pressed][] = [
      ['reload', { key: 'F5', code: 'F5' }],
      ['reload by a letter', { key: 'r', code: 'KeyR', ...ctrl }],
      ['larger', { key: '+', code: 'BracketRight', ...ctrl }],
      ['larger on a Mac', { key: '=', code: 'Equal', metaKey: true }],
      ['another tab', { key: 'Tab', code: 'Tab', ...ctrl }],
      ['a menu of Windows', { key: 'd', code: 'KeyD', altKey: true }],
      ['CapsLock', { key: 'CapsLock', code: 'CapsLock' }],
      ['AltGr alone', { key: 'AltGraph', code: 'AltRight' }],
      ['an accent that waits', { key: 'Dead', code: 'Equal' }],
      ['a soft keyboard', { key: 'Unidentified', code: '', keyCode: 229 }],
      ['an input method', { key: 'Process', code: 'KeyK', isComposing: true }],
      ['paste', { key: 'v', code: 'KeyV', ...ctrl }],
      ['paste of old', { key: 'Insert', code: 'Insert', shiftKey: true }],
      ['a key of this time', { key: 'MediaPlayPause', code: '' }],
    ]
    for (const [what, pressed] of left) expect([what, await press(page, pressed)]).toEqual([what, false])
    expect(await takenOf(page, remote)).toEqual([])
    expect(await noticesOf(page)).toEqual([])
    // Copying is not possible, and the person is told so.
    await press(page, { key: 'c', code: 'KeyC', ...ctrl })
    expect((await noticesOf(page)).join()).toContain('Nothing can be copied')
  })

  test('are released when the focus moves away, and a release without a press is not forwarded', async () => {
    const { person: at, remote } = await samePerson()
    const { page } = at
    const actions = (inputs: readonly SignInInput[]) =>
      inputs.map((input) => (input.type === 'key' ? `${input.action} ${input.key}` : input.type))
    await page.evaluate(() => {
      const up = { key: 'Enter', code: 'Enter', bubbles: true }
      document.getElementById('typed')!.dispatchEvent(new KeyboardEvent('keyup', up))
    })
    expect(await takenOf(page, remote)).toEqual([])
    await page.keyboard.down('a')
    await page.locator('#back').focus()
    await page.keyboard.up('a')
    await page.keyboard.press('F6')
    expect(actions(await takenOf(page, remote)).slice(-2)).toEqual(['down a', 'up a'])
  })

  test('F6 moves the focus to the buttons and back, and Tab moves it through them to the remote page', async () => {
    const { person: at } = await samePerson()
    const { page } = at
    expect(await focusOf(page)).toBe('typed')
    await page.keyboard.press('Tab')
    expect(await focusOf(page)).toBe('typed')
    await page.keyboard.press('F6')
    expect(await focusOf(page)).toBe('back')
    const passed = []
    for (let id = 'back'; id !== 'typed'; ) {
      await page.keyboard.press('Tab')
      id = String(await focusOf(page))
      passed.push(id)
    }
    expect(passed).toEqual(['reload', 'paste', 'leave', 'typed'])
    await page.keyboard.press('F6')
    await page.keyboard.press('F6')
    expect(await focusOf(page)).toBe('typed')
  })
})

describe('text', () => {
  const textsOf = (inputs: readonly SignInInput[]) =>
    inputs.map((input) => {
      if (input.type === 'key') return `${input.action} ${input.key} ${input.modifiers}`
      return 'text' in input ? `${input.type} ${input.text}` : input.type
    })

  test('of soft keyboards is forwarded: words, replacements, Enter and deletions', async () => {
    const { person: at, remote } = await samePerson(PHONE)
    const { page } = at
    const inputs: { readonly inputType: string; readonly data?: string }[] = [
      { inputType: 'insertText', data: 'swiped ' },
      { inputType: 'insertReplacementText', data: 'corrected' },
      { inputType: 'insertText', data: '👍🏽' },
      { inputType: 'insertLineBreak' },
      { inputType: 'deleteContentBackward' },
      { inputType: 'deleteWordBackward' },
      { inputType: 'deleteContentForward' },
      { inputType: 'deleteCompositionText' },
      { inputType: 'insertFromComposition', data: 'told by compositionend' },
    ]
    await page.evaluate((all) => {
      const typed = document.getElementById('typed')!
      for (const one of all)
        typed.dispatchEvent(new InputEvent('beforeinput', { ...one, bubbles: true, cancelable: true }))
    }, inputs)
    expect(textsOf(await takenOf(page, remote))).toEqual([
      'text swiped ',
      'text corrected',
      'text 👍🏽',
      ...['down Enter 0', 'up Enter 0'],
      ...['down Backspace 0', 'up Backspace 0'],
      ...['down Backspace 2', 'up Backspace 2'],
      ...['down Delete 0', 'up Delete 0'],
    ])
  })

  test('of an unfinished composition is sent before a click that may move to another field', async () => {
    const { person: at, remote } = await samePerson()
    const { page } = at
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Input.imeSetComposition', { text: 'ひ', selectionStart: 1, selectionEnd: 1 })
    const box = await at.screen()
    await page.mouse.click(box.x + 20, box.y + 20)
    const texts = textsOf(await takenOf(page, remote))
    expect(texts.filter((each) => each.startsWith('text'))).toEqual(['text ひ'])
    expect(texts.indexOf('text ひ')).toBeLessThan(texts.lastIndexOf('pointer') - 1)
    expect(texts[texts.indexOf('text ひ') + 1]).toBe('pointer')
    expect(await focusOf(page)).toBe('typed')
  })

  test('in the local field is never empty after an input, so that soft keyboards keep sending Backspace', async () => {
    const { person: at } = await samePerson(PHONE)
    const value = await at.page.evaluate(() => {
      const typed = document.getElementById('typed') as HTMLTextAreaElement
      typed.value = ''
      typed.dispatchEvent(new InputEvent('input', { inputType: 'deleteContentBackward', bubbles: true }))
      return typed.value
    })
    expect(value).toBe(' ')
  })

  test('is pasted by a button, and a text that is too long is refused with a notice', async () => {
    const { person: at, remote } = await samePerson()
    const { page } = at
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const copy = (text: string) => page.evaluate((value) => navigator.clipboard.writeText(value), text)
    await copy('correct horse')
    await page.click('#paste')
    await until(() => remote.acceptedInputs.length > 0)
    expect(textsOf(await takenOf(page, remote))).toEqual(['text correct horse'])
    expect(await focusOf(page)).toBe('typed')
    await copy('x'.repeat(MOST_TEXT + 1))
    await page.click('#paste')
    await until(async () => (await noticesOf(page)).length > 0)
    expect(await noticesOf(page)).toEqual([`Only ${MOST_TEXT} characters can be pasted at once.`])
    expect(await takenOf(page, remote)).toEqual([])
  })

  test('that cannot be read from the clipboard causes a notice', async () => {
    const { person: at } = await samePerson()
    await at.page.evaluate(() => {
      navigator.clipboard.readText = () => Promise.reject(new DOMException('no', 'NotAllowedError'))
    })
    await at.page.click('#paste')
    await until(async () => (await noticesOf(at.page)).join().includes('does not let this page'))
  })
})

describe('a pointer', () => {
  type Pointer = SignInInput & { readonly type: 'pointer' }
  const pointersOf = (inputs: readonly SignInInput[]) =>
    inputs.filter((input): input is Pointer => input.type === 'pointer')

  test('that is dragged over the edge is followed, and its position is clamped to the remote page', async () => {
    const { person: at, remote } = await samePerson()
    const { page } = at
    const box = await at.screen()
    await page.mouse.move(box.x + 50, box.y + 50)
    await page.mouse.down()
    await page.mouse.move(box.x + 5000, box.y - 500, { steps: 3 })
    await page.mouse.up()
    const pointers = pointersOf(await takenOf(page, remote))
    const { width } = remote.viewport!
    expect(pointers.at(-1)).toMatchObject({
      action: 'up',
      x: width - 1,
      y: 0,
      button: 0,
      buttons: 0,
      clicks: 1,
    })
    expect(pointers.filter(({ action }) => action === 'down').length).toBe(1)
  })

  test('that clicks twice makes a double click, and its back button stays with the person’s own browser', async () => {
    const { person: at, remote } = await samePerson()
    const { page } = at
    const box = await at.screen()
    await page.mouse.dblclick(box.x + 50, box.y + 50)
    const clicks = pointersOf(await takenOf(page, remote)).flatMap((each) =>
      'clicks' in each && each.action === 'down' ? [each.clicks] : [],
    )
    expect(clicks).toEqual([1, 2])
    await page.evaluate(() => {
      const back = { button: 3, buttons: 8, bubbles: true, cancelable: true, pointerType: 'mouse' }
      for (const type of ['pointerdown', 'pointerup'])
        document.getElementById('screen')!.dispatchEvent(new PointerEvent(type, back))
    })
    expect(await takenOf(page, remote)).toEqual([])
  })

  test('adds up wheel distances, scrolls sideways with Shift, and zooms the person’s own page with Ctrl', async () => {
    const { person: at, remote } = await samePerson()
    const { page } = at
    const kept = await page.evaluate(() => {
      const screen = document.getElementById('screen')!
      const { left, top } = screen.getBoundingClientRect()
      const turn = (init: WheelEventInit) => {
        const at = { clientX: left + 9, clientY: top + 9, bubbles: true, cancelable: true }
        return screen.dispatchEvent(new WheelEvent('wheel', { ...at, ...init }))
      }
      return [
        turn({ deltaY: 100, ctrlKey: true }),
        turn({ deltaY: 1 }),
        ...Array.from({ length: 50 }, () => turn({ deltaY: 400 })),
        turn({ deltaY: 3, deltaMode: 1, shiftKey: true }),
      ]
    })
    expect([kept[0], kept.slice(1).includes(true)]).toEqual([true, false])
    const wheels = pointersOf(await takenOf(page, remote)).flatMap((each) =>
      each.action === 'wheel' ? [each] : [],
    )
    const far = wheels.filter(({ modifiers }) => modifiers === 0)
    expect(far.length).toBeLessThan(10)
    expect(far.at(-1)?.dy).toBe(10_000)
    expect(wheels.at(-1)).toMatchObject({ dx: 48, dy: 0, modifiers: 8 })
  })

  test('opens the soft keyboard on every tap, but not on a swipe', async () => {
    const { person: at, remote } = await samePerson(PHONE)
    const { page } = at
    const box = await at.screen()
    const focuses = () => page.evaluate(() => Number(document.documentElement.dataset.focuses ?? 0))
    await page.evaluate(() => {
      document.getElementById('typed')!.addEventListener('focus', () => {
        const { dataset } = document.documentElement
        dataset.focuses = String(Number(dataset.focuses ?? 0) + 1)
      })
    })
    const cdp = await page.context().newCDPSession(page)
    const at60 = { x: box.x + 60, y: box.y + 250 }
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at60] })
    for (const by of [20, 60, 120])
      await cdp.send('Input.dispatchTouchEvent', {
        type: 'touchMove',
        touchPoints: [{ ...at60, y: at60.y - by }],
      })
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    const swiped = pointersOf(await takenOf(page, remote))
    expect([swiped[0]?.action, swiped.at(-1)?.action, await focuses()]).toEqual(['down', 'up', 0])
    for (const count of [1, 2]) {
      await page.touchscreen.tap(box.x + 40, box.y + 200)
      expect(await focuses()).toBe(count)
    }
    const where = await page.locator('#typed').boundingBox()
    expect([Math.round(where!.x), Math.round(where!.y)]).toEqual([box.x + 40, Math.round(box.y + 200)])
  })
})

test('two fingers keep distinct pointer ids, so that they can zoom the remote page', async () => {
  const { person: at, remote } = await samePerson(PHONE)
  const { page } = at
  const { x, y } = await at.screen()
  const cdp = await page.context().newCDPSession(page)
  const fingers = (apart: number) => [
    { x: x + 150 - apart, y: y + 100, id: 0 },
    { x: x + 150 + apart, y: y + 100, id: 1 },
  ]
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: fingers(20) })
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: fingers(60) })
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  const inputs = await takenOf(page, remote)
  const idsOf = (action: string) =>
    inputs.flatMap((input) => ('pointerId' in input && input.action === action ? [input.pointerId] : []))
  expect(new Set(idsOf('down')).size).toBe(2)
  for (const action of ['move', 'up']) expect(new Set(idsOf(action))).toEqual(new Set(idsOf('down')))
})

describe('a window', () => {
  test('that changes its size resizes the remote page, and a click at the edge of the old picture is accepted', async () => {
    const { person: at, remote } = await person()
    const { page } = at
    await page.setViewportSize({ width: 600, height: 500 })
    await until(() => remote.acceptedInputs.some(({ type }) => type === 'resize'))
    const [resize] = await takenOf(page, remote)
    expect(resize).toMatchObject({ type: 'resize', width: 600 })
    // The picture still has the previous size.
    const box = await at.screen()
    await page.mouse.click(box.x + box.width - 1, box.y + box.height - 1)
    expect((await takenOf(page, remote)).length).toBeGreaterThan(0)
    expect(await noticesOf(page)).toEqual([])
  })

  test('of a phone resizes the remote page when it rotates, but not when a soft keyboard shrinks it', async () => {
    const { person: at, remote } = await person(PHONE)
    const { page } = at
    expect(await focusOf(page)).toBe('typed')
    await page.setViewportSize({ width: 390, height: 400 })
    await page.setViewportSize({ width: 780, height: 390 })
    await until(() => remote.acceptedInputs.some(({ type }) => type === 'resize'))
    expect((await takenOf(page, remote)).map((input) => 'width' in input && input.width)).toEqual([780])
  })

  test.each([
    ['of 320 pixels', { width: 320, height: 480 }],
    ['that is zoomed to 400 %', { width: 320, height: 180 }],
  ])('%s shows all parts without scrolling sideways', async (_, viewport) => {
    const { person: at } = await person({ viewport })
    const { page } = at
    for (const id of ['welcome', 'remote', 'waiting', 'success', 'failure', 'elsewhere']) {
      const wide = await page.evaluate((part) => {
        for (const one of document.querySelectorAll<HTMLElement>('[data-part]')) one.hidden = one.id !== part
        return document.documentElement.scrollWidth - innerWidth
      }, id)
      expect([id, wide]).toEqual([id, 0])
    }
    expect((await page.locator('#stage').boundingBox())?.height ?? 0).toBe(0)
    await page.evaluate(() => {
      document.getElementById('elsewhere')!.hidden = true
      document.getElementById('remote')!.hidden = false
    })
    expect((await page.locator('#stage').boundingBox())!.height).toBeGreaterThanOrEqual(200)
  })
})

describe('the hosted page', () => {
  test('moves the focus and changes the title for each stage: waiting, the remote page, success', async () => {
    const small = await startStage(browser, 1)
    try {
      const first = await small.person()
      const next = await small.visitor()
      await next.begin()
      expect(await next.sees('waiting')).toContain('number 1')
      expect([await focusOf(next.page), await next.page.title()]).toEqual([
        'H2',
        'All sign-in windows are in use – Sign in to Members',
      ])
      await first.person.leave()
      first.remote.signedIn({ state: '{"cookies":[]}', validUntil: null })
      await until(() => small.pages.length === 2)
      small.pages[1]!.tell({ type: 'address', url: 'https://members.example/', title: '' })
      await next.sees('remote')
      expect([await focusOf(next.page), await next.page.title()]).toEqual(['typed', 'Sign in to Members'])
      small.pages[1]!.signedIn({ state: '{"cookies":[]}', validUntil: null })
      await next.sees('success')
      expect([await focusOf(next.page), await next.page.title()]).toEqual([
        'H2',
        'You are signed in – Sign in to Members',
      ])
      expect(next.complaints).toEqual([])
      await next.leave()
    } finally {
      await small.close()
    }
  })

  test('leads back to the page of the console on which its link was asked for', async () => {
    const { accountId } = await stage.service.openAccount()
    const cause = { correlationId: 'test', causationId: 'test', now: Date.now() }
    const returnTo = `/console/${accountId}/runs/run_${'0'.repeat(26)}`
    const { logins } = stage.service.deps
    const { hosted_url } = await logins.ask(accountId, 'members', 'asked', cause, { returnTo })
    const { origin } = new URL(await stage.link())
    const at = await HostedPerson.at(browser, origin + new URL(hosted_url, origin).pathname)
    people.push(at)
    expect(await at.sees('welcome')).toContain('account\n“test” of this service')
    const remote = await stage.letIn(at)
    remote.signedIn({ state: '{"cookies":[]}', validUntil: null })
    expect(await at.sees('success')).not.toContain('close this page')
    await at.page.click('#success a:has-text("Back to the console")')
    await at.page.waitForURL((url) => url.pathname === returnTo)
  })

  test('states the name and kind of the focused field, or that no field has the focus', async () => {
    const { person: at, remote } = await person()
    const { page } = at
    expect(await saysOf(page)).toBe('On the remote page: User name, field')
    remote.tell({ ...NAME_FIELD, focus: { ...NAME_FIELD.focus, kind: 'password', label: 'Password' } })
    await at.isAt('Password, password field')
    remote.tell({ type: 'focus', focus: null })
    await until(async () => (await saysOf(page)) === 'No field of the remote page has the focus.')
    expect(await page.locator('#typed').getAttribute('inputmode')).toBe('none')
    remote.tell({ type: 'loading', loading: true })
    await until(async () => (await saysOf(page)) === 'The remote page is loading.')
  })

  test('shows notices that do not block clicks, and does not repeat one that is still visible', async () => {
    const { person: at, remote } = await person({ viewport: { width: 400, height: 400 } })
    const { page } = at
    const notice = { type: 'notice', code: 'dialog' } as const
    for (const text of ['one', 'two', 'two', 'three', 'four'])
      remote.tell({ ...notice, text: `The site says: ${text}` })
    await until(async () => (await noticesOf(page)).at(-1)?.endsWith('four') === true)
    expect((await noticesOf(page)).map((text) => text.split(': ')[1])).toEqual(['two', 'three', 'four'])
    const box = (await page.locator('#notices li').last().boundingBox())!
    await page.mouse.click(box.x + 5, box.y + 5)
    expect((await takenOf(page, remote)).at(-1)).toMatchObject({ type: 'pointer', action: 'up' })
  })

  test('shows the time left by the server’s clock', async () => {
    const at = await visitor(undefined, () => {
      const real = Date.now
      Date.now = () => real() + 3_600_000
    })
    expect(await at.page.locator('#left').textContent()).toBe('15 minutes left')
  })

  test('shows a notice in the last minutes, and reports the end of a link that was not opened in time', async () => {
    const { clock } = stage.service
    const link = await stage.link()
    clock.offset += LINK_MS - 3000
    try {
      const at = await HostedPerson.at(browser, link)
      people.push(at)
      expect(await noticesOf(at.page)).toEqual(['Less than two minutes are left to sign in.'])
      expect(await at.page.locator('#left').textContent()).toBe('Less than a minute left')
      expect(await at.sees('failure')).toContain('The time to sign in has run out.')
    } finally {
      clock.offset = 0
    }
  })
})

describe('a link', () => {
  test('works in one window: the second one says so, and the first continues after a reload', async () => {
    const [one, two] = [await visitor(), await visitor()]
    const link = one.page.url()
    await two.page.goto(link)
    const remote = await stage.letIn(one)
    await two.begin()
    expect(await two.sees('failure')).toContain('already used')
    await two.page.reload()
    expect(await two.sees('elsewhere')).toContain('already opened')
    await one.page.reload()
    await one.isAt('User name')
    remote.signedIn({ state: '{"cookies":[]}', validUntil: null })
    await one.sees('success')
    await one.page.goto(link)
    expect(await one.page.textContent('body')).toContain('your login is saved')
  })

  test('that is withdrawn ends its sign-in, and the person is told', async () => {
    const { person: at } = await person()
    await stage.withdraw()
    expect(await at.sees('failure')).toContain('was deleted')
  })
})

describe('a connection', () => {
  test('that is silent, as after sleep mode, is abandoned and opened again', async () => {
    const { person: at, remote } = await person(undefined, shortenTimeout)
    const { page } = at
    for (const _ of [1, 2]) await page.waitForRequest(/\/stream$/)
    remote.tell({ ...NAME_FIELD, focus: { ...NAME_FIELD.focus, label: 'Password' } })
    await at.isAt('Password')
  })

  test('that breaks with keys under way is reported; no key is repeated, and those typed after them are dropped', async () => {
    const { person: at, remote } = await person()
    const { page } = at
    const gate = Promise.withResolvers<void>()
    let posts = 0
    await answering(page)
    await page.route(/\/input$/, async (route) => {
      if (posts++ > 0) return route.continue()
      await gate.promise
      return route.abort()
    })
    await page.keyboard.type('abc')
    gate.resolve()
    await until(async () => (await noticesOf(page)).join().includes('The connection was lost'))
    await page.keyboard.type('d')
    const keys = (await takenOf(page, remote)).flatMap((input) => (input.type === 'key' ? [input.key] : []))
    expect(keys).toEqual(['d', 'd'])
  })

  test('whose inputs are answered with 422, 429 or 503 shows a notice, and keeps working', async () => {
    const { person: at, remote } = await person()
    const { page } = at
    await answering(page)
    for (const [status, words] of [
      [422, 'did not accept'],
      [429, 'busy'],
      [503, 'connection was lost'],
    ] as const) {
      await page.route(/\/input$/, (route) => route.fulfill({ status, body: '{}' }), { times: 1 })
      await page.keyboard.press('x')
      await until(async () => (await noticesOf(page)).join().includes(words))
      await page.unroute(/\/input$/)
      await page.keyboard.press('y')
      await until(() => remote.acceptedInputs.some((input) => input.type === 'key' && input.key === 'y'))
      remote.acceptedInputs.length = 0
    }
  })

  test('that fails to open the sign-in lets the person try again', async () => {
    const at = await visitor()
    const { page } = at
    await answering(page)
    await page.route(/\/start$/, (route) => route.abort(), { times: 1 })
    await at.begin()
    await until(async () => (await saysOf(page))?.includes('try again') === true)
    expect([await page.isVisible('#welcome'), await focusOf(page)]).toEqual([true, 'H2'])
    await at.begin()
    await at.sees('remote')
  })
})

describe('the end of a sign-in', () => {
  test('that the person requests must be confirmed', async () => {
    const { person: at, remote } = await person()
    const { page } = at
    const answers = [false, true]
    const dialogs: string[] = []
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void (answers.shift() ? dialog.accept() : dialog.dismiss())
    })
    await page.click('#leave')
    expect([dialogs.length, remote.isClosed]).toEqual([1, false])
    await page.click('#leave')
    expect(await at.sees('failure')).toContain('You ended it.')
    expect([dialogs.length, remote.isClosed, await focusOf(page)]).toEqual([2, true, 'H2'])
  })

  test('can be requested while waiting', async () => {
    const small = await startStage(browser, 0)
    try {
      const at = await small.visitor()
      await at.begin()
      await at.sees('waiting')
      await at.page.click('#give-up')
      expect(await at.sees('failure')).toContain('You ended it.')
      await at.leave()
    } finally {
      await small.close()
    }
  })
})
