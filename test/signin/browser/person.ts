/**
 * A simulated person who signs in: their mouse, touch and keyboard input, and the events that they receive.
 *
 * @module
 */

import { until } from '../../../rigs/servers/processes.ts'
import type { Frame, SignInEvent } from '../../../src/signin/browser/types.ts'
import type { SessionEvent } from '../../../src/signin/remote/session-events.ts'

/** The part that a sign-in in this process and one in a browser host have in common. */
type Driven = { send(input: unknown): unknown }

export const VIEWPORT = { width: 800, height: 600, touch: false, scale: 1 } as const
export const LOGIN = { url: '/login', signedIn: { cookies: ['session'] } } as const

/** All events of a page or a session, in order. */
export class SessionEvents {
  readonly events: SessionEvent[] = []
  readonly onEvent = (event: SessionEvent | SignInEvent): void => {
    this.events.push(event)
  }

  last<T extends SessionEvent['type']>(type: T) {
    return this.events.findLast((event): event is SessionEvent & { readonly type: T } => event.type === type)
  }
  notices(): string[] {
    return this.events.flatMap((event) => (event.type === 'notice' ? [event.code] : []))
  }
  /** Waits for a title: the test pages report what happens in their title. */
  title(wanted: string): Promise<void> {
    return until(() => this.last('address')?.title === wanted)
  }
  label(wanted: string): Promise<void> {
    return until(() => this.last('focus')?.focus?.label === wanted)
  }
}

const pointer = { type: 'pointer', pointerType: 'mouse', pointerId: 1, modifiers: 0 }

export class Person {
  constructor(private readonly driven: Driven) {}

  click(x: number, y: number, clicks = 1): void {
    this.driven.send({ ...pointer, action: 'move', x, y, button: -1, buttons: 0, clicks: 0 })
    for (let n = 1; n <= clicks; n++) {
      this.driven.send({ ...pointer, action: 'down', x, y, button: 0, buttons: 1, clicks: n })
      this.driven.send({ ...pointer, action: 'up', x, y, button: 0, buttons: 0, clicks: n })
    }
  }
  wheel(x: number, y: number, dy: number): void {
    this.driven.send({ type: 'pointer', action: 'wheel', x, y, dx: 0, dy, modifiers: 0 })
  }
  touch(action: 'down' | 'move' | 'up' | 'cancel', x: number, y: number, pointerId = 7): void {
    const touch = { ...pointer, pointerType: 'touch', pointerId }
    this.driven.send({ ...touch, action, x, y, button: 0, buttons: action === 'up' ? 0 : 1, clicks: 0 })
  }
  key(key: string, modifiers = 0, code = ''): void {
    for (const action of ['down', 'up'])
      this.driven.send({ type: 'key', action, key, code, location: 0, repeat: false, modifiers })
  }
  type(text: string): void {
    for (const character of text) this.key(character)
  }
  text(text: string): void {
    this.driven.send({ type: 'text', text })
  }
  compose(text: string): void {
    this.driven.send({ type: 'composition', text, start: text.length, end: text.length })
  }
}

/** A form whose title shows the values of its fields. */
export const FORM = `<title></title><form method=post action=/in><label>Name <input id=a autofocus></label><input type=password id=b placeholder=Secret>
  <textarea id=c aria-label=Note></textarea><button>go</button></form><script>
  oninput = () => { document.title = [a.value, b.value, c.value].join('|') }</script>`

/** A page of elements of 100 by 50 pixels, stacked vertically: the centre of the first is (50, 25). */
export const stack = (...elements: string[]): string =>
  `<!doctype html><style>body > * { position: absolute; width: 100px; height: 50px; left: 0 }</style><body>${elements
    .map((element, i) => element.replace(/^<(\w+)/, `<$1 style="top:${i * 50}px"`))
    .join('')}`

/** The width and height of a JPEG, in its own pixels. */
export function sizeOf({ jpeg }: Pick<Frame, 'jpeg'>): [number, number] {
  const bytes = Buffer.from(jpeg)
  for (let at = 2; at < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at)
    if (marker >= 0xffc0 && marker <= 0xffc2) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)]
  }
  throw new Error('no JPEG')
}
