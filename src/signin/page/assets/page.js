/**
 * The hosted page in the person's browser: shows the remote page and sends the person's input to it.
 * Plain JavaScript, served without a build step; see src/signin/browser/types.ts for inputs and events.
 */

import { $, end, notice, say, show } from './display.js'
import { post, send } from './inputs.js'
import { follow } from './stream.js'
import { clear, takeKeys, text } from './typing.js'

const LEAST = 200
const MOST = 2000
const isTouched = matchMedia('(pointer: coarse)').matches

/** The space for the remote page, in CSS pixels. */
function room() {
  const box = $('stage').getBoundingClientRect()
  const within = (side) => Math.round(Math.min(MOST, Math.max(LEAST, side)))
  return { width: within(box.width), height: within(box.height) }
}

const SETTLED_MS = 300
let resizing
let width = document.documentElement.clientWidth
addEventListener('resize', () => {
  // On touch screens, ignores height changes: soft keyboards and browser toolbars cause them.
  const { clientWidth } = document.documentElement
  if (isTouched && clientWidth === width) return
  width = clientWidth
  clearTimeout(resizing)
  resizing = setTimeout(() => {
    if ($('remote').hidden) return
    send({ type: 'resize', ...room() })
  }, SETTLED_MS)
})

async function start() {
  show('remote')
  say('The sign-in page is being opened.')
  const scale = Math.min(2, Math.max(1, devicePixelRatio))
  const reply = await post('start', { ...room(), touch: isTouched, scale }).catch(() => undefined)
  if (reply?.status === 404) return end('failure', 'this link was already used, or has expired')
  if (reply?.ok) return attend()
  show('welcome')
  say('The sign-in page could not be opened. Please try again.')
}

function attend() {
  show('remote')
  clear()
  void follow()
}

async function leave() {
  const reply = await post('end').catch(() => undefined)
  if (reply?.ok || reply?.status === 404) end('failure', 'you ended it')
  else notice('The connection was lost, so the sign-in was not ended.')
}

async function paste() {
  try {
    const pasted = await navigator.clipboard.readText()
    if (pasted === '') notice('There is no text to paste.')
    text(pasted)
  } catch {
    notice('Your browser does not let this page read the clipboard.')
  }
  takeKeys()
}

const on = (id, act) => $(id).addEventListener('click', act)
on('begin', () => void start())
on('back', () => send({ type: 'back' }))
on('reload', () => send({ type: 'reload' }))
on('keyboard', () => {
  $('typed').blur()
  takeKeys()
})
on('paste', () => void paste())
on('give-up', () => void leave())
on('leave', () => {
  if (confirm('End the sign-in? What you have done so far is lost, and this link can’t be used again.'))
    void leave()
})
// The clipboard API exists in secure contexts only.
$('paste').hidden = !navigator.clipboard?.readText

const { opened } = document.body.dataset
if (opened === 'here') attend()
else show(opened === 'elsewhere' ? 'elsewhere' : 'welcome')
