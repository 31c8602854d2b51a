/**
 * What is typed: keys as keys, and as text what soft keyboards, input methods, dictation and the clipboard make. A field
 * that nobody sees takes all of it, so that the person's system knows that there is something to type in.
 */
import { send } from './sent.js'
import { $, notice } from './told.js'

const typed = $('typed')

/** Keys without a character that the remote page knows, as src/browser/signin/keys.ts does. */
const NAMED =
  /^(Alt|Arrow(Down|Left|Right|Up)|Backspace|Control|Delete|End|Enter|Escape|Home|Meta|Page(Down|Up)|Shift|Tab)$/
const CTRL = 2

/** Keys that are held, as a sum. */
export const modifiersOf = (event) =>
  (event.altKey ? 1 : 0) + (event.ctrlKey ? CTRL : 0) + (event.metaKey ? 4 : 0) + (event.shiftKey ? 8 : 0)

/** Leads from the remote page to the buttons of this one, and back: all other keys, Tab too, are typed there. */
const LEAVE = 'F6'

const isCommand = ({ ctrlKey, metaKey, altKey }) => (ctrlKey || metaKey) && !altKey
const isPaste = (event) =>
  (isCommand(event) && event.key.toLowerCase() === 'v') || (event.shiftKey && event.key === 'Insert')
const isCopy = (event) => isCommand(event) && /^[cx]$/.test(event.key)
/** Of a soft keyboard, an input method, or an accent that waits for its letter: what they make of it comes as text. */
const isMade = ({ isComposing, keyCode, key }) =>
  isComposing || keyCode === 229 || /^(Dead|Process|Unidentified)$/.test(key)

/** Whether a key is for the remote page; all others (zoom, reload, find …) stay with the person's own browser. */
function isTaken(event) {
  const { key, altKey, ctrlKey, metaKey } = event
  if (NAMED.test(key)) return !(/^(Page|Tab)/.test(key) && (altKey || ctrlKey || metaKey))
  if ([...key].length !== 1) return false
  if (isCommand(event)) return /^[ayz]$/i.test(key)
  // With Alt a letter is a command, but for those that AltGr makes. (On a Mac Alt makes other characters.)
  return !(altKey && /^[a-z0-9 ]$/i.test(key)) || event.getModifierState('AltGraph')
}

/** Keys that are held, by where they lie: only what was pressed there is let go there. */
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
  // A Mac does not tell of keys that are let go while it is held.
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

/** Types a text where the cursor is. */
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

/** Ends what an input method has begun, with what it has so far. */
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
// Some soft keyboards change the field all the same.
typed.addEventListener('input', () => {
  if (!isComposing) clear()
})

/** Something stays in the field, since some soft keyboards tell of Backspace only where there is something to delete. */
export function clear() {
  typed.value = ' '
  typed.setSelectionRange(1, 1)
}

/**
 * Leads the keys to the remote page.
 *
 * @param touch where it was touched: a soft keyboard opens only in answer to that, and only for a field that had no focus
 */
export function takeKeys(touch) {
  if (touch) {
    typed.blur()
    // A browser moves the field that is typed in out of the way of its soft keyboard.
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
 * Makes the field like the one that has the focus on the remote page.
 *
 * @param focus see src/browser/signin/types.ts; null: nothing has it
 * @returns its name for a screen reader, empty for nothing
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
