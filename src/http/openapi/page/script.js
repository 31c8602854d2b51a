// Filters the contents, highlights the current section, and collapses the contents on small screens.
const menu = document.querySelector('.menu')
const narrow = matchMedia('(width < 52rem)')
const fold = () => {
  menu.open = !narrow.matches
}
narrow.addEventListener('change', fold)
fold()

document.querySelector('nav').addEventListener('click', ({ target }) => {
  if (narrow.matches && target.closest('a')) menu.open = false
})

const filter = document.getElementById('filter')
filter.addEventListener('input', () => {
  const search = filter.value.toLowerCase().split(/\s+/).filter(Boolean)
  for (const entry of document.querySelectorAll('nav [data-words]')) {
    entry.hidden = !search.every((word) => entry.dataset.words.includes(word))
  }
  for (const list of document.querySelectorAll('nav ul')) {
    const empty = [...list.children].every((entry) => entry.hidden)
    list.hidden = empty
    if (list.previousElementSibling?.tagName === 'H2') list.previousElementSibling.hidden = empty
  }
  document.getElementById('no-match').hidden =
    document.querySelector('nav [data-words]:not([hidden])') !== null
})

const links = new Map([...document.querySelectorAll('nav li a[href^="#"]')].map((a) => [a.hash.slice(1), a]))
const seen = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue
      for (const link of links.values()) link.removeAttribute('aria-current')
      links.get(target.id)?.setAttribute('aria-current', 'true')
    }
  },
  { rootMargin: '0px 0px -75% 0px' },
)
for (const id of links.keys()) {
  const section = document.getElementById(id)
  if (section) seen.observe(section)
}

// A link to an event type opens it.
const reveal = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (target instanceof HTMLDetailsElement) target.open = true
}
addEventListener('hashchange', reveal)
reveal()
