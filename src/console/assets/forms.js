// @ts-check
// A form is sent once, also by a double click or by a second click while the service is slow.
let sentAt = Number.NEGATIVE_INFINITY
document.addEventListener('submit', (event) => {
  const { submitter, target } = /** @type {SubmitEvent} */ (event)
  const sender = /** @type {HTMLButtonElement | null} */ (submitter)
  const method = sender?.getAttribute('formmethod') ?? /** @type {HTMLFormElement} */ (target).method
  // A search or a download may be repeated at once.
  if (method !== 'post') return
  if (event.timeStamp - sentAt < 5000) event.preventDefault()
  else sentAt = event.timeStamp
})
// "Back" may restore this page with its state.
addEventListener('pageshow', () => {
  sentAt = Number.NEGATIVE_INFINITY
})
