/**
 * Programs that receive and verify deliveries, with the clients' own verification. A test runs them.
 *
 * @module
 */
import { copyable, type Html, html } from '../../../html.ts'

const TYPESCRIPT = `import { GleanerError, verifyWebhook } from 'gleaner-client'

async function receive(request: Request): Promise<Response> {
  try {
    const event = await verifyWebhook(await request.text(), request.headers, process.env.WEBHOOK_SECRET)
    console.log(event.id, event.type, event.data)
    return new Response(null, { status: 204 })
  } catch (error) {
    if (error instanceof GleanerError) return new Response('The signature is not valid.', { status: 400 })
    throw error
  }
}

export default { port: 4000, fetch: receive }
`

const PYTHON = `import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from gleaner import GleanerError, verify_webhook


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            event = verify_webhook(body, self.headers, os.environ["WEBHOOK_SECRET"])
            print(event["id"], event["type"], event["data"], flush=True)
            self.send_response(204)
        except GleanerError:
            self.send_response(400)
        self.end_headers()


ThreadingHTTPServer(("", 4000), Receiver).serve_forever()
`

/** The programs, by the names of their files. */
export const RECEIVERS = { 'receiver.ts': TYPESCRIPT, 'receiver.py': PYTHON } as const

/** @param base of the visitor */
export const receivers = (base: string): Html =>
  html`<h2>Receive and verify</h2>
<p>Anybody can send a request to a public address. Verify the signature of each with the secret of the endpoint, over the body as it came. Put the secret into <code>WEBHOOK_SECRET</code>, and answer 204 before the work begins.</p>
<details><summary>TypeScript</summary><p class="hint">For <code>bun receiver.ts</code>, after <code>npm install ./clients/typescript</code> in a checkout of Gleaner.</p>${copyable(TYPESCRIPT, 'A receiver in TypeScript')}</details>
<details><summary>Python</summary><p class="hint">For <code>python3 receiver.py</code>, beside a copy of <code>clients/python/gleaner.py</code>.</p>${copyable(PYTHON, 'A receiver in Python')}</details>
<p class="hint">Programs without a public address can follow the <a href="${base}/docs#streamEvents">event feed</a>.</p>`
