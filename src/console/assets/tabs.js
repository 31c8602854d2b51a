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
      // A panel with an id of its own has an address.
      if (panel.id) panel.dataset.address = panel.id
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
    /** Shows a section, and keeps its name in the address: the first one needs none. @param {number} chosen */
    const choose = (chosen) => {
      show(chosen)
      const name = panels[chosen]?.dataset.address
      const hash = chosen > 0 && name ? `#${name}` : ''
      if (name) history.replaceState(history.state, '', `${location.pathname}${location.search}${hash}`)
    }
    const inAddress = () =>
      panels.findIndex(({ dataset: { address } }) => address && `#${address}` === location.hash)
    addEventListener('hashchange', () => {
      if (inAddress() >= 0) show(inAddress())
    })
    for (const [i, tab] of tabs.entries()) {
      tab.addEventListener('click', () => choose(i))
      tab.addEventListener('keydown', ({ key }) => {
        const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
        if (step === 0) return
        const next = (i + step + tabs.length) % tabs.length
        choose(next)
        tabs[next]?.focus()
      })
    }
    this.prepend(list)
    // Shows the section with an invalid field first.
    const wrong = panels.findIndex((panel) => panel.querySelector('[aria-invalid]'))
    show(wrong >= 0 ? wrong : Math.max(0, inAddress()))
    // A browser scrolls to the section in the address, past the tabs above it.
    if (wrong < 0 && inAddress() > 0) scrollTo(0, 0)
  }
}
customElements.define('tab-set', TabSet)
