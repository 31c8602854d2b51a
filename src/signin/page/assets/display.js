/** The page's output to the person: the visible section, a status line, notices, and the time left. */

export const $ = (id) => document.getElementById(id)

/** Whether the sign-in has ended. From then on only its outcome is shown, and nothing is sent. */
export let hasEnded = false

/** Sets the status line, which screen readers announce. */
export function say(text) {
  if ($('status').textContent !== text) $('status').textContent = text
}

const TITLE = document.title

/** Shows one section of the page and moves the focus to it. */
export function show(id) {
  const part = $(id)
  if (!part.hidden) return
  for (const other of document.querySelectorAll('[data-part]')) other.hidden = other !== part
  const heading = part.querySelector('h2')
  // The title tells people who wait in another tab that it is their turn.
  document.title = heading ? `${heading.textContent} – ${TITLE}` : TITLE
  if (heading) heading.focus()
  else $('typed').focus({ preventScroll: true })
}

/** Shows the outcome. */
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
/** the timers that remove them */
const going = new WeakMap()

/** Shows a notice. A notice that is still shown is not repeated, but stays longer. */
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

// A soft keyboard covers the bottom of the window, where the notices are.
visualViewport?.addEventListener('resize', () => {
  const { height, offsetTop } = visualViewport
  $('notices').style.setProperty('--covered', `${Math.max(0, innerHeight - height - offsetTop)}px`)
})

const LAST_MS = 120_000
/** The time left by the server's clock when it sent the page, since the local clock may be wrong. */
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
