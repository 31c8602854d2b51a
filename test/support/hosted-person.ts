/**
 * A person with a browser of their own who signs in on the hosted page, for tests: a real Chromium, driven by mouse,
 * fingers and keys. Nothing of the remote page is known to them but what the hosted page shows and says.
 *
 * @module
 */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'rebrowser-playwright'
import { findChromium } from '../../src/browser/chromium/find.ts'
import { DISABLED_FEATURES } from '../../src/browser/chromium/flags.ts'
import type { User } from '../../tools/mock-sites/sign-in/users.ts'
import { until } from '../start/processes.ts'

export const DESKTOP: BrowserContextOptions = { viewport: { width: 1000, height: 800 } }
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 780 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
}

/** All persons' browser; end it when all is done. */
export function openBrowser(): Promise<Browser> {
  const executablePath = findChromium(process.env.CHROMIUM_PATH ?? null)
  if (executablePath === undefined) throw new Error('there is no Chromium')
  // Without the pages of the browser's own window a page costs half the processor time.
  const args = ['--no-sandbox', '--disable-site-isolation-trials', `--disable-features=${DISABLED_FEATURES}`]
  return chromium.launch({ executablePath, args })
}

export class HostedPerson {
  /** what the page's own scripts complained of */
  readonly complaints: string[] = []

  private constructor(readonly page: Page) {
    page.on('pageerror', (error) => this.complaints.push(error.message))
    page.on('console', (line) => line.type() === 'error' && this.complaints.push(line.text()))
  }

  /**
   * Opens a link, as far as the page that says what is about to happen.
   *
   * @param first what is done in the person's page before its own scripts run
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
    // A browser of the service in the same process takes Playwright's own init scripts away.
    const session = await context.newCDPSession(person.page)
    await session.send('Page.enable')
    if (first) await session.send('Page.addScriptToEvaluateOnNewDocument', { source: `(${first})()` })
    await person.page.goto(link)
    return person
  }

  async begin(): Promise<void> {
    await this.page.click('#begin')
  }

  /** Opens the remote page, and waits until a field there has the focus. */
  async beginAt(field: string): Promise<void> {
    await this.begin()
    await this.isAt(field)
  }

  /** Waits until the remote page has loaded and a field of it has the focus, as a screen reader is told. */
  async isAt(field: string): Promise<void> {
    const typed = this.page.locator(`#stage[aria-busy="false"] #typed[aria-label*="${field}"]`)
    await typed.waitFor({ state: 'attached' })
  }

  /** Begins, and signs in at the mock site. */
  async signIn({ name, password, code }: User): Promise<void> {
    await this.beginAt('User name')
    await this.enter(name)
    await this.isAt('Password')
    await this.enter(password)
    await this.isAt('Code of six digits')
    await this.enter(code)
    await this.sees('success')
  }

  /** Types by keys, and sends by Enter. */
  async enter(text: string): Promise<void> {
    await this.page.keyboard.type(text)
    await this.send()
  }

  /** Sends a form of the remote page by Enter, and waits until another field has the focus there, or none. */
  async send(): Promise<void> {
    const before = await this.field()
    await this.page.keyboard.press('Enter')
    await until(async () => (await this.field()) !== before || !(await this.page.isVisible('#remote')))
  }

  /** What has the focus in the remote page, as a screen reader is told. */
  private field(): Promise<string | null> {
    return this.page.locator('#typed').getAttribute('aria-label')
  }

  async paste(text: string): Promise<void> {
    await this.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await this.page.evaluate((value) => navigator.clipboard.writeText(value), text)
    await this.page.keyboard.press('Control+V')
  }

  /** Writes by an input method: something is under way until it becomes the text. */
  async compose(underWay: string, text: string): Promise<void> {
    const cdp = await this.page.context().newCDPSession(this.page)
    const end = underWay.length
    await cdp.send('Input.imeSetComposition', { text: underWay, selectionStart: end, selectionEnd: end })
    await cdp.send('Input.insertText', { text })
    await cdp.detach()
  }

  /**
   * Scrolls the remote page by a finger.
   *
   * @param by pixels that the finger goes down; up, when negative
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
   * Scrolls to the top of the remote page, touches nothing there, and then what is below until a field has the focus.
   * A touch can be in vain: it only ends a scroll that goes on by itself, as on any phone.
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
      // Fingers of different speeds scroll by different ways, so that one swipe back is not always enough.
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

  /** Where the remote page is shown. */
  async screen() {
    await this.page.locator('#screen').waitFor({ state: 'visible' })
    const box = await this.page.locator('#screen').boundingBox()
    if (!box) throw new Error('the remote page is not shown')
    return box
  }

  /** What is shown of the remote page, as a short text that differs when it does. */
  picture(): Promise<string> {
    return this.page.evaluate(() => (document.getElementById('screen') as HTMLCanvasElement).toDataURL())
  }

  /** Waits until a part of the page is shown. @returns its words */
  async sees(panel: 'welcome' | 'waiting' | 'remote' | 'success' | 'failure' | 'elsewhere'): Promise<string> {
    const shown = this.page.locator(`#${panel}`)
    await shown.waitFor({ state: 'visible' })
    return (await shown.textContent()) ?? ''
  }

  async leave(): Promise<void> {
    await this.page.context().close()
  }
}
