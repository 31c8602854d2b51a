// @ts-check
// The form of a task: its fields and its JSON are two views of one input. Whichever is changed, the other follows.

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field */

/** The fields of a task's input. @param {HTMLFormElement} form @returns {Field[]} */
const fieldsOf = (form) =>
  [...form.querySelectorAll('[name^="in."]')].map((field) => /** @type {Field} */ (field))

/** @param {Field} field */
const nameOf = ({ name }) => name.slice('in.'.length)

/** @param {string} text @param {string} between */
const entries = (text, between) =>
  text
    .split(between)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

/** The value of a field in the input; undefined for an empty one. @param {readonly Field[]} same fields of one name */
function valueIn(same) {
  const [{ value, dataset }] = /** @type {[Field]} */ (same)
  if (dataset.shape === 'checks') {
    const chosen = same.flatMap((box) => (/** @type {HTMLInputElement} */ (box).checked ? [box.value] : []))
    return chosen.length > 0 ? chosen : undefined
  }
  if (value.trim() === '') return undefined
  if (dataset.shape === 'lines') return entries(value, '\n')
  if (dataset.shape === 'commas') {
    const several = entries(value, ',')
    return several.length > 1 ? several : value.trim()
  }
  if (dataset.shape === 'boolean') return value === 'true'
  if (dataset.shape !== 'number') return value
  return Number.isFinite(Number(value)) ? Number(value) : value
}

/** Shows a value in its fields. @param {readonly Field[]} same @param {unknown} value */
function show(same, value) {
  const [{ dataset }] = /** @type {[Field]} */ (same)
  const list = Array.isArray(value) ? value.map(String) : entries(String(value ?? ''), ',')
  if (dataset.shape === 'checks') {
    for (const box of same) /** @type {HTMLInputElement} */ (box).checked = list.includes(box.value)
    return
  }
  const between = dataset.shape === 'lines' ? '\n' : ', '
  const text = Array.isArray(value) ? list.join(between) : value === undefined ? '' : String(value)
  for (const field of same) field.value = text
}

/** Whether a field shows all of a value. A list may also be written as text. @param {unknown} shown @param {unknown} value */
const isSame = (shown, value) =>
  JSON.stringify(shown) === JSON.stringify(value) ||
  (Array.isArray(shown) && typeof value === 'string' && String(shown) === String(entries(value, ',')))

/** An object from JSON text; undefined for any other text. @param {string} text @returns {Record<string, unknown> | undefined} */
export function objectIn(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

const INCOMPLETE = 'The JSON is not complete. The form shows what it was before.'

/** @param {HTMLFormElement} form @param {HTMLTextAreaElement} json */
function keepAlike(form, json) {
  /** @type {Map<string, Field[]>} */
  const byName = Map.groupBy(fieldsOf(form), nameOf)
  const inFields = () =>
    Object.fromEntries(
      [...byName].flatMap(([name, same]) => {
        const value = valueIn(same)
        return value === undefined ? [] : [[name, value]]
      }),
    )
  // A page after an error may have JSON that is not complete.
  /** @type {Record<string, unknown>} */
  let input = objectIn(json.value) ?? inFields()
  const notice = document.createElement('p')
  notice.className = 'notice'
  notice.setAttribute('role', 'status')
  notice.hidden = true
  document.getElementById('as-form')?.prepend(notice)

  /** @param {string} text */
  const say = (text) => {
    notice.hidden = text === ''
    if (notice.textContent !== text) notice.textContent = text
  }
  const sayWhatIsMissing = () => {
    const missing = Object.entries(input).filter(([name, value]) => {
      const same = byName.get(name)
      return !same || !isSame(valueIn(same), value)
    })
    const names = missing.map(([name]) => `“${name}”`).join(', ')
    const them = missing.length === 1 ? 'it' : 'them'
    say(
      names === ''
        ? ''
        : `The form cannot show ${names} of the JSON. “Run” leaves ${them} out; “Run this JSON” sends ${them}.`,
    )
  }
  const printed = () => JSON.stringify(input, null, 2)

  form.addEventListener('input', ({ target }) => {
    const field = /** @type {Field} */ (target)
    if (field === json) {
      const written = objectIn(json.value)
      if (!written) {
        say(INCOMPLETE)
        return
      }
      input = written
      for (const [name, same] of byName) show(same, input[name])
    } else {
      const same = byName.get(nameOf(field))
      if (!same) return
      const { [nameOf(field)]: _, ...rest } = input
      const value = valueIn(same)
      // A field that was there keeps its place.
      if (value === undefined) input = rest
      else input[nameOf(field)] = value
      json.value = printed()
    }
    sayWhatIsMissing()
  })

  if (!objectIn(json.value)) say(INCOMPLETE)

  const format = document.createElement('button')
  format.type = 'button'
  format.className = 'quiet'
  format.textContent = 'Format'
  format.addEventListener('click', () => {
    const written = objectIn(json.value)
    if (written) json.value = JSON.stringify(written, null, 2)
    else document.getElementById('json-error')?.scrollIntoView({ block: 'nearest' })
    json.focus()
  })
  json.closest('section')?.querySelector('.run-buttons button')?.after(' ', format)
}

const form = /** @type {HTMLFormElement | null} */ (document.getElementById('task-form'))
const json = /** @type {HTMLTextAreaElement | null} */ (form?.elements.namedItem('json') ?? null)
if (form && json) keepAlike(form, json)
