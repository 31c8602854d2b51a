/**
 * Browser features that pages request and do not get here: dialogs, further windows, downloads, files, full screen,
 * printing, other programs. The person is notified.
 *
 * @module
 */
import type { Dialog } from 'rebrowser-playwright'
import { clock } from '../../async/clock.ts'
import type { OpenedPage } from '../../browser/page/context.ts'
import { plain } from './plain.ts'

/** The same notice is not repeated within this time, in milliseconds. */
const AGAIN_MS = 1000
/** At most this many notices are sent within {@link MOST_TOLD_MS} milliseconds. */
const MOST_TOLD = 10
const MOST_TOLD_MS = 10_000

const TEXTS = {
  popup: 'The site wanted to open another window. There is only this one.',
  download: 'The site wanted to send a file. Nothing was downloaded.',
  file: 'The site asked for a file. Files can’t be chosen here.',
  'full-screen': 'The site wanted to enter full screen. That is not possible here.',
  picker: 'The site wanted to show a date or colour picker, which can’t be shown here. Use the keyboard.',
  print: 'The site wanted to print. That is not possible here.',
  protocol: 'The site wanted to open another program. That is not possible here.',
  unencrypted: 'The site wanted to continue without encryption. That is not allowed here.',
  'not-loaded': 'The page could not be loaded. Reload to try again.',
  'way-out':
    'This service can’t reach the site, because its proxy fails. Reload in a minute. If that does not help, tell whoever runs this service.',
} as const

/** The kind of a notice. `not-taken`: the page did not accept an input. */
export type NoticeCode = keyof typeof TEXTS | 'dialog' | 'left-hosts' | 'not-taken'

export class Notices {
  private readonly shown: { readonly text: string; readonly at: number }[] = []

  constructor(private readonly tell: (code: NoticeCode, text: string) => void) {}

  add(code: keyof typeof TEXTS): void {
    this.say(code, TEXTS[code])
  }

  /** Notifies of a document on a host that is not allowed. @param host the document's host */
  left(host: string): void {
    this.say('left-hosts', `The page wanted to go to ${plain(host)}. You can sign in only at this site.`)
  }

  /** @param text the page's own text */
  dialog(type: string, text: string): void {
    const message = plain(text)
    if (type === 'beforeunload')
      this.say('dialog', 'The site asked whether to leave the page. The answer was yes.')
    else if (type === 'alert') this.say('dialog', `The site says: ${message}`)
    else this.say('dialog', `The site asked, and the answer was no: ${message}`)
  }

  private say(code: NoticeCode, text: string): void {
    const now = clock.monotonic()
    while (this.shown[0] && now - this.shown[0].at > MOST_TOLD_MS) this.shown.shift()
    const isAgain = this.shown.some((one) => one.text === text && now - one.at < AGAIN_MS)
    if (isAgain || this.shown.length >= MOST_TOLD) return
    this.shown.push({ text, at: now })
    this.tell(code, text)
  }
}

/**
 * Refuses these requests, so that none of them blocks or replaces the page.
 *
 * An exception is a window that a link or script opens on a person's click: it opens in place of the page, with "back"
 * to return, since many sites put "Forgot password?" or the next step of the sign-in there. (The page in it has no
 * `opener`. A sign-in that needs both windows at once is not possible.) Chromium itself blocks windows without a click.
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
    // The request interception reports forbidden addresses.
    if (userGesture && /^https?:/.test(url)) session.send('Page.navigate', { url }).catch(onFailure)
    else notices.add('popup')
  })
  context.on('page', async (other) => {
    if (other === page) return
    // Ignores errors: the window may have closed itself.
    await other.close().catch(() => {})
    // Afterwards the page must be in front again.
    await session.send('Page.bringToFront').catch(onFailure)
  })
}

async function answer(dialog: Dialog, notices: Notices): Promise<void> {
  const type = dialog.type()
  notices.dialog(type, dialog.message())
  // Ignores errors: the dialog of a closed page can't be answered, and blocks nothing.
  await (type === 'beforeunload' || type === 'alert' ? dialog.accept() : dialog.dismiss()).catch(() => {})
}
