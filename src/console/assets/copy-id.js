// @ts-check
// A small button beside an id, which copies it.

const SPRITE = new URL('icons.svg', import.meta.url).href

/** @param {string} name */
function iconOf(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('class', 'icon')
  svg.setAttribute('aria-hidden', 'true')
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use')
  use.setAttribute('href', `${SPRITE}#${name}`)
  svg.append(use)
  return svg
}

/** An id with a copy button. If the browser provides no clipboard (pages without https), the button selects the id. */
class CopyId extends HTMLElement {
  connectedCallback() {
    // A live part of the page that moved is connected again.
    if (this.querySelector('button')) return
    const code = /** @type {HTMLElement} */ (this.querySelector('code'))
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'quiet'
    button.setAttribute('aria-label', `Copy ${this.dataset.what}`)
    const word = document.createElement('span')
    word.setAttribute('role', 'status')
    button.append(iconOf('copy'))
    button.addEventListener('click', async () => {
      let done = 'Copied'
      try {
        await navigator.clipboard.writeText(code.textContent ?? '')
      } catch {
        getSelection()?.selectAllChildren(code)
        done = 'Selected'
      }
      word.textContent = done
      button.replaceChildren(iconOf('check'))
      setTimeout(() => {
        word.textContent = ''
        button.replaceChildren(iconOf('copy'))
      }, 2000)
    })
    this.append(button, word)
  }
}
customElements.define('copy-id', CopyId)
