// @ts-check
// The form of a task: its fields and its JSON are two views of one input.

/** The input value of a field in a task's form. @param {HTMLInputElement} field @returns {unknown} */
function valueIn({ value, dataset: { shape } }) {
  if (shape?.startsWith('list')) {
    const lines = value
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
    return shape === 'list-or-text' && lines.length === 1 ? lines[0] : lines
  }
  if (shape === 'boolean') return value === 'true'
  if (shape === 'integer' || shape === 'number') return Number(value)
  return value
}

/** The fields of a task's input. @param {HTMLFormElement} form */
const fieldsOf = (form) => /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll('[name^="in."]')])

/** The input in the fields. @param {HTMLFormElement} form */
const inputIn = (form) =>
  Object.fromEntries(
    fieldsOf(form)
      .filter(({ value }) => value.trim() !== '')
      .map((field) => [field.name.slice(3), valueIn(field)]),
  )

/** An object from JSON text; undefined for any other text. @param {string} text @returns {object | undefined} */
function objectIn(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Shows an input in the fields. @param {HTMLFormElement} form @param {Record<string, unknown>} input */
function fill(form, input) {
  for (const field of fieldsOf(form)) {
    const value = input[field.name.slice(3)] ?? ''
    field.value = Array.isArray(value) ? value.join('\n') : String(value)
  }
}

/** Keeps the fields and the JSON of a playground alike, and shows the call. @param {Event} event */
function showCall({ currentTarget, target }) {
  const form = /** @type {HTMLFormElement} */ (currentTarget)
  const json = /** @type {HTMLTextAreaElement | null} */ (form.elements.namedItem('json'))
  const isJson = target === json
  const input = isJson ? objectIn(json?.value ?? '') : inputIn(form)
  if (!input) return
  if (isJson) fill(form, /** @type {Record<string, unknown>} */ (input))
  else if (json) json.value = JSON.stringify(input, null, 2)
  const rest = /** @type {Record<string, unknown>} */ ({ ...input })
  const { path = '' } = /** @type {HTMLElement} */ (form.querySelector('tab-set')).dataset
  const filled = path.replaceAll(/:([^/]+)/g, (_, /** @type {string} */ name) => {
    const value = encodeURIComponent(String(rest[name] ?? '')).replaceAll("'", '%27')
    delete rest[name]
    return value
  })
  for (const code of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll('code[data-template]'))) {
    const template = code.dataset.template ?? ''
    const body = JSON.stringify(rest, null, 2)
    const fitting = template.startsWith('curl')
      ? body.replaceAll("'", "'\\''")
      : body.replaceAll('\n', '\n  ')
    code.textContent = template.replace('{path}', () => filled).replace('{body}', () => fitting)
  }
}
const playground = /** @type {HTMLFormElement | null} */ (document.getElementById('playground'))
playground?.addEventListener('input', showCall)
