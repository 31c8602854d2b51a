/** Mouse, pen, touch and wheel input on the picture of the remote page. */

import { $ } from './display.js'
import { send } from './inputs.js'
import { finishComposing, modifiersOf, takeKeys } from './typing.js'

const screen = $('screen')
/** The size of the picture, in CSS pixels of the remote page. */
let shown = { width: 0, height: 0 }

/** @param size of the page in the picture on the screen */
export function pictured(size) {
  shown = size
}

function pointOf(event) {
  const box = screen.getBoundingClientRect()
  const within = (part, whole) => Math.min(Math.max(0, part * whole), whole - 1)
  return {
    x: within((event.clientX - box.left) / box.width, shown.width),
    y: within((event.clientY - box.top) / box.height, shown.height),
  }
}

const AGAIN_MS = 500
const AGAIN_PX = 8
let clicks = { count: 0, at: 0, x: 0, y: 0 }

const farFrom = (point, event) => Math.hypot(event.clientX - point.x, event.clientY - point.y)

/** Counts successive clicks, for double and triple clicks. */
function clicksOf(event, action) {
  if (action !== 'down') return clicks.count
  const { timeStamp: at, clientX: x, clientY: y } = event
  const isAgain = at - clicks.at < AGAIN_MS && farFrom(clicks, event) < AGAIN_PX
  clicks = { count: isAgain ? (clicks.count % 3) + 1 : 1, at, x, y }
  return clicks.count
}

function pointer(event, action) {
  const isMove = action === 'move'
  send({
    type: 'pointer',
    action,
    pointerType: event.pointerType === 'touch' ? 'touch' : 'mouse',
    pointerId: event.pointerId & 0x7fffffff,
    ...pointOf(event),
    button: isMove ? -1 : Math.max(0, event.button),
    buttons: event.buttons & 7,
    clicks: isMove ? 0 : clicksOf(event, action),
    modifiers: modifiersOf(event),
  })
}

/** The "back" and "forward" buttons are left to the person's own browser. */
const isKnown = ({ button }) => button <= 2
const TAP_PX = 10
let pressed = { x: 0, y: 0 }

screen.addEventListener('pointerdown', (event) => {
  if (!isKnown(event)) return
  event.preventDefault()
  // An unfinished composition belongs to the field that had the focus until now.
  finishComposing()
  pressed = { x: event.clientX, y: event.clientY }
  screen.setPointerCapture(event.pointerId)
  pointer(event, 'down')
})
screen.addEventListener('pointermove', (event) => pointer(event, 'move'))
screen.addEventListener('pointerup', (event) => {
  if (!isKnown(event)) return
  pointer(event, 'up')
  const isTouch = event.pointerType === 'touch'
  // Scrolling must not open the keyboard.
  if (isTouch && farFrom(pressed, event) > TAP_PX) return
  takeKeys(isTouch ? event : undefined)
})
screen.addEventListener('pointercancel', (event) => pointer(event, 'cancel'))
screen.addEventListener('contextmenu', (event) => event.preventDefault())

const LINE_PX = 16

function wheel(event) {
  // A pinch on a trackpad. Zooming is left to the person's own browser, as with the keyboard.
  if (event.ctrlKey) return
  event.preventDefault()
  const unit = event.deltaMode === 1 ? LINE_PX : event.deltaMode === 2 ? shown.height : 1
  const ways = [event.deltaX * unit, event.deltaY * unit]
  // Some browsers do not make the wheel horizontal while Shift is pressed.
  const [dx, dy] = event.shiftKey && ways[0] === 0 ? ways.reverse() : ways
  send({ type: 'pointer', action: 'wheel', ...pointOf(event), dx, dy, modifiers: modifiersOf(event) })
}
screen.addEventListener('wheel', wheel, { passive: false })
