// @ts-check
// Other pages of the console, read to show parts of them here.

/**
 * Reads a page as an inert document, in which nothing is loaded or runs.
 *
 * @param {string} url of this host
 * @returns {Promise<Document | undefined>} with the address after redirects as its `URL`; undefined if it cannot be had
 */
export const pageAt = (url) =>
  new Promise((done) => {
    const request = new XMLHttpRequest()
    request.open('GET', url)
    request.setRequestHeader('accept', 'text/html')
    request.responseType = 'document'
    request.addEventListener('loadend', () =>
      done(request.status === 200 ? (request.responseXML ?? undefined) : undefined),
    )
    request.send()
  })
