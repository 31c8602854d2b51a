/**
 * A person with a browser who signs in on the hosted page, for tests: a real Chromium, driven by mouse, touch and keys.
 * The person knows the remote page only through the hosted page.
 *
 * @module
 */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'rebrowser-playwright'
import { findChromium } from '../../src/browser/chromium/find.ts'
import { DISABLED_FEATURES } from '../../src/browser/chromium/flags.ts'
import type { User } from '../../tools/mock-sites/sign-in/users.ts'
import { until } from '../servers/processes.ts'

export const DESKTOP: BrowserContextOptions = { viewport: { width: 1000, height: 800 } }
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 780 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
}

/** The browser shared by all persons; close it at the end. */
export function openBrowser(): Promise<Browser> {
  const executablePath = findChromium(process.env.CHROMIUM_PATH ?? null)
  if (executablePath === undefined) throw new Error('there is no Chromium')
  // Without the pages of the browser's own window, a page costs half the CPU time.
  const args = ['--no-sandbox', '--disable-site-isolation-trials', `--disable-features=${DISABLED_FEATURES}`]
  return chromium.launch({ executablePath, args })
}

export class HostedPerson {
  /** errors of the page's own scripts */
  readonly complaints: string[] = []

  private constructor(readonly page: Page) {
    page.on('pageerror', (error) => this.complaints.push(error.message))
    page.on('console', (line) => line.type() === 'error' && this.complaints.push(line.text()))
  }

  /**
   * Opens a link up to the welcome page.
   *
   * @param first runs in the person's page before the page's own scripts
   */
  static async at(
    browser: Browser,
    link: string,
    device = DESKTOP,
    first?: () => void,
  ): Promise<HostedPerson> {
    const context = await browser.newContext(device)
    const person = new HostedPerson(await context.newPage())
    person.page.setDefaultTimeout(60_000)
    // A browser of the service in the same process removes Playwright's own init scripts.
    const session = await context.newCDPSession(person.page)
    await session.send('Page.enable')
    if (first) await session.send('Page.addScriptToEvaluateOnNewDocument', { source: `(${first})()` })
    await person.page.goto(link)
    return person
  }

  async begin(): Promise<void> {
    await this.page.click('#begin')
  }

  /** Opens the remote page and waits until a field of it has the focus. */
  async beginAt(field: string): Promise<void> {
    await this.begin()
    await this.isAt(field)
  }

  /** Waits until the remote page has loaded and a field of it has the focus, as announced to a screen reader. */
  async isAt(field: string): Promise<void> {
    const typed = this.page.locator(`#stage[aria-busy="false"] #typed[aria-label*="${field}"]`)
    await typed.waitFor({ state: 'attached' })
  }

  /** Opens the remote page and signs in at the mock site. */
  async signIn({ name, password, code }: User): Promise<void> {
    await this.beginAt('User name')
    await this.enter(name)
    await this.isAt('Password')
    await this.enter(password)
    await this.isAt('Code of six digits')
    await this.enter(code)
    await this.sees('success')
  }

  /** Types with keys and submits with Enter. */
  async enter(text: string): Promise<void> {
    await this.page.keyboard.type(text)
    await this.send()
  }

  /** Submits a form of the remote page with Enter and waits until another field, or none, has the focus there. */
  async send(): Promise<void> {
    const before = await this.field()
    await this.page.keyboard.press('Enter')
    await until(async () => (await this.field()) !== before || !(await this.page.isVisible('#remote')))
  }

  /** The focused element of the remote page, as announced to a screen reader. */
  private field(): Promise<string | null> {
    return this.page.locator('#typed').getAttribute('aria-label')
  }

  async paste(text: string): Promise<void> {
    await this.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await this.page.evaluate((value) => navigator.clipboard.writeText(value), text)
    await this.page.keyboard.press('Control+V')
  }

  /** Writes with an input method: composes before it commits the text. */
  async compose(underWay: string, text: string): Promise<void> {
    const cdp = await this.page.context().newCDPSession(this.page)
    const end = underWay.length
    await cdp.send('Input.imeSetComposition', { text: underWay, selectionStart: end, selectionEnd: end })
    await cdp.send('Input.insertText', { text })
    await cdp.detach()
  }

  /**
   * Scrolls the remote page by touch.
   *
   * @param by pixels that the finger moves down; negative: up
   */
  async swipe(by: number): Promise<void> {
    const box = await this.screen()
    const cdp = await this.page.context().newCDPSession(this.page)
    await cdp.send('Input.synthesizeScrollGesture', {
      x: box.x + box.width / 2,
      y: by < 0 ? box.y + box.height - 60 : box.y + 60,
      yDistance: by,
      gestureSourceType: 'touch',
    })
    await cdp.detach()
  }

  /**
   * Scrolls to the top of the remote page, touches an empty place there, and then touches below until a field has the
   * focus. A touch can have no effect: during a momentum scroll it only stops the scroll, as on any phone.
   */
  async touchUntilAt(field: string): Promise<void> {
    const box = await this.screen()
    const isThere = (label: string, timeout: number) =>
      this.page
        .locator(label)
        .waitFor({ state: 'attached', timeout })
        .then(
          () => true,
          () => false,
        )
    for (const patience of [400, 800, 1600]) {
      // The scrolled distance depends on the speed of the finger, so one swipe back is not always enough.
      for (let back = 0; back < 3; back++) await this.swipe(300)
      await this.page.touchscreen.tap(box.x + box.width / 2, box.y + 2)
      if (!(await isThere(`#typed:not([aria-label*="${field}"])`, patience * 5))) continue
      for (let y = 10; y < box.height; y += 24) {
        await this.page.touchscreen.tap(box.x + box.width / 2, box.y + y)
        if (await isThere(`#typed[aria-label*="${field}"]`, patience)) return
      }
    }
    throw new Error(`no touch leads to ${field}`)
  }

  /** The element that shows the remote page. */
  async screen() {
    await this.page.locator('#screen').waitFor({ state: 'visible' })
    const box = await this.page.locator('#screen').boundingBox()
    if (!box) throw new Error('the remote page is not shown')
    return box
  }

  /** A fingerprint of the shown part of the remote page. */
  picture(): Promise<string> {
    return this.page.evaluate(() => (document.getElementById('screen') as HTMLCanvasElement).toDataURL())
  }

  /** Waits until a part of the page is shown. @returns its text */
  async sees(panel: 'welcome' | 'waiting' | 'remote' | 'success' | 'failure' | 'elsewhere'): Promise<string> {
    const shown = this.page.locator(`#${panel}`)
    await shown.waitFor({ state: 'visible' })
    return (await shown.textContent()) ?? ''
  }

  async leave(): Promise<void> {
    await this.page.context().close()
  }
}
