/**
 * What pages want of a browser's window, and do not get here: dialogs, further windows, downloads, files, the whole
 * screen, a printer, other programs. The person is told.
 *
 * @module
 */
import type { Dialog, Page } from 'rebrowser-playwright'
import { clock } from '../../async/clock.ts'
import type { OpenedPage } from '../page/context.ts'
import { plain } from './plain.ts'

/** A page that wants something again and again: what is the same is told so often, and of all no more, in milliseconds. */
const AGAIN_MS = 1000
const MOST_TOLD = 10
const MOST_TOLD_MS = 10_000

const TEXTS = {
  popup: 'The site wanted to open another window. There is only this one.',
  download: 'The site wanted to send a file. Nothing was downloaded.',
  file: 'The site asked for a file. Files can’t be chosen here.',
  'full-screen': 'The site wanted to fill the screen. It was put back.',
  picker: 'The site wanted to show a calendar or colours, which can’t be seen here. Use the keys.',
  print: 'The site wanted to print. That is not possible here.',
  protocol: 'The site wanted to open another program. That is not possible here.',
  unencrypted: 'The site wanted to go on without encryption. That is not allowed here.',
  'not-loaded': 'The page could not be loaded. Reload to try again.',
} as const

/** What a person is told of. `not-taken`: input that the page did not take. */
export type NoticeCode = keyof typeof TEXTS | 'dialog' | 'left-hosts' | 'not-taken'

export class Notices {
  private readonly told: { readonly text: string; readonly at: number }[] = []

  constructor(private readonly tell: (code: NoticeCode, text: string) => void) {}

  add(code: keyof typeof TEXTS): void {
    this.say(code, TEXTS[code])
  }

  /** A document that may not be shown. @param host where it is */
  left(host: string): void {
    this.say(
      'left-hosts',
      `The page wanted to go to ${plain(host)}. Signing in is possible at this site alone.`,
    )
  }

  /** @param text the page's own */
  dialog(type: string, text: string): void {
    const said = plain(text)
    if (type === 'beforeunload') this.say('dialog', 'The site asked whether to leave the page. It was left.')
    else if (type === 'alert') this.say('dialog', `The site says: ${said}`)
    else this.say('dialog', `The site asked, and the answer was no: ${said}`)
  }

  private say(code: NoticeCode, text: string): void {
    const now = clock.monotonic()
    while (this.told[0] && now - this.told[0].at > MOST_TOLD_MS) this.told.shift()
    const isAgain = this.told.some((one) => one.text === text && now - one.at < AGAIN_MS)
    if (isAgain || this.told.length >= MOST_TOLD) return
    this.told.push({ text, at: now })
    this.tell(code, text)
  }
}

/**
 * From here on nothing that the page wants holds it up or takes it away.
 *
 * A link or a script of the site may want a window for where a person has clicked: that is opened in place of the page,
 * with "back" to return, since many a site has "Forgot password?" or the next step of its sign-in there. (The window's
 * page finds no `opener` to report to. A sign-in that needs both windows at once is not possible.) Windows that nobody
 * has clicked for Chromium does not open by itself.
 */
export function refuseAll(
  { context, page, session }: OpenedPage,
  notices: Notices,
  onFailure: (error: unknown) => void,
): void {
  page.on('dialog', (dialog) => void answer(dialog, notices))
  page.on('filechooser', () => notices.add('file'))
  page.on('download', () => notices.add('download'))
  session.on('Page.windowOpen', ({ url, userGesture }) => {
    // Where it may not go is told where all that it asks for is decided on.
    if (userGesture && /^https?:/.test(url)) session.send('Page.navigate', { url }).catch(onFailure)
    else notices.add('popup')
  })
  context.on('page', (other) => {
    // The page must then be in front again.
    if (other !== page)
      void dismiss(other)
        .then(() => session.send('Page.bringToFront'))
        .catch(onFailure)
  })
}

async function dismiss(other: Page): Promise<void> {
  // One that has closed itself is closed as well.
  await other.close().catch(() => {})
}

async function answer(dialog: Dialog, notices: Notices): Promise<void> {
  const type = dialog.type()
  notices.dialog(type, dialog.message())
  // One whose page is gone can't be answered, and holds nothing up.
  await (type === 'beforeunload' || type === 'alert' ? dialog.accept() : dialog.dismiss()).catch(() => {})
}
