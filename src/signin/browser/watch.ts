/**
 * A script that keeps a page from opening native UI. Chromium shows that in separate windows, which appear in no
 * picture and capture the keyboard. The script runs in every document from its start, in an isolated world.
 *
 * @module
 */
import { IS_OFF_WEB } from '../../browser/page/stay-on-web.ts'

/** Something that a document has tried to do. */
export type Tried = 'full-screen' | 'picker' | 'print' | 'protocol'

/**
 * Prevents full screen, navigation to other programs, and date or colour pickers. The options of a `<select>` are
 * rendered in the page itself, which Chromium supports since version 135.
 */
export const WATCH = `{
  const tried = new Set()
  const options = { capture: true }
  self.tried = tried
  let list
  const showInPage = (event) => {
    const target = event.composedPath()[0]
    const select = target instanceof Element && target.closest('select')
    const root = select && select.getRootNode()
    if (!root || !root.adoptedStyleSheets) return
    if (!list) {
      list = new CSSStyleSheet()
      const one = 'select:not([multiple]):is(:not([size]), [size="0"], [size="1"])'
      list.replaceSync(one + ', ' + one + '::picker(select) { appearance: base-select !important }')
    }
    if (!root.adoptedStyleSheets.includes(list)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, list]
  }
  for (const type of ['focusin', 'keydown', 'pointerdown']) addEventListener(type, showInPage, options)
  const PICKED = /^(color|date|datetime-local|month|time|week)$/
  const isPicked = ([target]) => target instanceof HTMLInputElement && PICKED.test(target.type)
  addEventListener('click', (event) => {
    if (!isPicked(event.composedPath())) return
    tried.add('picker')
    event.preventDefault()
  }, options)
  addEventListener('keydown', (event) => {
    if (/^( |F4)$/.test(event.key) && isPicked(event.composedPath())) event.preventDefault()
  }, options)
  addEventListener('beforeprint', () => tried.add('print'), options)
  addEventListener('fullscreenchange', () => {
    if (!document.fullscreenElement) return
    tried.add('full-screen')
    document.exitFullscreen().catch(() => {})
  }, options)
  navigation.addEventListener('navigate', (event) => {
    if (!event.cancelable || !(${IS_OFF_WEB})(event.destination.url)) return
    tried.add('protocol')
    event.preventDefault()
  }, options)
}`
