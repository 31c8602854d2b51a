/** What is done on the picture of the remote page with a mouse, a pen, fingers and a wheel. */
import { send } from './sent.js'
import { $ } from './told.js'
import { finishComposing, modifiersOf, takeKeys } from './typing.js'

const screen = $('screen')
/** In CSS pixels of the remote page: what the picture shows, and the smallest that was asked for since. */
let shown = { width: 0, height: 0 }
let most = { width: Infinity, height: Infinity }

/** @param size what the picture on the screen shows */
export function pictured(size) {
  shown = size
  if (size.width === most.width && size.height === most.height) most = { width: Infinity, height: Infinity }
}

/** @param size which the remote page is about to have: nothing may be done outside of it */
export function resized(size) {
  most = size
}

function pointOf(event) {
  const box = screen.getBoundingClientRect()
  const within = (part, whole, most) => Math.min(Math.max(0, part * whole), Math.min(whole, most) - 1)
  return {
    x: within((event.clientX - box.left) / box.width, shown.width, most.width),
    y: within((event.clientY - box.top) / box.height, shown.height, most.height),
  }
}

const AGAIN_MS = 500
const AGAIN_PX = 8
let clicks = { count: 0, at: 0, x: 0, y: 0 }

const farFrom = (point, event) => Math.hypot(event.clientX - point.x, event.clientY - point.y)

/** Counts what makes a double click. */
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

/** Buttons for "back" and "forward" are the person's own browser's. */
const isKnown = ({ button }) => button <= 2
const TAP_PX = 10
let pressed = { x: 0, y: 0 }

screen.addEventListener('pointerdown', (event) => {
  if (!isKnown(event)) return
  event.preventDefault()
  // What an input method has begun belongs to the field that had the focus till now.
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
  // Who scrolls wants no keyboard.
  if (isTouch && farFrom(pressed, event) > TAP_PX) return
  takeKeys(isTouch ? event : undefined)
})
screen.addEventListener('pointercancel', (event) => pointer(event, 'cancel'))
screen.addEventListener('contextmenu', (event) => event.preventDefault())

const LINE_PX = 16

function wheel(event) {
  // So two fingers on a trackpad zoom: that is for the person's own browser, as it is with the keys for it.
  if (event.ctrlKey) return
  event.preventDefault()
  const unit = event.deltaMode === 1 ? LINE_PX : event.deltaMode === 2 ? shown.height : 1
  const ways = [event.deltaX * unit, event.deltaY * unit]
  // Some browsers leave it to the page that Shift turns the wheel sideways.
  const [dx, dy] = event.shiftKey && ways[0] === 0 ? ways.reverse() : ways
  send({ type: 'pointer', action: 'wheel', ...pointOf(event), dx, dy, modifiers: modifiersOf(event) })
}
screen.addEventListener('wheel', wheel, { passive: false })
