// @ts-check
/** Text with a copy button. If the browser provides no clipboard (pages without https), the button selects the text. */
class CopyText extends HTMLElement {
  connectedCallback() {
    const code = /** @type {HTMLElement} */ (this.querySelector('code'))
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'quiet copy'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(code.textContent ?? '')
        button.textContent = 'Copied'
      } catch {
        getSelection()?.selectAllChildren(code)
        button.textContent = 'Selected'
      }
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 2000)
    })
    this.append(button)
  }
}
customElements.define('copy-text', CopyText)
