/**
 * The browser host: a process of the service that has the browser, so that nothing which happens there holds up the
 * service, and no plugin gets hold of more than its own page.
 *
 * @module
 */
import { Browsers } from '../browsers.ts'
import { chromiumWhenInstalled } from '../chromium/find.ts'
import { ALIVE_MS, type FromHost, siteFromJson, type ToHost } from './protocol.ts'
import { ServedPages } from './served-pages.ts'
import { SignIns } from './sign-ins.ts'

let browsers: Browsers | undefined
let signIns: SignIns | undefined
const runs = new Map<number, ServedPages>()

function send(message: FromHost): void {
  // Without a parent there is nobody to tell, and the disconnect ends this process.
  process.send?.(message)
}

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? (error.stack ?? error.message) : String(error)).slice(0, 4000)

process.on('message', (message: ToHost) => {
  switch (message.type) {
    case 'setup': {
      const { chromiumPath, installer, origins, proxyUrl, most } = message
      const executable = (signal: AbortSignal) => chromiumWhenInstalled(chromiumPath, installer, signal)
      const onFailure = (error: unknown) => send({ type: 'failed', reason: reasonOf(error) })
      browsers = new Browsers({ executable, origins, proxyUrl, most, onFailure })
      signIns = new SignIns(browsers, send)
      return send({ type: 'alive' })
    }
    case 'run':
      if (!browsers) throw new Error('a run before the setup')
      return open(browsers, message)
    case 'call':
      return void call(message)
    case 'over':
      return void leave(message.run)
    case 'stop':
      return void stop()
    default:
      signIns?.receive(message)
  }
})
// The browser ends with its pipe, and removes its files then; an end in order would be cut off halfway.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
// A service manager signals all processes at once; when this one ends is for the service to say.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
// What is lost in a page that is gone is nobody's; the service hears of it and goes on.
process.on('unhandledRejection', (error) => send({ type: 'failed', reason: reasonOf(error) }))
setInterval(() => send({ type: 'alive' }), ALIVE_MS)

function open(browsers: Browsers, { run, site, state }: ToHost & { readonly type: 'run' }): void {
  const onLost = (error: unknown) => send({ type: 'failed', reason: reasonOf(error) })
  const options = state === null ? {} : { state, onLost }
  runs.set(run, new ServedPages(browsers, siteFromJson(site), options))
}

async function leave(run: number): Promise<void> {
  const pages = runs.get(run)
  runs.delete(run)
  send({ type: 'left', run, changes: (await pages?.leave()) ?? [] })
}

async function call({ id, run, page, call }: ToHost & { readonly type: 'call' }): Promise<void> {
  const pages = runs.get(run)
  const answer = pages ? await pages.answer(page, call) : { fault: { message: 'the run is over' } }
  send({ type: 'done', id, answer })
}

async function stop(): Promise<void> {
  await browsers?.stop()
  process.exit(0)
}
