/**
 * Frames of the remote page: the newest, only as many as are taken, and none without a viewer.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import { EventEmitter } from 'node:events'
import type { CDPSession } from 'rebrowser-playwright'
import { until } from '../../../rigs/servers/processes.ts'
import { delay } from '../../../src/async/delay.ts'
import { hasBrowser } from '../../../src/plugin/testing.ts'
import { Frames } from '../../../src/signin/browser/frames.ts'
import { LOGIN, sizeOf, VIEWPORT } from './person.ts'
import { PAGE, PHONE, partsOf, startSignIns } from './web.ts'

const { on, inShared } = startSignIns()

/** Draws `most` different pictures in succession; its title counts them. */
const moving = (most = 1e9) => `<canvas id=c width=700 height=500></canvas><script>
  let n = 0
  const draw = () => {
    const to = c.getContext('2d')
    to.fillStyle = 'hsl(' + n++ * 7 % 360 + ' 90% 50%)'
    to.fillRect(0, 0, 700, 500)
    if (n % 20 === 0) document.title = n
    if (n < ${most}) requestAnimationFrame(draw)
    else document.body.innerHTML = ''
  }
  draw()</script>`

describe.skipIf(!hasBrowser)('frames', () => {
  test('of an unchanging page are delivered to each new viewer, in the size of the viewport', async () => {
    const { signIn } = await on({ [PAGE]: '<h1>x</h1>' })
    for (let viewer = 0; viewer < 3; viewer++) {
      const frame = await signIn.frame(true)
      expect([frame.width, frame.height, ...sizeOf(frame)]).toEqual([800, 600, 800, 600])
    }
    signIn.send({ type: 'resize', width: 400, height: 700 })
    await until(async () => sizeOf(await signIn.frame(true)).join() === '400,700')
    signIn.send({ type: 'resize', width: 1400, height: 1000 })
    await until(async () => sizeOf(await signIn.frame(true)).join() === '1400,1000')
  })

  test('of a phone have the resolution of its screen, and rotate with it', async () => {
    const page = '<meta name=viewport content="width=device-width"><title></title><h1>x</h1>'
    const script = '<script>onresize = () => { document.title = innerWidth }; onresize()</script>'
    const { signIn, events } = await on({ [PAGE]: page + script }, LOGIN, PHONE)
    await events.title('360')
    const frame = await signIn.frame(true)
    expect([frame.width, frame.height, ...sizeOf(frame)]).toEqual([360, 640, 720, 1280])
    signIn.send({ type: 'resize', width: 640, height: 360 })
    await events.title('640')
    await until(async () => sizeOf(await signIn.frame(true)).join() === '1280,720')
  })

  test('of a large high-density screen have one pixel for each CSS pixel', async () => {
    const large = { width: 1600, height: 1000, touch: false, scale: 2 }
    const { signIn } = await on({ [PAGE]: 'x' }, LOGIN, large)
    expect(sizeOf(await signIn.frame(true))).toEqual([1600, 1000])
  })

  test('keep arriving while the page changes', async () => {
    const { signIn } = await inShared({ [PAGE]: moving() })
    const distinctFrames = new Set<string>()
    while (distinctFrames.size < 10) distinctFrames.add(String((await signIn.frame(false)).jpeg))
  })

  test('are not made while nobody takes them, and a later viewer gets the newest', async () => {
    const { signIn, events } = await inShared({ [PAGE]: moving(100) })
    await signIn.frame(true)
    let count = 0
    partsOf(signIn).session.on('Page.screencastFrame', () => count++)
    // Many pictures later, when the page is white.
    await events.title('100')
    // Chromium makes some ahead, until it is told to stop.
    expect(count).toBeLessThan(10)
    const white = await signIn.frame(false)
    // The page no longer changes, so a fresh frame is the same.
    expect((await signIn.frame(true)).jpeg).toEqual(white.jpeg)
  })
})

/** A fake browser session that emits frames on demand and records the commands that it receives. */
class FakeSession extends EventEmitter {
  readonly requests: string[] = []
  refusals = 0
  frames = 0
  async send(method: string): Promise<void> {
    this.requests.push(method)
    if (method === 'Page.startScreencast' && this.refusals-- > 0)
      throw new Error(`Protocol error (${method}): Not attached to an active page`)
  }
  frame(picture: string): void {
    const data = Buffer.from(picture).toString('base64')
    const metadata = { scrollOffsetX: 0, scrollOffsetY: 0 }
    this.emit('Page.screencastFrame', { data, sessionId: ++this.frames, metadata })
  }
  count(method: string): number {
    return this.requests.filter((each) => each === `Page.${method}`).length
  }
}

describe('the screencast of a browser', () => {
  function started() {
    const session = new FakeSession()
    const failures: unknown[] = []
    const frames = new Frames(session as unknown as CDPSession, VIEWPORT, (error) => failures.push(error))
    return { session, frames, failures }
  }

  test('is not started before a frame is wanted', async () => {
    const { session, frames } = started()
    frames.resize(VIEWPORT)
    await delay(1)
    expect(session.requests).toEqual([])
  })

  test('continues only after the last frame was taken, and stops when no frame is wanted', async () => {
    const { session, frames } = started()
    const first = frames.next(false)
    await until(() => session.count('startScreencast') === 1)
    session.frame('1')
    expect(String((await first).jpeg)).toBe('1')
    await until(() => session.count('screencastFrameAck') === 1)
    session.frame('2')
    session.frame('3')
    await until(() => session.count('stopScreencast') === 2)
    // Neither of these two was taken.
    expect(session.count('screencastFrameAck')).toBe(1)
    // Both are stale by now.
    const next = frames.next(false)
    await until(() => session.count('startScreencast') === 2)
    session.frame('4')
    expect(String((await next).jpeg)).toBe('4')
    frames.stop(new Error('over'))
  })

  test('is started again when the browser refuses it between two documents', async () => {
    const { session, frames, failures } = started()
    session.refusals = 3
    const first = frames.next(true)
    await until(() => session.count('startScreencast') === 4)
    session.frame('1')
    expect(String((await first).jpeg)).toBe('1')
    expect(failures).toEqual([])
    frames.stop(new Error('over'))
  })
})
