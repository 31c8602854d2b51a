/**
 * A person at the hosted page, for tests: makes the page's HTTP requests without a browser.
 *
 * @module
 */
import { Person, SessionEvents, VIEWPORT } from '../../test/signin/browser/person.ts'
import { until } from '../servers/processes.ts'
import { recordsIn } from './hosted-records.ts'

const EVENT = 0

/** An opened link. */
export class HostedLink {
  readonly events = new SessionEvents()
  readonly person = new Person({ send: (input) => this.send(input) })
  /** inputs, in order */
  private sending: Promise<void> = Promise.resolve()

  private constructor(
    private readonly url: string,
    private readonly cookie: string,
  ) {}

  /** Opens a link and follows its stream. */
  static async open(url: string): Promise<HostedLink> {
    const reply = await fetch(`${url}/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(VIEWPORT),
    })
    if (!reply.ok) throw new Error(`${reply.status}: ${await reply.text()}`)
    await reply.body?.cancel()
    const link = new HostedLink(url, reply.headers.get('set-cookie')?.split(';')[0] ?? '')
    void link.follow()
    return link
  }

  /** Waits until the login is saved. @throws if it will not be saved */
  async done(): Promise<void> {
    await until(() => this.events.last('done') !== undefined || this.events.last('failed') !== undefined)
    const failed = this.events.last('failed')
    if (failed) throw new Error(`${failed.code}: ${failed.text}`)
  }

  private send(input: unknown): void {
    this.sending = this.sending.then(async () => {
      const reply = await this.ask('/input', { method: 'POST', body: JSON.stringify({ inputs: [input] }) })
      await reply.body?.cancel()
    })
  }

  private ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { 'content-type': 'application/json', cookie: this.cookie }
    return fetch(this.url + path, { ...init, headers })
  }

  private async follow(): Promise<void> {
    const { body } = await this.ask('/stream')
    if (!body) return
    for await (const { kind, content } of recordsIn(body))
      if (kind === EVENT) this.events.onEvent(JSON.parse(content.toString()))
  }
}

/** Signs in at the mock site behind a link. */
export async function signInAt(
  url: string,
  user: { readonly name: string; readonly password: string; readonly code: string },
): Promise<void> {
  const link = await HostedLink.open(url)
  const { events, person } = link
  for (const [label, value] of [
    ['User name', user.name],
    ['Password', user.password],
    ['Code of six digits', user.code],
  ] as const) {
    await events.label(label)
    person.type(value)
    person.key('Enter', 0, 'Enter')
  }
  await link.done()
}
