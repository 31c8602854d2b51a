// @ts-check
// The service checks the input of a task while it is written: its price, its errors and the calls of programs follow.

/** Milliseconds without a key press after which the input is checked. */
const PAUSE_MS = 350

/** Shows or removes the error of a field. @param {HTMLElement} field @param {string | undefined} text */
function showError(field, text) {
  const group = field.closest('.field')
  if (!group) return
  const named = group.tagName === 'FIELDSET' ? group : field
  const id = `${field.getAttribute('name')}-error`
  const line = document.getElementById(id)
  if (!text) {
    line?.remove()
    named.removeAttribute('aria-invalid')
    describe(named, id, false)
    return
  }
  const shown = errorOf(text)
  shown.id = id
  if (!line) group.append(shown)
  else if (line.innerHTML !== shown.innerHTML) line.replaceWith(shown)
  named.setAttribute('aria-invalid', 'true')
  describe(named, id, true)
}

/** An error as the service writes it: several lines are a list, and words in backticks are code. @param {string} text */
function errorOf(text) {
  const lines = text.split('\n')
  const error = document.createElement(lines.length === 1 ? 'p' : 'ul')
  error.className = 'error'
  for (const line of lines) {
    const place = lines.length === 1 ? error : error.appendChild(document.createElement('li'))
    for (const [i, part] of line.split(/`([^`]+)`/).entries())
      place.append(i % 2 === 0 ? part : Object.assign(document.createElement('code'), { textContent: part }))
  }
  return error
}

/** @param {Element} field @param {string} id @param {boolean} isDescribed */
function describe(field, id, isDescribed) {
  const ids = (field.getAttribute('aria-describedby') ?? '').split(' ').filter((each) => each && each !== id)
  if (isDescribed) ids.push(id)
  if (ids.length > 0) field.setAttribute('aria-describedby', ids.join(' '))
  else field.removeAttribute('aria-describedby')
}

/** @param {HTMLFormElement} form */
function checkWhileWriting(form) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  let latest = 0
  const codes = () => form.querySelectorAll('copy-text code')

  /** @param {boolean} isBusy */
  const mark = (isBusy) => {
    for (const code of codes()) code.parentElement?.setAttribute('aria-busy', String(isBusy))
  }
  /** @param {'form' | 'json'} view */
  const check = async (view) => {
    const mine = ++latest
    const body = new URLSearchParams(/** @type {any} */ (new FormData(form)))
    body.set('check', view)
    const answer = await fetch(form.action, {
      method: 'POST',
      body,
      headers: { accept: 'application/json' },
      redirect: 'error',
    })
    if (!answer.ok || mine !== latest) return
    show(view, await answer.json())
  }
  /** @param {'form' | 'json'} view @param {any} checked */
  const show = (view, { price, errors, calls }) => {
    for (const place of form.querySelectorAll('[data-price]')) place.textContent = price
    const json = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem('json'))
    showError(json, view === 'json' ? errors.json : undefined)
    if (view === 'form')
      for (const field of form.querySelectorAll('[name^="in."]')) {
        const name = field.getAttribute('name')?.slice('in.'.length) ?? ''
        // A field that is still empty may be filled in next.
        const isEmpty = 'value' in field && field.value === ''
        if (!isEmpty || !errors[name]) showError(/** @type {HTMLElement} */ (field), errors[name])
      }
    if (!calls) return
    for (const [language, text] of Object.entries(calls)) {
      const code = document.getElementById(language)?.querySelector('code')
      if (code) code.textContent = text
    }
    mark(false)
  }
  /** @param {Event} event */
  const soon = ({ target, type }) => {
    const view = /** @type {HTMLInputElement} */ (target).name === 'json' ? 'json' : 'form'
    mark(true)
    clearTimeout(timer)
    // Without an answer, the form still works: it is checked when it is sent.
    timer = setTimeout(() => check(view).catch(() => undefined), type === 'change' ? 0 : PAUSE_MS)
  }
  form.addEventListener('input', soon)
  // Whoever leaves a field may look at a program next.
  form.addEventListener('change', soon)
  // The price follows by itself.
  for (const button of form.querySelectorAll('[data-check]')) button.remove()

  // All wrong fields are told at once, each at its field, where browsers tell one.
  form.addEventListener(
    'invalid',
    (event) => {
      event.preventDefault()
      const field = /** @type {HTMLInputElement} */ (event.target)
      showError(field, field.validity.valueMissing ? 'Fill in this field.' : field.validationMessage)
      const fold = field.closest('details')
      if (fold) fold.open = true
      if (form.querySelector(':is(input, select, textarea):invalid') === field) field.focus()
    },
    true,
  )
}

const form = /** @type {HTMLFormElement | null} */ (document.getElementById('task-form'))
if (form) checkWhileWriting(form)
