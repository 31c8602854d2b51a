/** Receives pictures and events from the service as binary records (see stream.ts) until the sign-in ends. */

import { $, end, hasEnded, notice, say, show } from './display.js'
import { base } from './inputs.js'
import { pictured } from './pointing.js'
import { typeInto } from './typing.js'

const screen = $('screen')
const drawing = screen.getContext('2d')

/** The name of the focused field of the remote page, for screen readers; empty if there is none. */
let field = ''
let isLoading = true

const EVENTS = {
  quiet() {},
  waiting({ before }) {
    show('waiting')
    $('waiting').querySelector('[data-position]').textContent = before
    say(`You are number ${before} in line.`)
  },
  address({ url }) {
    // The origin stands out, so that a long path cannot hide it.
    const { origin } = new URL(url)
    const host = document.createElement('b')
    host.textContent = origin
    $('address').replaceChildren(host, url.slice(origin.length))
    $('address').title = url
    show('remote')
  },
  loading({ loading }) {
    isLoading = loading
    $('stage').setAttribute('aria-busy', String(loading))
    const ready = field ? `The remote page is ready: ${field}` : 'The remote page is ready.'
    say(loading ? 'The remote page is loading.' : ready)
  },
  focus({ focus }) {
    field = typeInto(focus)
    if (!isLoading) say(field ? `On the remote page: ${field}` : 'No field of the remote page has the focus.')
  },
  notice: ({ text }) => notice(text),
  elsewhere: () => end('elsewhere'),
  saving: () => say('You are signed in. Your login is being saved.'),
  done: () => end('success'),
  failed: ({ code, text }) => end('failure', code === 'closed' ? 'you ended it' : text),
}

async function picture(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint16(0)
  const size = JSON.parse(new TextDecoder().decode(bytes.subarray(2, 2 + length)))
  const image = await createImageBitmap(new Blob([bytes.subarray(2 + length)], { type: 'image/jpeg' }))
  if (screen.width !== image.width || screen.height !== image.height) {
    screen.width = image.width
    screen.height = image.height
  }
  drawing.drawImage(image, 0, 0)
  image.close()
  screen.hidden = false
  pictured(size)
}

async function record(kind, content) {
  if (kind === 1) return picture(content)
  const event = JSON.parse(new TextDecoder().decode(content))
  EVENTS[event.type]?.(event)
}

/** Parses records from the incoming bytes. A picture is drawn before the next record is parsed. */
async function read(body, onBytes) {
  const reader = body.getReader()
  let bytes = new Uint8Array(0)
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onBytes()
    const more = new Uint8Array(bytes.length + value.length)
    more.set(bytes)
    more.set(value, bytes.length)
    bytes = more
    while (bytes.length >= 5) {
      const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
      if (bytes.length < 4 + length) break
      // A record that can't be shown does not end the stream.
      await record(bytes[4], bytes.subarray(5, 4 + length)).catch(reportError)
      bytes = bytes.subarray(4 + length)
    }
  }
}

/** The service sends something every eight seconds. A connection that is silent for longer is dead. */
const SILENT_MS = 20_000
const MOST_PAUSE_MS = 5000

/** Reads one connection until it ends. @returns the HTTP status; 0 if the connection broke */
async function connect() {
  const connection = new AbortController()
  const give = () => connection.abort()
  let watch = setTimeout(give, SILENT_MS)
  const alive = () => {
    clearTimeout(watch)
    watch = setTimeout(give, SILENT_MS)
  }
  addEventListener('online', give)
  try {
    const reply = await fetch(`${base}/stream`, { cache: 'no-store', signal: connection.signal })
    if (reply.ok) await read(reply.body, alive)
    return reply.status
  } catch {
    return 0
  } finally {
    clearTimeout(watch)
    removeEventListener('online', give)
  }
}

/** Reads until the sign-in ends, and reconnects when the connection breaks. */
export async function follow() {
  for (let tries = 0; !hasEnded; tries++) {
    const status = await connect()
    if (hasEnded) return
    if (status === 404) return end('failure', 'this sign-in has ended')
    if (status === 200) tries = 0
    else say('The connection was lost. Trying again.')
    await new Promise((go) => setTimeout(go, Math.min(MOST_PAUSE_MS, 300 * 2 ** tries)))
  }
}
