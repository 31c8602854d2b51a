/** What the person is told: the part of the page that is shown, a line of words, notices, and how long is left. */

export const $ = (id) => document.getElementById(id)

/** Nothing is shown or sent any more but how it has ended. */
export let hasEnded = false

/** Says what the state is: everybody sees it, and a screen reader says it. */
export function say(text) {
  if ($('status').textContent !== text) $('status').textContent = text
}

const TITLE = document.title

/** Shows one part of the page, and leads the keys to it. */
export function show(id) {
  const part = $(id)
  if (!part.hidden) return
  for (const other of document.querySelectorAll('[data-part]')) other.hidden = other !== part
  const heading = part.querySelector('h2')
  // Who waits in another tab sees by the title that it is their turn.
  document.title = heading ? `${heading.textContent} – ${TITLE}` : TITLE
  if (heading) heading.focus()
  else $('typed').focus({ preventScroll: true })
}

/** Shows how it has ended. */
export function end(id, text) {
  if (hasEnded) return
  hasEnded = true
  $('left').hidden = true
  if (text) $(id).querySelector('[data-why]').textContent = `${text[0].toUpperCase()}${text.slice(1)}.`
  say('')
  $('notices').replaceChildren()
  show(id)
}

const NOTICE_MS = 15_000
const MOST_NOTICES = 3
/** when they go */
const going = new WeakMap()

/** Tells of something that has happened, once while it can still be read. */
export function notice(text) {
  const list = $('notices')
  const known = [...list.children].find((line) => line.textContent === text)
  const line = known ?? document.createElement('li')
  if (!known) {
    line.textContent = text
    list.append(line)
    if (list.children.length > MOST_NOTICES) list.firstChild.remove()
  }
  clearTimeout(going.get(line))
  going.set(
    line,
    setTimeout(() => line.remove(), NOTICE_MS),
  )
}

// A soft keyboard covers the end of the window, where notices are.
visualViewport?.addEventListener('resize', () => {
  const { height, offsetTop } = visualViewport
  $('notices').style.setProperty('--covered', `${Math.max(0, innerHeight - height - offsetTop)}px`)
})

const LAST_MS = 120_000
/** By the server's clock at the moment in which it sent the page; the clock here may be wrong. */
const leftThen = Number($('left').dataset.ms)
const cameAt = Date.now()
let isLastTold = false

function countDown() {
  const left = leftThen - (Date.now() - cameAt)
  if (hasEnded) return
  if (left <= 0 && !$('welcome').hidden) return end('failure', 'the time to sign in has run out')
  const minutes = Math.ceil(left / 60_000)
  $('left').textContent = minutes > 1 ? `${minutes} minutes left` : 'Less than a minute left'
  if (left > LAST_MS || isLastTold) return
  isLastTold = true
  notice('Less than two minutes are left to sign in.')
}
setInterval(countDown, 1000)
countDown()
