// @ts-check
// Times and days in the time zone of the browser.

/** Shows times in the browser's time zone and format. @param {ParentNode} root */
export function localTimes(root) {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
  for (const time of root.querySelectorAll('time')) {
    const at = new Date(time.dateTime)
    if (Number.isNaN(at.getTime()) || time.dataset.elapsed !== undefined) continue
    // A relative time keeps its words; clocks.js keeps them current.
    if (time.dataset.ago !== undefined) {
      time.title = format.format(at)
      continue
    }
    if (time.dataset.day !== undefined) {
      time.title = format.format(at)
      time.textContent = day.format(at)
      continue
    }
    time.title = time.textContent ?? ''
    time.textContent = format.format(at)
  }
}
localTimes(document)

// The service reads the days of filters and charts in this zone.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
// biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on pages without https
if (zone) document.cookie = `gleaner_zone=${encodeURIComponent(zone)}; Path=/; Max-Age=31536000; SameSite=Lax`
