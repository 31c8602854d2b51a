// @ts-check
/** Sections of which one is shown at a time. Without scripts, all are shown, one below the other. */
class TabSet extends HTMLElement {
  connectedCallback() {
    const panels = /** @type {HTMLElement[]} */ ([...this.querySelectorAll(':scope > [data-tab]')])
    const list = document.createElement('div')
    list.setAttribute('role', 'tablist')
    const tabs = panels.map((panel, i) => {
      const tab = document.createElement('button')
      tab.type = 'button'
      tab.setAttribute('role', 'tab')
      tab.id = `tab-${i}`
      tab.textContent = panel.dataset.tab ?? ''
      panel.id ||= `panel-${i}`
      panel.setAttribute('role', 'tabpanel')
      panel.setAttribute('aria-labelledby', tab.id)
      tab.setAttribute('aria-controls', panel.id)
      list.append(tab)
      return tab
    })
    /** @param {number} chosen */
    const show = (chosen) => {
      for (const [i, tab] of tabs.entries()) {
        tab.setAttribute('aria-selected', String(i === chosen))
        tab.tabIndex = i === chosen ? 0 : -1
        const panel = panels[i]
        if (panel) panel.hidden = i !== chosen
      }
    }
    for (const [i, tab] of tabs.entries()) {
      tab.addEventListener('click', () => show(i))
      tab.addEventListener('keydown', ({ key }) => {
        const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
        if (step === 0) return
        const next = (i + step + tabs.length) % tabs.length
        show(next)
        tabs[next]?.focus()
      })
    }
    this.prepend(list)
    // Shows the section with an invalid field first.
    const wrong = panels.findIndex((panel) => panel.querySelector('[aria-invalid]'))
    show(Math.max(0, wrong))
  }
}
customElements.define('tab-set', TabSet)
