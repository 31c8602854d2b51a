/**
 * Reads the parts of the page that a person must know in addition to the picture: the focused element and the title.
 * Field contents are never read.
 *
 * @module
 */
import type { CDPSession } from 'rebrowser-playwright'
import { World } from '../../browser/page/script.ts'
import type { Focus } from './types.ts'
import { type Tried, WATCH } from './watch.ts'

/** More deeply nested frames are ignored. */
const MOST_DEPTH = 5

/** The result for one document. */
type Look = {
  readonly title: string
  readonly focus: Focus | null
  /** the focus is in another document of the page */
  readonly isInFrame: boolean
  /** what the document has tried to do since the last look, see {@link WATCH} */
  readonly tried: readonly Tried[]
}

/** The isolated world of {@link WATCH} and {@link LOOK}. The page's scripts can neither change nor detect it. */
const WORLD = 'sign-in'

const LOOK = `(() => {
  const tried = [...(self.tried ?? [])]
  self.tried?.clear()
  let element = document.activeElement
  while (element && element.shadowRoot && element.shadowRoot.activeElement) element = element.shadowRoot.activeElement
  const cut = (text) => String(text || '').slice(0, 1000).replace(/\\s+/g, ' ').trim().slice(0, 200)
  const title = cut(document.title)
  if (!element || element === document.body || element === document.documentElement)
    return { title, focus: null, isInFrame: false, tried }
  if (/^I?FRAME$/.test(element.tagName)) return { title, focus: null, isInFrame: true, tried }
  const root = element.getRootNode()
  const named = (element.getAttribute('aria-labelledby') || '').split(/\\s+/).filter(Boolean)
    .map((id) => root.getElementById(id)).map((label) => !label || label.isContentEditable ? '' : label.textContent).join(' ')
  const labels = [...(element.labels ?? [])].map((label) => label.innerText).join(' ')
  const isInput = element.tagName === 'INPUT'
  const type = isInput ? element.type : 'text'
  const takesText = isInput && !/^(button|checkbox|color|file|hidden|image|radio|range|reset|submit)$/.test(type)
  const isButton = isInput && /^(button|reset|submit)$/.test(type)
  const multiline = element.tagName === 'TEXTAREA' || element.isContentEditable
  const mode = element.inputMode
  const kinds = ['text', 'password', 'email', 'tel', 'number', 'url', 'search']
  const kind = type === 'text' && /^(numeric|decimal)$/.test(mode) ? 'number'
    : type === 'text' && kinds.includes(mode) ? mode
    : kinds.includes(type) ? type : 'text'
  const isNamedByText = /^(A|BUTTON|OPTION|SUMMARY)$/.test(element.tagName) || /^(button|link|option|tab)$/.test(element.role)
  const own = isButton ? element.value : isNamedByText && !multiline ? element.innerText : ''
  const label = [named, element.getAttribute('aria-label'), labels, element.placeholder, element.title, own]
    .map(cut).find(Boolean) ?? ''
  const editable = (takesText || multiline) && !element.disabled && !element.readOnly
  return { title, focus: { editable, kind, label, multiline }, isInFrame: false, tried }
})()`

type FrameTree = { readonly frame: { readonly id: string }; readonly childFrames?: readonly FrameTree[] }

/** Starts {@link WATCH} in every document. Must be called once, before the first navigation. */
export async function startWatch(session: CDPSession): Promise<void> {
  await session.send('Page.addScriptToEvaluateOnNewDocument', { source: WATCH, worldName: WORLD })
}

/** Reads the page. @throws {TryAgain} when the page navigates away during the look */
export async function lookAt(session: CDPSession): Promise<Look> {
  const evaluate = ({ frame }: FrameTree, expression: string): Promise<unknown> =>
    new World(session, frame.id, WORLD).evaluate(expression)
  /** Includes cross-site frames, which share the page's process here. */
  const lookInto = async (tree: FrameTree, depth: number): Promise<Look> => {
    const look = (await evaluate(tree, LOOK)) as Look
    if (!look.isInFrame || depth === MOST_DEPTH) return look
    for (const child of tree.childFrames ?? []) {
      if (!(await evaluate(child, 'document.hasFocus()'))) continue
      const { focus, tried } = await lookInto(child, depth + 1)
      return { ...look, focus, tried: [...look.tried, ...tried] }
    }
    return look
  }
  const { frameTree } = await session.send('Page.getFrameTree')
  return lookInto(frameTree, 0)
}
