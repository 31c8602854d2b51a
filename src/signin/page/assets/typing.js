/**
 * Typing: sends keys as keys, and the output of soft keyboards, input methods, dictation and the clipboard as text. An
 * invisible field receives all of it, since the person's system needs a field to type into.
 */

import { $, notice } from './display.js'
import { send } from './inputs.js'

const typed = $('typed')

/** Keys without a character that the remote page knows, as src/signin/browser/keys.ts does. */
const NAMED =
  /^(Alt|Arrow(Down|Left|Right|Up)|Backspace|Control|Delete|End|Enter|Escape|Home|Meta|Page(Down|Up)|Shift|Tab)$/
const CTRL = 2

/** The pressed modifier keys, as a bit mask. */
export const modifiersOf = (event) =>
  (event.altKey ? 1 : 0) + (event.ctrlKey ? CTRL : 0) + (event.metaKey ? 4 : 0) + (event.shiftKey ? 8 : 0)

/** Moves the focus from the remote page to the buttons of this page and back. Tab goes to the remote page. */
const LEAVE = 'F6'

const isCommand = ({ ctrlKey, metaKey, altKey }) => (ctrlKey || metaKey) && !altKey
const isPaste = (event) =>
  (isCommand(event) && event.key.toLowerCase() === 'v') || (event.shiftKey && event.key === 'Insert')
const isCopy = (event) => isCommand(event) && /^[cx]$/.test(event.key)
/** Whether the key is from a soft keyboard, an input method or a dead key, whose result arrives as text. */
const isMade = ({ isComposing, keyCode, key }) =>
  isComposing || keyCode === 229 || /^(Dead|Process|Unidentified)$/.test(key)

/** Whether a key is for the remote page. All others (zoom, reload, find …) are left to the person's own browser. */
function isTaken(event) {
  const { key, altKey, ctrlKey, metaKey } = event
  if (NAMED.test(key)) return !(/^(Page|Tab)/.test(key) && (altKey || ctrlKey || metaKey))
  if ([...key].length !== 1) return false
  if (isCommand(event)) return /^[ayz]$/i.test(key)
  // A letter with Alt is a command, but AltGr makes characters. (On a Mac, Alt does too, and never plain letters.)
  return !(altKey && /^[a-z0-9 ]$/i.test(key)) || event.getModifierState('AltGraph')
}

/** The pressed keys, by physical position: a release is only sent for a key whose press was sent. */
const held = new Map()

function key(event, action) {
  const { key, code, location, repeat } = event
  send({ type: 'key', action, key, code, location, repeat, modifiers: modifiersOf(event) })
}

function letGo() {
  for (const event of held.values()) key(event, 'up')
  held.clear()
}

typed.addEventListener('keydown', (event) => {
  if (isMade(event) || isPaste(event)) return
  if (isCopy(event)) notice('Nothing can be copied from the remote page: it is shown as a picture.')
  if (!isTaken(event)) return
  event.preventDefault()
  held.set(event.code || event.key, event)
  key(event, 'down')
})
typed.addEventListener('keyup', (event) => {
  if (held.delete(event.code || event.key)) key(event, 'up')
  // macOS sends no keyup events while the Meta key is pressed.
  if (event.key === 'Meta') letGo()
})
typed.addEventListener('blur', letGo)

document.addEventListener('keydown', (event) => {
  if (event.key !== LEAVE || $('remote').hidden) return
  event.preventDefault()
  if (document.activeElement === typed) $('back').focus()
  else takeKeys()
})

const MOST_TEXT = 10_000

/** Types a text at the cursor. */
export function text(value) {
  if (value.length > MOST_TEXT) notice(`Only ${MOST_TEXT} characters can be pasted at once.`)
  else if (value !== '') send({ type: 'text', text: value.toWellFormed() })
}

typed.addEventListener('paste', (event) => {
  event.preventDefault()
  text(event.clipboardData?.getData('text') ?? '')
})

let isComposing = false
typed.addEventListener('compositionstart', () => {
  isComposing = true
})
typed.addEventListener('compositionupdate', ({ data }) => {
  send({ type: 'composition', text: data, start: data.length, end: data.length })
})
typed.addEventListener('compositionend', ({ data }) => {
  isComposing = false
  if (data === '') send({ type: 'composition', text: '', start: 0, end: 0 })
  text(data)
  clear()
})

/** Ends the current composition and keeps its text. */
export function finishComposing() {
  if (isComposing) typed.blur()
}

function press(name, modifiers = 0) {
  const pressed = { type: 'key', key: name, code: name, location: 0, repeat: false, modifiers }
  send({ ...pressed, action: 'down' })
  send({ ...pressed, action: 'up' })
}

typed.addEventListener('beforeinput', (event) => {
  const { inputType, data, dataTransfer } = event
  if (event.isComposing || /Composition/.test(inputType)) return
  event.preventDefault()
  if (/^insert(LineBreak|Paragraph)$/.test(inputType)) press('Enter')
  else if (inputType.startsWith('insert')) text(data ?? dataTransfer?.getData('text/plain') ?? '')
  else if (inputType.startsWith('delete')) {
    const name = inputType.endsWith('Forward') ? 'Delete' : 'Backspace'
    press(name, inputType.startsWith('deleteWord') ? CTRL : 0)
  }
})
// Some soft keyboards change the field in spite of preventDefault.
typed.addEventListener('input', () => {
  if (!isComposing) clear()
})

/** Resets the field to a space: some soft keyboards report Backspace only if there is something to delete. */
export function clear() {
  typed.value = ' '
  typed.setSelectionRange(1, 1)
}

/**
 * Moves the keyboard focus to the remote page.
 *
 * @param touch the touch event, if any: a soft keyboard opens only in response to one, and for a newly focused field
 */
export function takeKeys(touch) {
  if (touch) {
    typed.blur()
    // Browsers scroll the focused field out of the way of the soft keyboard.
    const box = $('stage').getBoundingClientRect()
    typed.style.left = `${touch.clientX - box.left}px`
    typed.style.top = `${touch.clientY - box.top}px`
  }
  typed.focus({ preventScroll: true })
}

const KINDS = {
  password: 'password',
  email: 'e-mail',
  tel: 'phone number',
  number: 'number',
  url: 'address',
  search: 'search',
}
const MODES = { email: 'email', tel: 'tel', number: 'decimal', url: 'url', search: 'search' }

/**
 * Adapts the field to the focused field of the remote page.
 *
 * @param focus see src/signin/browser/types.ts; null if no field has the focus
 * @returns the field's name for screen readers; empty if there is none
 */
export function typeInto(focus) {
  const isEditable = Boolean(focus?.editable)
  typed.inputMode = isEditable ? (MODES[focus.kind] ?? 'text') : 'none'
  typed.enterKeyHint = focus?.multiline ? 'enter' : 'go'
  $('keyboard').hidden = !isEditable || !matchMedia('(any-pointer: coarse)').matches
  const kind = KINDS[focus?.kind]
  const what = isEditable ? `${kind ? `${kind} ` : ''}field` : ''
  const name = [focus?.label, what].filter(Boolean).join(', ')
  typed.setAttribute('aria-label', name ? `Remote page: ${name}` : 'Remote page')
  return name
}
