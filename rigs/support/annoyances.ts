/**
 * Unwanted behavior of sign-in pages that must have no effect, to test the remote browser that shows them to a person.
 *
 * @module
 */
import { Html, html } from '../../src/html.ts'

/** The HTML of each annoyance. Some need a button, because browsers require a click. */
const PIECES = {
  window:
    '<script>open("about:blank")</script><button type="button" onclick="open(\'?window\')">Open a window</button>',
  dialogs:
    '<script>setTimeout(() => { alert("Welcome!"); if (confirm("Is this your computer?")) document.title += " (yes)"; if (prompt("Your birthday?")) document.title += " (told)" }, 50)</script>',
  beforeunload:
    '<script>addEventListener("beforeunload", (event) => { event.preventDefault(); event.returnValue = "Stay!" })</script>',
  download: '<a href="data:application/octet-stream,app" download="app.exe">Get the app</a>',
  file: '<label>Photo of your passport <input type="file"></label>',
  permissions:
    '<script>Notification.requestPermission().catch(() => {}); navigator.geolocation.getCurrentPosition(() => { document.title += " (here)" }, () => {}); navigator.mediaDevices?.getUserMedia({ video: true }).then(() => { document.title += " (seen)" }, () => {})</script>',
  'full-screen':
    '<button type="button" onclick="document.documentElement.requestFullscreen()">Fill the screen</button>',
  // Repeated, because a browser drops a print request that it gets during a navigation.
  print: '<script>setTimeout(() => { print(); setInterval(() => print(), 1000) }, 50)</script>',
  protocol:
    '<a href="tel:+15550100">Call us</a><script>setTimeout(() => { const frame = document.createElement("iframe"); frame.src = "mailto:help@site.example"; document.body.append(frame) }, 50)</script>',
  'foreign-link': '<a href="https://elsewhere.example/">Elsewhere</a>',
  'foreign-refresh': '<meta http-equiv="refresh" content="1; url=https://elsewhere.example/refreshed">',
  long: `<div>${'<p>And so on.</p>'.repeat(5000)}</div>`,
  animation:
    '<style>@keyframes turn { to { transform: rotate(1turn) } } .turning { width: 80px; height: 80px; background: conic-gradient(#1a4fc4, #f2a900, #1a4fc4); animation: turn 1s linear infinite }</style><div class="turning"></div>',
} as const

/** The HTML of all annoyances. */
export const ANNOYANCES = html`${Object.values(PIECES).map((piece) => html`<div>${new Html(piece)}</div>\n`)}`
